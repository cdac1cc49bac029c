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
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pin"
)

// TestBufferPassesTheTestsOfBytesBuffer runs the standard library's tests of bytes.Buffer on
// basin.Buffer.
func TestBufferPassesTheTestsOfBytesBuffer(t *testing.T) {
	runTests{
		std:     "bytes",
		file:    "buffer_test.go",
		ours:    "github.com/basin-go/basin",
		names:   []string{"Buffer", "NewBuffer"},
		uses:    26,
		helpers: "import \"github.com/basin-go/basin\"\n\nvar NewBufferString = func(s string) *basin.Buffer { return basin.NewBuffer([]byte(s)) }\n",
		fakes:   map[string]string{"internal/testenv": "import \"testing\"\n\nfunc SkipIfOptimizationOff(t testing.TB) {}\n"},
		atLeast: 25,
	}.run(t)
}

// TestBasinioPassesTheTestsOfBufio runs the standard library's tests of bufio.Reader and
// bufio.Writer on those of basinio.
func TestBasinioPassesTheTestsOfBufio(t *testing.T) {
	runTests{
		std:     "bufio",
		file:    "bufio_test.go",
		ours:    "github.com/basin-go/basin/basinio",
		names:   []string{"Reader", "NewReader", "NewReaderSize", "Writer", "NewWriter", "NewWriterSize"},
		uses:    90,
		fakes:   map[string]string{"internal/asan": "const Enabled = false\n"},
		helpers: "const DefaultBufSize = 4096\n",
		atLeast: 55,
	}.run(t)
}

// TestBasinioBelowPackages runs packages of the standard library that read and write with package
// bufio on basinio, and their tests, some of which are over connections.
func TestBasinioBelowPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	files := map[string]string{"bufio/bufio.go": `package bufio

import (
	std "bufio"

	"github.com/basin-go/basin/basinio"
)

type (
	Reader = basinio.Reader
	Writer = basinio.Writer

	ReadWriter struct {
		*Reader
		*Writer
	}
)

func NewReadWriter(r *Reader, w *Writer) *ReadWriter { return &ReadWriter{r, w} }

var (
	NewReader     = basinio.NewReader
	NewReaderSize = basinio.NewReaderSize
	NewWriter     = basinio.NewWriter
	NewWriterSize = basinio.NewWriterSize
	NewScanner    = std.NewScanner
	ErrBufferFull = std.ErrBufferFull
)
`}
	uses := 0
	for p, some := range map[string]string{
		"net/textproto": "*.go", "net/rpc": "*.go", "net/http/internal": "*.go", "net/smtp": "*.go",
		"mime/quotedprintable": "*.go", "bufio": "net_test.go", // which Go 1.25 does not have
	} {
		names, _ := filepath.Glob(filepath.Join(source(t, p), some))
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(content)
			if strings.Contains(text, "http.ReadResponse(bufio.") { // needs a bufio.Reader
				files[p+"/"+filepath.Base(name)] = text
				continue
			}
			uses += strings.Count(text, "\"bufio\"")
			for from, to := range map[string]string{"bufio": "bufio", "net/textproto": "net/textproto", "internal/testenv": "testenv"} {
				text = strings.ReplaceAll(text, "\""+from+"\"", "\"stdtests/"+to+"\"")
			}
			files[p+"/"+filepath.Base(name)] = text
		}
	}
	files["testenv/testenv.go"] = "package testenv\n\nimport \"testing\"\n\nfunc SkipFlaky(t testing.TB, issue int) { t.Skip(issue) }\n"
	if uses < 10 {
		t.Fatalf("only %d files import bufio", uses)
	}
	if n := test(t, files); n < 80 {
		t.Fatalf("only %d tests passed", n)
	}
}

// A runTests runs a test file of the standard library on types of ours. The tests are those of the
// installed GOROOT. They import package std with a dot; names that we have are replaced by ours.
type runTests struct {
	std, file string
	ours      string            // our package
	names     []string          // that it has
	uses      int               // least number of uses of these names
	fakes     map[string]string // internal packages that cannot be imported, and their declarations
	helpers   string            // declarations in the place of those of export_test.go
	atLeast   int               // number of tests that pass
}

// source returns the place of a file or folder of the standard library.
func source(t *testing.T, name string) string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command:", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip("no sources of the standard library:", err)
	}
	return path
}

func (r runTests) run(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	source := source(t, r.std+"/"+r.file)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, source, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}

	// An exported name that neither the file nor helpers declare comes from package std.
	used := 0
	for _, name := range file.Unresolved {
		switch {
		case slices.Contains(r.names, name.Name):
			name.Name = path.Base(r.ours) + "." + name.Name
			used++
		case strings.Contains(r.helpers, " "+name.Name+" "):
		case ast.IsExported(name.Name):
			name.Name = "std." + name.Name
		}
	}
	if used < r.uses {
		t.Fatalf("%s has only %d uses of our names", source, used)
	}
	files := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if imported == r.std {
			spec.Name = ast.NewIdent("std")
		}
		if fake, ok := r.fakes[imported]; ok {
			name := path.Base(imported)
			spec.Path.Value = strconv.Quote("stdtests/" + name)
			files[name+"/"+name+".go"] = "package " + name + "\n\n" + fake
		}
	}
	var code bytes.Buffer
	if err := format.Node(&code, fset, file); err != nil {
		t.Fatal(err)
	}
	files[r.file] = strings.Replace(code.String(), "import (", "import (\n\t"+strconv.Quote(r.ours), 1)
	if r.helpers != "" {
		files["helpers_test.go"] = "package " + file.Name.Name + "\n\n" + r.helpers
	}

	if n := test(t, files); n < r.atLeast {
		t.Fatalf("only %d tests passed", n)
	}
}

// test runs the tests of a module with these files, whose path is stdtests. It returns the number of
// those that passed.
func test(t *testing.T, files map[string]string) int {
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files["go.mod"] = "module stdtests\n\ngo 1.25\n\nrequire github.com/basin-go/basin v0.0.0\n\n" +
		"replace github.com/basin-go/basin => " + strconv.Quote(filepath.ToSlash(here)) + "\n"
	dir := t.TempDir()
	for name, content := range files {
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
	cmd := exec.Command("go", "test", "-v", "-vet=off", "-tags", tags, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bytes.Count(out, []byte("--- PASS"))
}
