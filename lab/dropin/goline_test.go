package dropin

import (
	"fmt"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestGoLine has programs of an older Go use the modules in compat. Their go line must stay,
// even after go mod tidy or go get, and so must the meaning of their loops: until Go 1.21, all
// iterations share one variable.
func TestGoLine(t *testing.T) {
	testenv.Tree()
	if !pooltest.Long() {
		t.Skip("compiles modules")
	}
	const path = "github.com/valyala/bytebufferpool"
	for _, c := range []struct{ line, want string }{
		{"1.16", "3 3 3"},
		{"1.21.0", "3 3 3"},
		{"1.24.0", "0 1 2"},
	} {
		t.Run(c.line, func(t *testing.T) {
			folder := t.TempDir()
			user{
				goLine:  c.line,
				replace: map[string]string{path: compatOf(t, path)},
				require: []string{path + " v1.0.0"},
				like:    module{GoMod: os.DevNull},
			}.write(t, folder)
			if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(`package main

import (
	"fmt"

	"github.com/valyala/bytebufferpool"
)

func main() {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	var all []*int
	for i := 0; i < 3; i++ {
		all = append(all, &i)
	}
	fmt.Fprint(b, *all[0], *all[1], *all[2])
	fmt.Println(b.String())
}
`), 0o666); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) string {
				command := exec.Command("go", args...)
				command.Dir = folder
				command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
				output, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("go %v: %v\n%s", args, err, output)
				}
				return strings.TrimSpace(string(output))
			}
			for _, args := range [][]string{{"mod", "tidy"}, {"get", path + "@v1.0.0"}, {"mod", "vendor"}} {
				run(args...)
				mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
				if err != nil {
					t.Fatal(err)
				}
				if line := regexp.MustCompile(`(?m)^(go|toolchain) .*`).FindAllString(string(mod), -1); len(line) != 1 || line[0] != "go "+c.line {
					t.Errorf("after go %v, go.mod has %q, want go %s", args, line, c.line)
				}
			}
			if got := run("run", "."); got != c.want {
				t.Errorf("the program prints %q, want %q", got, c.want)
			}
		})
	}
}

// TestClone follows the recipe of docs/dropin.md for a clone, with each module: two replacements, and nothing
// else from anywhere.
func TestClone(t *testing.T) {
	testenv.Tree()
	if !pooltest.Long() {
		t.Skip("compiles modules")
	}
	modules, err := filepath.Glob("../../compat/*/go.mod")
	if err != nil || len(modules) == 0 {
		t.Fatal("no modules", err)
	}
	for _, m := range modules {
		compat, err := filepath.Abs(filepath.Dir(m))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(compat), func(t *testing.T) {
			var path string // of the original, in the package comment
			imports := map[string]bool{}
			err := filepath.WalkDir(compat, func(file string, _ os.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
					return err
				}
				source, err := os.ReadFile(file)
				if found := regexp.MustCompile(`go mod edit -replace (\S+?)=`).FindSubmatch(source); found != nil {
					path = string(found[1])
				}
				inside, _ := filepath.Rel(compat, filepath.Dir(file))
				imports[filepath.ToSlash(inside)] = true
				return err
			})
			if err != nil || path == "" {
				t.Fatal("no recipe in the package comment ", err)
			}
			folder := t.TempDir()
			user{
				replace: map[string]string{path: compat},
				require: []string{path + " v1.0.0"},
				like:    module{GoMod: os.DevNull},
			}.write(t, folder)
			source := "package main\n\nfunc main() {}\n\n"
			for inside := range imports {
				source = strings.Replace(source, "func", fmt.Sprintf("import _ %q\n\nfunc", pathpkg.Join(path, inside)), 1)
			}
			if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", os.DevNull, "."}} {
				command := exec.Command("go", args...)
				command.Dir = folder
				command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
				if output, err := command.CombinedOutput(); err != nil {
					t.Errorf("go %v: %v\n%s", args, err, output)
				}
			}
		})
	}
}
