package dropin

import (
	"os"
	"os/exec"
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
