package programs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/vet"
)

// asMain in the environment makes the test program be basin, as its children are.
const asMain = "BASIN_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) == "" {
		os.Setenv(asMain, "1")
		os.Exit(m.Run())
	}
	if args := os.Args[1:]; len(args) > 0 && args[0] == "migrate" {
		os.Exit(vet.Migrate(context.Background(), args[1:]))
	} else {
		os.Exit(vet.Main(context.Background(), args))
	}
}

// basin runs basin migrate in a directory, or basin vet.
func basin(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func needGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no go command")
	}
}

// tree returns the root of this repository.
func tree(t *testing.T) string {
	t.Helper()
	testenv.API()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// module writes a module of these files that requires the basin of this tree, and returns its
// directory. The go command then ignores the workspace.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	files["go.mod"] = "module cli\n\ngo 1.25.0\n\nrequire " + library + " v0.1.0\n\nreplace " + library + " => " + tree(t) + "\n"
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
