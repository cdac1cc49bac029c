package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// fakeLab replaces the lab's program. Its arguments select its behaviour.
const fakeLab = `package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	switch os.Args[2] {
	case "echo":
		in, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%q %s", os.Args[1:], in)
		fmt.Fprint(os.Stderr, "on standard error")
	case "exit":
		status, _ := strconv.Atoi(os.Args[3])
		os.Exit(status)
	case "wait":
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt, syscall.SIGTERM)
		fmt.Println(os.Getpid())
		fmt.Println(<-c)
		os.Exit(42)
	case "leash":
		fd, _ := strconv.Atoi(os.Getenv("BASIN_LAB_LEASH"))
		fmt.Println("here")
		if fd <= 2 {
			os.Exit(1)
		}
		n, err := os.NewFile(uintptr(fd), "leash").Read(make([]byte, 1))
		fmt.Println(n, err)
	case "panic":
		panic("oh no")
	}
}
`

// repository makes a directory like the project's repository, and returns it.
func repository(t *testing.T, module, program string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "lab", "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": "module " + module + "\n\ngo 1.25\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(root, "lab", name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// inRepository returns the command, to run in dir.
func inRepository(t *testing.T, dir string, args ...string) (*exec.Cmd, func() (stdout, stderr string, status int)) {
	c, stdout, stderr := command(t, args...)
	c.Dir = dir
	c.Env = append(c.Env, "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	return c, func() (string, string, int) {
		c.Run()
		return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
	}
}

func TestLab(t *testing.T) {
	root := repository(t, labModule, fakeLab)
	broken := repository(t, labModule, "package main\n\nfunc main() { what }\n")
	other := repository(t, "example.org/lab", fakeLab)
	for _, tt := range []struct {
		name, dir, args, stdin string
		stdout, stderr         string // contained in the output; "" means no output
		status                 int
	}{
		{"input, output and arguments", root, "bench echo -json --x=y -h", "what is said", `["bench" "echo" "-json" "--x=y" "-h"] what is said`, "on standard error", 0},
		{"the other command", root, "demo echo", "", `["demo" "echo"] `, "on standard error", 0},
		{"below the repository's root", filepath.Join(root, "lab", "below"), "demo echo", "", `["demo" "echo"] `, "on standard error", 0},
		{"exit status", root, "bench exit 3", "", "", "", 3},
		{"a usage error's", root, "bench exit 2", "", "", "", exitUsage},
		{"interrupted", root, "bench exit 130", "", "", "", exitInterrupted},
		{"a panic", root, "bench panic", "", "", "panic: oh no", 2},
		{"does not build", broken, "demo exit 0", "", "", "basin: building the lab in " + filepath.Join(broken, "lab"), exitFailure},
		{"outside of the repository", t.TempDir(), "bench echo", "", "", "basin: bench is a part of the project's laboratory, which is not installed with basin: run it in a clone of https://github.com/basin-go/basin\n", exitFailure},
		{"in another repository with a lab", other, "demo echo", "", "", "basin: demo is a part of the project's laboratory", exitFailure},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, run := inRepository(t, tt.dir, strings.Fields(tt.args)...)
			c.Stdin = strings.NewReader(tt.stdin)
			stdout, stderr, status := run()
			if status != tt.status {
				t.Errorf("exit status %d, want %d", status, tt.status)
			}
			if stdout != tt.stdout {
				t.Errorf("standard output is %q, want %q", stdout, tt.stdout)
			}
			if !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
				t.Errorf("standard error is %q, want %q in it", stderr, tt.stderr)
			}
		})
	}
	t.Run("no go command", func(t *testing.T) {
		c, run := inRepository(t, root, "bench", "echo")
		c.Env = append(c.Env, "PATH=")
		if _, stderr, status := run(); status != exitFailure || !strings.Contains(stderr, `"go"`) {
			t.Errorf("exit status %d, standard error %q", status, stderr)
		}
	})
}

// TestRealLab makes the lab of this repository report wrong usage.
func TestRealLab(t *testing.T) {
	testenv.Tree()
	if testing.Short() {
		t.Skip("it builds the lab")
	}
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"bench -subjects nobody", exitUsage, "basin: unknown subject \"nobody\"; there are: basin, "},
		{"demo -duration 0s", exitUsage, "basin: -duration must be more than zero"},
	} {
		c, stdout, stderr := command(t, strings.Fields(tt.args)...)
		c.Run()
		if got := c.ProcessState.ExitCode(); got != tt.status || !strings.HasPrefix(stderr.String(), tt.want) || stdout.Len() > 0 {
			t.Errorf("%s: exit status %d, %s%s", tt.args, got, stdout, stderr)
		}
	}
}

// TestDependencies checks that an installed command does not depend on the libraries that basin
// is compared with.
func TestDependencies(t *testing.T) {
	testenv.Tree()
	packages, err := exec.Command("go", "list", "-deps", "-test", library+"/cmd/...").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	modules, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(packages), library+"/cmd/internal/top\n") {
		t.Fatalf("go list says %s", packages)
	}
	for _, bad := range []string{"gonum.org", "google.golang.org", "go.uber.org/zap", "valyala/bytebufferpool", "oxtoacart/bpool", "golang.org/x/perf", "hdrhistogram", "progressbar", labModule} {
		if strings.Contains(string(packages), bad) {
			t.Errorf("the command depends on %s", bad)
		}
		if strings.Contains(string(modules), bad) {
			t.Errorf("the command's go.mod has %s", bad)
		}
	}
}
