package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/basin-go/basin/internal/pooltest"
)

// TestMigrateHostile runs unusual programs before and after basin migrate, which a careless tool would break. Unlike
// those of TestMigrateKeeps, each has packages and files of its own.
func TestMigrateHostile(t *testing.T) {
	needGo(t)
	if !pooltest.Long() {
		t.Skip("compiles and runs many programs twice")
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "hostile.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	var programs []string
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
		if name, ok := strings.CutSuffix(f.Name, "/main.go"); ok {
			programs = append(programs, name)
		}
	}
	dir := module(t, files)
	before := runPrograms(t, dir, programs)
	stdout, stderr, code := basin(t, dir, "migrate", "./...")
	if code != 1 || stderr != "" {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	after := runPrograms(t, dir, programs)
	for _, name := range programs {
		said := ""
		for line := range strings.Lines(stdout) {
			if strings.HasPrefix(filepath.ToSlash(line), name+"/") {
				said += line
			}
		}
		if after[name] != before[name] {
			t.Errorf("%s prints\n%s\nand printed before\n%s\n%s", name, after[name], before[name], said)
		}
		if said == "" {
			t.Errorf("nothing is said of %s", name)
		}
		for line := range strings.Lines(files[name+"/main.go"]) {
			if want, ok := strings.CutPrefix(line, "// says: "); ok && !strings.Contains(said, strings.TrimSpace(want)) {
				t.Errorf("of %s is said\n%swant %s", name, said, want)
			}
		}
	}
}

// runPrograms builds the programs of a module, and returns the output of each.
func runPrograms(t *testing.T, dir string, programs []string) map[string]string {
	t.Helper()
	bin := t.TempDir()
	args := []string{"build", "-o", bin + string(filepath.Separator)}
	for _, name := range programs {
		args = append(args, "./"+name)
	}
	build := exec.Command("go", args...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.5000s", err, out)
	}
	printed := map[string]string{}
	exes, err := filepath.Glob(filepath.Join(bin, "*"))
	if err != nil || len(exes) != len(programs) {
		t.Fatalf("%d programs for %d, error %v", len(exes), len(programs), err)
	}
	for _, exe := range exes {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off") // a sync.Pool hands out the item put last
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		name := strings.TrimSuffix(filepath.Base(exe), ".exe")
		printed[name] = string(out)
	}
	return printed
}
