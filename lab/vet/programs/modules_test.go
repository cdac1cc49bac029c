package programs

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestModules migrates real modules, those of testdata/modules.txt, with -check: tests must do the same before and after. Then it
// runs the benchmarks of the packages that changed, or else their tests, which must not take more memory than before. It fetches
// the modules, and takes long.
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
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
				goIn(t, dir, "mod", "init", fields[0])
			}
			goIn(t, dir, "mod", "edit", "-require="+library+"@v0.1.0", "-replace="+library+"="+tree(t))
			patterns := fields[2:]
			if len(patterns) == 0 {
				patterns = []string{"./..."}
			}
			diff, _, _ := basin(t, dir, append([]string{"migrate", "-diff"}, patterns...)...)
			before := map[string]string{} // programs of tests, by package
			for line := range strings.Lines(diff) {
				if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
					pkg := "./" + path.Dir(strings.TrimSpace(name))
					if pkg == "./." {
						pkg = "."
					}
					if before[pkg] == "" {
						before[pkg] = testProgram(t, dir, pkg)
					}
				}
			}
			stdout, stderr, code := basin(t, dir, append([]string{"migrate", "-check", "-short"}, patterns...)...)
			moved, stay := strings.Count(stdout, " becomes a "), strings.Count(stdout, " stays a sync.Pool: ")+strings.Count(stdout, " keeps its sync.Pools: ")
			t.Logf("%s %s: exit code %d, %d moved, %d stay\n%s%s", fields[0], fields[1], code, moved, stay, stdout, stderr)
			if moved+stay == 0 {
				t.Error("nothing is said of a pool")
			}
			for pkg, program := range before {
				if program == "" || differing(stdout, pkg) {
					continue // it has no tests, or it is not changed
				}
				now := testProgram(t, dir, pkg)
				was, is := 0, 0
				for range 3 { // each may be larger at random
					was = max(was, peak(t, program, filepath.Join(dir, pkg)))
					if is = peak(t, now, filepath.Join(dir, pkg)); is <= was+was/10+1 {
						break
					}
				}
				t.Logf("| %s | %s | %d MiB | %d MiB |", fields[0], pkg, was, is)
				if is > was+was/10+1 {
					t.Errorf("the heap of %s is up to %d MiB, and was %d MiB", pkg, is, was)
				}
			}
		})
	}
}

// differing reports whether the table of migrate -check has a package that is not changed.
func differing(table, pkg string) bool {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+pkg+" ") && strings.Contains(line, "| different ") {
			return true
		}
	}
	return false
}

// testProgram compiles the tests of a package, and returns the name of the program, or nothing if there are none.
func testProgram(t *testing.T, dir, pkg string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.test")
	goIn(t, dir, "test", "-c", "-vet=off", "-o", name, pkg)
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

// traced has the sizes of the heap when a collection began and ended.
var traced = regexp.MustCompile(`(?m)^gc \d+ @.*, (\d+)->(\d+)->\d+ MB`)

// peak runs the benchmarks of a package, or its tests if it has none, and returns the largest heap at the end of a collection,
// in MiB. The first collection is at 4 MiB.
func peak(t *testing.T, program, dir string) int {
	t.Helper()
	list, _ := exec.Command(program, "-test.list=^Benchmark").Output()
	args := []string{"-test.run=^$", "-test.bench=.", "-test.benchtime=20x"}
	if !strings.HasPrefix(string(list), "Benchmark") {
		args = []string{"-test.run=."}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, "-test.short")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GODEBUG=gctrace=1")
	out, _ := cmd.CombinedOutput() // some may fail
	most := 4
	for _, m := range traced.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(m[2]))
		most = max(most, n)
	}
	return most
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
