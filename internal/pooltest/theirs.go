//go:build go1.25

package pooltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// TheirPackages returns the packages of another module whose tests should run: some, and with
// BASIN_TEST_ALL=1 all as well. Tests of the latter take long, or they depend on clocks and networks
// and sometimes fail on a busy machine.
func TheirPackages(t *testing.T, some []string, all ...string) []string {
	if testenv.Bool(t, "BASIN_TEST_ALL") {
		return append(some, all...)
	}
	return some
}

// RunTheirs runs tests of another module, in the version that the test is built with. It runs them
// in a copy of the module, after writing files into it, one for each package, that install the
// adapter. These files belong to packages of the module, so they may import any of its packages and
// basin. args are arguments of go test. By default RunTheirs skips the test, because compiling the
// module takes long.
func RunTheirs(t *testing.T, module string, files map[string]string, args ...string) {
	t.Helper()
	if !Long() {
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
	if err != nil { // tests that depend on clocks may fail once on a busy machine
		t.Logf("once more, because of %v\n%s", err, output)
		output, err = try(t, theirs, work, args...)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	t.Log(output)
}

// writeWork writes a go.work for the module in the given folder and for the modules of basin that
// the test is built with.
func writeWork(t *testing.T, work, folder string) {
	t.Helper()
	version, _, _ := strings.Cut(strings.TrimPrefix(run(t, "env", "GOVERSION"), "go"), " ")
	content := "go " + version + "\n\nuse " + folder + "\n" // no module may require a later version
	own := []string{"github.com/basin-go/basin", run(t, "list", ".")}
	for line := range strings.Lines(run(t, append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, own...)...)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		content += "use " + dir + "\nreplace " + path + " v0.1.0 => " + dir + "\n"
	}
	if err := os.WriteFile(work, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run returns the output of the go command.
func run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := try(t, ".", os.Getenv("GOWORK"), args...)
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, output)
	}
	return output
}

// try is run in a given folder with a given go.work. It returns the error of the command.
func try(t *testing.T, folder, work string, args ...string) (string, error) {
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK="+work)
	output, err := c.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}
