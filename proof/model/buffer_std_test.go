//go:build go1.25

package model_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestBufferPassesTheTestsOfBytesBuffer runs the standard library's tests of bytes.Buffer on
// basin.Buffer. The tests are those of the installed GOROOT. They import package bytes with a
// dot; names that basin has are replaced by basin's.
func TestBufferPassesTheTestsOfBytesBuffer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command:", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "bytes", "buffer_test.go")
	if _, err := os.Stat(source); err != nil {
		t.Skip("no sources of the standard library:", err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, source, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}

	// An exported name that the file does not declare comes from package bytes.
	ours := map[string]bool{"Buffer": true, "NewBuffer": true, "NewBufferString": true}
	pointed := 0
	for _, name := range file.Unresolved {
		switch {
		case ours[name.Name]:
			name.Name = "basin." + name.Name
			pointed++
		case ast.IsExported(name.Name):
			name.Name = "std." + name.Name
		}
	}
	if pointed < 30 {
		t.Fatalf("%s names basin's identifiers only %d times", source, pointed)
	}
	for _, spec := range file.Imports {
		switch path, _ := strconv.Unquote(spec.Path.Value); path {
		case "bytes":
			spec.Name = ast.NewIdent("std")
		case "internal/testenv": // cannot be imported
			spec.Path.Value = `"bufferstd/testenv"`
		}
	}
	var code bytes.Buffer
	if err := format.Node(&code, fset, file); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(code.String(), "import (", "import (\n\t\"github.com/basin-go/basin\"", 1)

	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module bufferstd\n\ngo 1.25\n\nrequire github.com/basin-go/basin v0.0.0\n\n" +
			"replace github.com/basin-go/basin => " + strconv.Quote(filepath.ToSlash(here)) + "\n",
		"buffer_test.go": text,
		"testenv/testenv.go": "package testenv\n\nimport \"testing\"\n\n" +
			"func SkipIfOptimizationOff(t testing.TB) {}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tags := ""
	if !pin.Available {
		tags = "basin_portable"
	}
	cmd := exec.Command("go", "test", "-v", "-vet=off", "-tags", tags, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("--- PASS")); n < 25 {
		t.Fatalf("only %d tests passed:\n%s", n, out)
	}
}
