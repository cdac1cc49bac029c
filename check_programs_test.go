package basin_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// buildProgram builds the program in a directory of testdata.
func buildProgram(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no go command to build with")
	}
	bin := filepath.Join(t.TempDir(), filepath.Base(dir)+".exe")
	args := append(append([]string{"build", "-o", bin}, flags...), "./"+filepath.ToSlash(dir))
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// run runs a program with the given level of checks, and returns its output, errors included.
func run(t *testing.T, check, bin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "BASIN_CHECK="+check)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

var wanted = regexp.MustCompile(`// (want|guard): (.*)$`)

// marks returns what the source of a program says about its lines.
func marks(t *testing.T, name, mark string) []string {
	t.Helper()
	file := name + ".go"
	source, err := os.ReadFile(filepath.Join("testdata", "misuse", file))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for i, line := range strings.Split(string(source), "\n") {
		if m := wanted.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] == mark {
			found = append(found, fmt.Sprintf("%s: %s:%d", m[2], file, i+1))
		}
	}
	return found
}

// TestCheckPrograms runs programs that misuse basin. Each misuse must be reported, with the right
// line, and nothing else; and nothing of the same programs without the misuse.
func TestCheckPrograms(t *testing.T) {
	bin := buildProgram(t, filepath.Join("testdata", "misuse"))
	names, _, err := run(t, "off", bin, "list")
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for _, name := range strings.Fields(names) {
		want := marks(t, name, "want")
		reported += min(1, len(want))
		t.Run(name, func(t *testing.T) {
			out, stderr, err := run(t, "full", bin, name, "bug")
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			got := strings.Split(strings.TrimSpace(out), "\n")
			if out == "" {
				got = nil
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("reported %q, want %q", got, want)
			}
			if out, stderr, err := run(t, "full", bin, name, "fixed"); err != nil || out != "" {
				t.Errorf("without the misuse: %v, reported:\n%s%s", err, out, stderr)
			}
			if out, stderr, err := run(t, "off", bin, name, "fixed"); err != nil || out != "" {
				t.Errorf("without checks: %v, reported:\n%s%s", err, out, stderr)
			}
		})
	}
	if reported < 25 {
		t.Errorf("%d programs with misuse that is reported, want at least 25", reported)
	}
}

// TestCheckGuardPrograms has programs touch guarded memory after Put. The fault must
// name the very line.
func TestCheckGuardPrograms(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("guarded memory is for linux")
	}
	bin := buildProgram(t, filepath.Join("testdata", "misuse"))
	names, _, err := run(t, "off", bin, "list")
	if err != nil {
		t.Fatal(err)
	}
	faulted := 0
	for _, name := range strings.Fields(names) {
		for _, want := range marks(t, name, "guard") {
			faulted++
			at := strings.TrimPrefix(want, "faults: ")
			_, stderr, err := run(t, "full,guard", bin, name, "fault")
			if err == nil || !strings.Contains(stderr, "unexpected fault address") || !strings.Contains(stderr, at+" ") {
				t.Errorf("%s: %v, want a fault at %s:\n%s", name, err, at, stderr)
			}
		}
		if out, stderr, err := run(t, "full,guard", bin, name, "fixed"); err != nil || out != "" {
			t.Errorf("%s without the misuse: %v, reported:\n%s%s", name, err, out, stderr)
		}
	}
	if faulted < 4 {
		t.Errorf("%d programs were to fault, want at least 4", faulted)
	}
}

// TestCheckEnvironment starts a program with good and bad levels.
func TestCheckEnvironment(t *testing.T) {
	bin := buildProgram(t, filepath.Join("testdata", "checklevel"))
	guard := runtime.GOOS == "linux"
	for _, tt := range []struct {
		env, want string
		warns     bool
	}{
		{"", "off 0 false", false},
		{"off", "off 0 false", false},
		{"sampled", "sampled 256 false", false},
		{"sampled=3", "sampled 3 false", false},
		{"full", "full 0 false", false},
		{"full,guard", fmt.Sprintf("full 0 %v", guard), !guard},
		{"sampled=0", "off 0 false", true},
		{"sampled=-1", "off 0 false", true},
		{"sampled=x", "off 0 false", true},
		{"sampled=99999999999999999999", "off 0 false", true},
		{"Full", "off 0 false", true},
		{"full,", "off 0 false", true},
		{"on", "off 0 false", true},
	} {
		out, stderr, err := run(t, tt.env, bin)
		if err != nil || strings.TrimSpace(out) != tt.want {
			t.Errorf("BASIN_CHECK=%s: %v, %s, want %s", tt.env, err, out, tt.want)
		}
		lines := strings.Count(stderr, "\n")
		if tt.warns && (lines != 1 || !strings.Contains(stderr, "BASIN_CHECK")) || !tt.warns && stderr != "" {
			t.Errorf("BASIN_CHECK=%s: on stderr %q, want a warning of one line: %v", tt.env, stderr, tt.warns)
		}
	}
}

// TestCheckCachedResults: go test does not answer for one level with what it keeps of another.
func TestCheckCachedResults(t *testing.T) {
	buildProgram(t, filepath.Join("testdata", "checklevel")) // or skips
	test := func(check string) (out string, err error) {
		out, stderr, err := run(t, check, "go", "test", "./testdata/doubleput")
		return out + stderr, err
	}
	for range 2 {
		if out, err := test("off"); err != nil {
			t.Fatalf("without checks: %v\n%s", err, out)
		} else if strings.Contains(out, "(cached)") {
			if out, err := test("full"); err == nil || !strings.Contains(out, "double Put") {
				t.Errorf("with full checks: %v, want a double Put\n%s", err, out)
			}
			return
		}
	}
	t.Skip("go test keeps no results here")
}
