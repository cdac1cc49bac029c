//go:build go1.25

package callsite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// TestBuilds builds a program in each way that names files and packages differently, and expects its
// own lines, whatever its module is called.
func TestBuilds(t *testing.T) {
	testenv.Tree()
	if testing.Short() {
		t.Skip("builds several programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		module string
		flags  string
		run    string // of the go command
	}{
		{"c", "-trimpath", "run ."},
		{"c", "-trimpath", "run main.go"}, // whose package is command-line-arguments
		{"app/x", "-trimpath", "test -v ."},
		{"app/x", "-trimpath", "test -v ./outside"},
		{"app/x", "", "test -v ."},
		{"app/x", "-trimpath -mod=vendor", "run ."},
		{"log/x", "-trimpath", "run ."}, // begins as a folder of the library
		{"example.org/ingest", "-mod=vendor", "run ."},
		{"example.org/ingest", "-trimpath", "run ."},
	} {
		t.Run(strings.Join([]string{tt.module, tt.flags, tt.run}, " "), func(t *testing.T) {
			dir := t.TempDir()
			want := program(t, dir, tt.module)
			command := func(args ...string) string {
				cmd := exec.Command("go", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+tt.flags, "GOPROXY=off", "BASIN_CHECK=")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("go %v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			if strings.Contains(tt.flags, "vendor") {
				flags := tt.flags
				tt.flags = ""
				command("mod", "vendor")
				tt.flags = flags
			}
			var got []string
			for _, m := range regexp.MustCompile(`(?m)^at (\S+) `).FindAllStringSubmatch(command(strings.Fields(tt.run)...), -1) {
				got = append(got, m[1])
			}
			got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "stream.go:") }) // of the goroutine
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("lines are %v, want %v", got, want)
			}
		})
	}
}

// program writes a module of the given name to dir. It returns the marked lines.
func program(t *testing.T, dir, module string) (want []string) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	cgo := os.Getenv("CGO_ENABLED") != "0"
	if _, err := exec.LookPath("gcc"); err != nil || runtime.GOOS == "windows" {
		cgo = false
	}
	write := func(name, content string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"run/run", "run/cgo", "run/nocgo", "lib/lib", "dep/dep"} {
		if name == "run/cgo" && !cgo || name == "run/nocgo" && cgo {
			continue
		}
		b, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		content := strings.ReplaceAll(string(b), "MODULE", module)
		write(name+".go", content)
		for i, line := range strings.Split(content, "\n") {
			if strings.HasSuffix(line, "// want") {
				want = append(want, fmt.Sprintf("%s.go:%d", name[strings.Index(name, "/")+1:], i+1))
			}
		}
	}
	write("dep/go.mod", "module dep\n\ngo 1.25\n")
	write("go.mod", fmt.Sprintf("module %s\n\ngo 1.25\n\nrequire (\n\tdep v0.0.0\n\tgithub.com/basin-go/basin v0.1.0\n)\n\nreplace dep => ./dep\n\nreplace github.com/basin-go/basin => %s\n", module, root))
	write("main.go", fmt.Sprintf("package main\n\nimport %q\n\nfunc main() { run.Run() }\n", module+"/run"))
	test := "package %s\n\nimport (\n\t\"testing\"\n\n\t%q\n)\n\nfunc Test(t *testing.T) { run.Run() }\n"
	write("main_test.go", fmt.Sprintf(test, "main", module+"/run"))
	write("outside/outside.go", "package outside\n")
	write("outside/outside_test.go", fmt.Sprintf(test, "outside_test", module+"/run"))
	slices.Sort(want)
	return want
}

// TestNames has names of functions in builds with -trimpath, also of those that no module contains.
func TestNames(t *testing.T) {
	b := describe("path/path.go", func() (*debug.BuildInfo, bool) {
		return &debug.BuildInfo{Main: debug.Module{Path: "log/x"}, Deps: []*debug.Module{{Path: "text"}}}, true
	})
	other := describe("path/path.go", func() (*debug.BuildInfo, bool) { return &debug.BuildInfo{Path: "net/y.test"}, true })
	for name, want := range map[string]bool{
		"fmt.Fprintf":                          true,
		"slices.SortFunc[...]":                 true,
		"encoding/json.(*Encoder).Encode":      true,
		"vendor/golang.org/x/net/idna.ToASCII": true,
		"log/slog.Info":                        true,
		"log/xy.F":                             true,
		"main.main":                            false,
		"main.F[log/slog.Logger]":              false,
		"c.F":                                  false,
		"log/x.F":                              false,
		"log/x_test.F":                         false,
		"log/x/y.(*T).F.func1":                 false,
		"text/template.F":                      false, // a module takes the place of the library
		"example.org/fmt.F":                    false,
		"gopkg.in/yaml%2ev3.F":                 false,
		"":                                     false,
	} {
		if got := b.byName(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	if other.byName("net/y.F") || other.byName("net/y_test.F") || !other.byName("net/http.F") {
		t.Error("the package of a test is not told from the library")
	}
	if none := describe("path/path.go", func() (*debug.BuildInfo, bool) { return nil, false }); !none.byName("fmt.F") || none.byName("c.F") {
		t.Error("without build information")
	}
	if b := describe("C:/Go/src/path/path.go", nil); b.root != "C:/Go/src/" ||
		!b.standard(runtime.Frame{Function: "fmt.F", File: "C:/Go/src/fmt/print.go"}) ||
		b.standard(runtime.Frame{Function: "fmt.F", File: "C:/Go/srcs/fmt/print.go"}) {
		t.Errorf("root is %q", b.root)
	}
}

func TestDeclaring(t *testing.T) {
	for name, want := range map[string]string{
		"":                               "",
		"main.main":                      "main.main",
		"main.main.func1":                "main.main",
		"main.main.func12.3.4":           "main.main",
		"main.f.gowrap1":                 "main.f",
		"main.f.func2.deferwrap1":        "main.f",
		"main.(*T).m.func1":              "main.(*T).m",
		"main.T.m-fm":                    "main.T.m-fm",
		"a.b/c.func":                     "a.b/c.func",
		"a.b/c.function1":                "a.b/c.function1",
		"main.f2":                        "main.f2",
		"main.F[...].func1":              "main.F[...]",
		"main.init.0":                    "main.init",
		"main.init.0.func1":              "main.init",
		"example.com/a/v2.Get":           "example.com/a/v2.Get",
		"example.com/a.Range-range1":     "example.com/a.Range-range1",
		"example.com/a.f.func1-range2.1": "example.com/a.f.func1-range2",
		"17":                             "17",
	} {
		if got := Declaring(name); got != want {
			t.Errorf("Declaring(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestOurs has names of functions of basin and of others.
func TestOurs(t *testing.T) {
	for _, tt := range []struct {
		function, file string
		want           bool
	}{
		{"github.com/basin-go/basin.Get", "basin.go", true},
		{"github.com/basin-go/basin.(*Pool[...]).Get", "pool.go", true},
		{"github.com/basin-go/basin/internal/check.Object[...]", "object.go", true},
		{"github.com/basin-go/basin/adapters/basinarrow.(*Allocator).Allocate", "basinarrow.go", true},
		{"c/vendor/github.com/basin-go/basin.Get", "basin.go", true},
		{"github.com/basin-go/basin.TestGet", "basin_test.go", false},
		{"github.com/basin-go/basin_test.TestGet", "basin_test.go", false},
		{"github.com/basin-go/basinx.Get", "basin.go", false},
		{"main.main", "basin.go", false},
	} {
		if got := Ours(runtime.Frame{Function: tt.function, File: tt.file}); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.function, got, tt.want)
		}
	}
}

// TestFolders compares the folders with those of the installation.
func TestFolders(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	entries, err := os.ReadDir(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		t.Skip(err)
	}
	for _, e := range entries {
		if n := e.Name(); e.IsDir() && n != "cmd" && n != "testdata" && !folders[n] {
			t.Errorf("%s is no folder of the standard library, but the installation has it", n)
		}
	}
}

// TestNoProgram has stacks without a line of the program.
func TestNoProgram(t *testing.T) {
	if f := Of(nil); f.PC != 0 || Frames(nil) != nil {
		t.Errorf("an empty stack is at %v", f)
	}
	stacks := make(chan []uintptr, 1)
	(&stack{stacks}).begin()
	if f := Of(<-stacks); f.Function != "go strings.(*Replacer).WriteString" {
		t.Errorf("a goroutine of the library is at %s", f.Function)
	}
	if f := Of([]uintptr{^uintptr(0)}); f != (runtime.Frame{}) {
		t.Errorf("a stack that names no function is at %v", f)
	}
}

// A stack sends the library's part of a call stack.
type stack struct{ to chan []uintptr }

func (s *stack) begin() { go strings.NewReplacer("a", "b").WriteString(s, "x") }

func (s *stack) Write(b []byte) (int, error) {
	var pcs [32]uintptr
	s.to <- slices.Clone(pcs[:runtime.Callers(2, pcs[:])])
	return len(b), nil
}
