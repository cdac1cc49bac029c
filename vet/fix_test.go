package vet

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const fixedStale = `package p

import "github.com/basin-go/basin"

func F(in []byte) int {
	b := basin.Get(64)
	defer func() { basin.Put(b) }()
	b = basin.Append(b, in...)
	return len(b)
}
`

// TestFix has the command and the go command mend a file.
func TestFix(t *testing.T) {
	bin := program(t)
	for _, args := range [][]string{{bin, "-fix", "."}, {"go", "fix", "-fixtool=" + bin, "."}} {
		dir := withBasin(t, module(t, map[string]string{"p.go": stale}))
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			if strings.Contains(string(out), "-fixtool") {
				continue // an older go command
			}
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if fixed, err := os.ReadFile(filepath.Join(dir, "p.go")); err != nil || string(fixed) != fixedStale {
			t.Errorf("%v: %v\n%s", args, err, fixed)
		}
		vet := exec.Command("go", "vet", "-vettool="+bin, ".")
		vet.Dir = dir
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("a fixed finding is reported: %s", out)
		}
	}
}

// TestFixSaysWhyNot: a finding that has no fix because of a line directive says so.
func TestFixSaysWhyNot(t *testing.T) {
	cmd := exec.Command(program(t), "-fix", ".")
	cmd.Dir = withBasin(t, module(t, map[string]string{"p.go": strings.Replace(stale, "func F", "//line g.y:1\nfunc F", 1)}))
	out, _ := cmd.Output()
	if want := "-fix leaves this file alone, because a line directive hides where its text is"; !strings.Contains(string(out), want) {
		t.Errorf("printed %q, want %q", out, want)
	}
}

// TestFixFiles has files that must keep their peculiarities, or must not be changed at all.
func TestFixFiles(t *testing.T) {
	bin := program(t)
	second := strings.Replace(stale, "func F", "func G", 1)
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for i, tt := range []struct {
		name    string
		files   map[string]string
		prepare func(dir string) error
		want    map[string]string // changed files
		code    int
		stderr  string
	}{
		{"CRLF", map[string]string{"p.go": crlf(stale)}, nil, map[string]string{"p.go": crlf(fixedStale)}, 0, "fixed p.go\n"},
		{"a test", map[string]string{"p.go": "package p\n", "p_test.go": stale}, nil, map[string]string{"p_test.go": fixedStale}, 0, "fixed p_test.go\n"},
		{"an external test", map[string]string{"p.go": "package p\n", "p_test.go": strings.Replace(stale, "package p", "package p_test", 1)}, nil,
			map[string]string{"p_test.go": strings.Replace(fixedStale, "package p", "package p_test", 1)}, 0, "fixed p_test.go\n"},
		{"read-only beside another", map[string]string{"p.go": stale, "q.go": second}, func(dir string) error { return os.Chmod(filepath.Join(dir, "q.go"), 0o444) }, nil, 1,
			"basin vet: nothing in . is changed: q.go is read-only\n"},
		{"read-only in another package", map[string]string{"p.go": stale, "q/q.go": second}, func(dir string) error { return os.Chmod(filepath.Join(dir, "q", "q.go"), 0o444) },
			map[string]string{"p.go": fixedStale}, 1, "nothing in q is changed: q/q.go is read-only\n"},
		{"another file by a line directive", map[string]string{"p.go": strings.Replace(stale, "func F", "//line r.go:1\nfunc F", 1), "r.go": "package p\n\nconst R = `" + stale + "`\n"}, nil, nil, 1, ""},
		{"the same file by a line directive", map[string]string{"p.go": strings.Replace(stale, "func F", "//line p.go:100\nfunc F", 1)}, nil,
			map[string]string{"p.go": strings.Replace(fixedStale, "func F", "//line p.go:100\nfunc F", 1)}, 0, "fixed p.go\n"},
		{"a link", map[string]string{"p.go": "package p\n", "other/o.go.txt": stale}, func(dir string) error {
			return os.Symlink(filepath.Join(dir, "other", "o.go.txt"), filepath.Join(dir, "o.go"))
		}, nil, 1, "nothing in . is changed: o.go is a symbolic link\n"},
		{"a pool of another type with other tags", map[string]string{"p.go": strings.ReplaceAll(strings.Replace(stale, "import \"github.com/basin-go/basin\"\n\n", "", 1), "basin.", "pool."), "o.go": "//go:build !windows\n\npackage p\n\nimport \"github.com/basin-go/basin\"\n\nvar pool basin.BytePool\n",
			"w.go": "//go:build windows\n\npackage p\n\nvar pool = interface{ Get(int) []byte; Put([]byte); Append([]byte, ...byte) []byte }(nil)\n"}, nil, nil, 1, ""},
		{"not formatted", map[string]string{"p.go": strings.ReplaceAll(stale, "\t", "  ")}, nil, map[string]string{"p.go": strings.ReplaceAll(fixedStale, "\t", "  ")}, 0, "fixed p.go\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if i%4 > 0 && !long() {
				t.Skip("runs the go command many times")
			}
			dir := withBasin(t, module(t, tt.files))
			if tt.prepare != nil {
				if err := tt.prepare(dir); err != nil {
					t.Skip(err)
				}
			}
			cmd := exec.Command(bin, "-fix", "./...")
			cmd.Dir = dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(stderr.String(), filepath.FromSlash(tt.stderr)) || tt.stderr == "" && stderr.Len() > 0 {
				t.Errorf("exit code %d, printed\n%s%s\nwant %d, %q", code, out, &stderr, tt.code, tt.stderr)
			}
			if (tt.code == 1) != strings.Contains(string(out), "the deferred Put puts b as it is here") {
				t.Errorf("printed %s", out)
			}
			for name, old := range tt.files {
				want, changed := tt.want[name]
				if !changed && name != "go.mod" {
					want = old
				}
				if got, err := os.ReadFile(filepath.Join(dir, name)); name != "go.mod" && (err != nil || string(got) != want) {
					t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
				}
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
				t.Errorf("%v are left behind, error %v", left, err)
			}
		})
	}
}
