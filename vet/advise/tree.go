package advise

import (
	"bytes"
	"context"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/modfile"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A tree has all files below the folder of a module that may call its functions, whether a build has them or not.
type tree struct {
	files   map[string]*treeFile
	modules []string // the import paths of other modules in it or in its workspace, which are empty if they are not readable
	unknown bool     // whether there may be other files, behind a link to a folder
}

// A treeFile is a file in Go or in assembly.
type treeFile struct {
	text, directives []byte // the latter give functions other names
	paths            []string
	parsed, broken   bool
}

// readTree reads the tree of a module.
func readTree(ctx context.Context, root string) *tree {
	t := &tree{files: map[string]*treeFile{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // the latter on Windows
			if to, err := os.Stat(name); err == nil && to.IsDir() {
				t.unknown = true
				return fs.SkipAll
			}
		}
		return t.add(root, name, d)
	})
	t.unknown = t.unknown || err != nil
	t.addWorkspace(ctx, root)
	return t
}

// add reads a file of the tree.
func (t *tree) add(root, name string, d fs.DirEntry) error {
	module := d.Name() == "go.mod" && filepath.Dir(name) != root
	if d.IsDir() || !module && !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") {
		return nil
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // behind a link
		return nil
	case err != nil:
		return err
	case module:
		t.modules = append(t.modules, modfile.ModulePath(text))
		return nil
	}
	f := &treeFile{text: text}
	for line := range bytes.Lines(text) {
		if slices.ContainsFunc(exporting, func(directive []byte) bool { return bytes.Contains(line, directive) }) {
			f.directives = append(f.directives, line...)
		}
	}
	t.files[name] = f
	return nil
}

// exporting are the directives by which code calls a function that cannot name it, or that is in another language.
var exporting = [][]byte{[]byte("//go:linkname"), []byte("//export"), []byte("//go:wasmexport")}

// addWorkspace adds the modules of the workspace that the go command of a module finds, or finds if GOWORK is not "off".
func (t *tree) addWorkspace(ctx context.Context, root string) {
	var works []string
	cmd := rewrite.Command(ctx, "go", "env", "GOWORK")
	cmd.Dir = root
	out, err := cmd.Output()
	if name := strings.TrimSpace(string(out)); err == nil && name != "off" && name != "" {
		works = append(works, name)
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		works = append(works, filepath.Join(dir, "go.work"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, name := range works {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		work, err := modfile.ParseWork(name, text, nil)
		if err != nil {
			t.modules = append(t.modules, "")
			continue
		}
		for _, use := range work.Use {
			dir := filepath.FromSlash(use.Path)
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.Dir(name), dir)
			}
			if absolute(dir) != root {
				text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
				t.modules = append(t.modules, modfile.ModulePath(text))
			}
		}
	}
}

// imports reports whether a file may import a package of any module that has this path in its module.
func (f *treeFile) imports(path string) bool {
	if !f.parsed {
		f.parsed = true
		file, err := parser.ParseFile(token.NewFileSet(), "", f.text, parser.ImportsOnly)
		if f.broken = err != nil; !f.broken {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				f.paths = append(f.paths, imported)
			}
		}
	}
	return f.broken || slices.ContainsFunc(f.paths, func(p string) bool { return p == path || strings.HasSuffix(p, "/"+path) })
}

// hasWord reports whether a text has an identifier.
func hasWord(text []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRune(text[:at+i])
		at += i + len(word)
		after, _ := utf8.DecodeRune(text[at:])
		if !isOfWord(before) && !isOfWord(after) {
			return true
		}
	}
}

func isOfWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
