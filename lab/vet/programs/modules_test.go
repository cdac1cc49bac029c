package programs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestModules migrates real modules, those of testdata/modules.txt, and runs the tests of the packages that change, before and
// after: tests that passed must still pass. It fetches the modules, and takes long.
func TestModules(t *testing.T) {
	only := os.Getenv("BASIN_TEST_MODULES")
	if only == "" {
		t.Skip("needs BASIN_TEST_MODULES=1, or a part of a module's path")
	}
	list, err := os.ReadFile(filepath.Join("testdata", "modules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	needGo(t)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod "+os.Getenv("GOFLAGS"))
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" || only != "1" && !strings.Contains(fields[0], only) {
			continue
		}
		t.Run(fields[0], func(t *testing.T) {
			dir := moduleCopy(t, fields[0]+"@"+fields[1])
			goIn(t, dir, "mod", "edit", "-require="+library+"@v0.1.0", "-replace="+library+"="+tree(t))
			patterns := fields[2:]
			if len(patterns) == 0 {
				patterns = []string{"./..."}
			}
			stdout, stderr, _ := basin(t, dir, append([]string{"migrate", "-diff"}, patterns...)...)
			var changed []string // packages
			for line := range strings.Lines(stdout) {
				if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
					pkg := "./" + filepath.ToSlash(filepath.Dir(strings.TrimSpace(name)))
					if !slices.Contains(changed, pkg) {
						changed = append(changed, pkg)
					}
				}
			}
			moved, stay := strings.Count(stderr, " becomes a "), strings.Count(stderr, " stays a sync.Pool: ")+strings.Count(stderr, " keeps its sync.Pools: ")
			t.Logf("%s %s: %d moved, %d stay, in %v\n%s", fields[0], fields[1], moved, stay, changed, stderr)
			if len(changed) == 0 {
				return
			}
			before := testResults(t, dir, changed)
			stdout, stderr, code := basin(t, dir, append([]string{"migrate"}, patterns...)...)
			if strings.Count(stdout, " becomes a ") != moved {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			after := testResults(t, dir, changed)
			passed := 0
			var lost []string // functions
			for name, ok := range before {
				if _, test, _ := strings.Cut(name, " "); ok && !after[name] && test != "" {
					test, _, _ = strings.Cut(test, "/")
					lost = append(lost, test)
				}
				if ok {
					passed++
				}
			}
			if len(lost) > 0 { // some tests fail at random, and may end the others
				again := testResults(t, dir, changed, "-run=^("+strings.Join(lost, "|")+")$")
				for name, ok := range before {
					if _, test, _ := strings.Cut(name, " "); ok && !after[name] && test != "" && !again[name] {
						t.Errorf("%s passed before and does not after", name)
					}
				}
			}
			still := 0
			for _, ok := range after {
				if ok {
					still++
				}
			}
			t.Logf("%s: %d of %d tests passed before, %d of %d after", fields[0], passed, len(before), still, len(after))
		})
	}
}

const library = "github.com/basin-go/basin"

// goIn runs the go command and returns its output.
func goIn(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return out
}

// moduleCopy fetches a module and returns a directory that has its files.
func moduleCopy(t *testing.T, module string) string {
	t.Helper()
	var m struct{ Dir string }
	if err := json.Unmarshal(goIn(t, t.TempDir(), "mod", "download", "-json", module), &m); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err := filepath.WalkDir(m.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(m.Dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// address is that of a value in the name of a test.
var address = regexp.MustCompile(`=0x[0-9a-f]+`)

// testResults runs tests and returns which have passed.
func testResults(t *testing.T, dir string, packages []string, flags ...string) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"test", "-short", "-vet=off", "-json", "-timeout=15m"}, flags, packages)...)
	cmd.Dir = dir
	out, _ := cmd.Output() // some may fail
	results := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Package, Test string }
		if d.Decode(&e) != nil {
			break
		}
		if e.Action == "pass" || e.Action == "fail" {
			results[e.Package+" "+address.ReplaceAllString(e.Test, "=0x")] = e.Action == "pass"
		}
	}
	if len(results) == 0 {
		t.Errorf("no test runs\n%.2000s", out)
	}
	return results
}
