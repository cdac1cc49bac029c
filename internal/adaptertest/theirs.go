package adaptertest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

// All has RunTheirs run what takes long, or waits for clocks and networks and so fails now and then
// on a busy machine: go test ./adapters/basingrpc -all.
var All = flag.Bool("all", false, "run all tests of the library that the adapter is for")

// Packages returns the packages of another module whose tests are to run: some always, and
// all if -all says so.
func Packages(some []string, all ...string) []string {
	if *All {
		return append(some, all...)
	}
	return some
}

// RunTheirs runs tests of another module, in the version that the test is built with, from
// a copy into which the given files are written: what puts the adapter into place, one
// file for each package. They are tests of packages of the copied module, so they may
// import what they like of it and of basin. The arguments are those of go test. It skips
// the test by default, as compiling theirs takes long.
func RunTheirs(t *testing.T, module string, files map[string]string, args ...string) {
	t.Helper()
	if !pooltest.Long() {
		t.Skip("the tests of others take long to compile: BASIN_TEST_LONG=1")
	}
	temporary := t.TempDir()
	theirs := filepath.Join(temporary, "theirs")
	if err := os.CopyFS(theirs, os.DirFS(run(t, "list", "-m", "-f", "{{.Dir}}", module))); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(theirs, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(temporary, "go.work")
	writeWork(t, work, theirs)
	args = append([]string{"test", "-count=1"}, args...)
	output, err := try(t, theirs, work, args...)
	if err != nil { // what waits for clocks may fail once on a busy machine
		t.Logf("once more, because of %v\n%s", err, output)
		output, err = try(t, theirs, work, args...)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	t.Log(output)
}

// writeWork writes a go.work for the module in the given folder and those of basin that
// the test is built with.
func writeWork(t *testing.T, work, folder string) {
	t.Helper()
	content := "go 1.25.0\n\nuse " + folder + "\n"
	own := []string{"github.com/basin-go/basin", run(t, "list", ".")}
	for line := range strings.Lines(run(t, append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, own...)...)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		content += "use " + dir + "\nreplace " + path + " v0.1.0 => " + dir + "\n"
	}
	if err := os.WriteFile(work, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run returns what the go command prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := try(t, ".", os.Getenv("GOWORK"), args...)
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, output)
	}
	return output
}

// try is run in a folder with a go.work.
func try(t *testing.T, folder, work string, args ...string) (string, error) {
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK="+work)
	output, err := c.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}
