//go:build go1.25

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A tree has the files of the repository, committed or not, and the imports between its
// packages in all builds: with any build constraints, tags and version of Go.
type tree struct {
	root     string
	files    []string             // slash-separated, sorted
	modules  map[string]string    // directories by module path
	packages map[string]*goFolder // by directory
}

// A goFolder is a directory with Go files.
type goFolder struct {
	imports     []string // directories in the tree that the package imports
	testImports []string // imports of its tests, and of the programs in its testdata
	embedded    []string // patterns of go:embed
}

// readTree reads the tree of the git repository with the given root directory.
func readTree(root string) (*tree, error) {
	c := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	t := &tree{root: root, modules: map[string]string{}, packages: map[string]*goFolder{}}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) { // deleted, but still in the index
			continue
		}
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no regular file, so its contents would be in no sum: remove it, or have git ignore it", name)
		}
		t.files = append(t.files, name)
	}
	slices.Sort(t.files)
	t.files = slices.Compact(t.files)
	for _, name := range t.files {
		if path.Base(name) == "go.mod" && !inTestdata(name) {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return nil, err
			}
			if m := moduleLine.FindSubmatch(text); m != nil {
				t.modules[string(m[1])] = path.Dir(name)
			}
		}
	}
	for _, name := range t.files {
		if strings.HasSuffix(name, ".go") {
			if err := t.readGo(name); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)
	embedLine  = regexp.MustCompile(`(?m)^\s*//go:embed (.*)$`)
)

func inTestdata(name string) bool { return strings.Contains("/"+name, "/testdata/") }

// packageOf returns the directory of the package that a file belongs to. A file in testdata
// belongs to the package whose tests read it.
func packageOf(name string) string {
	if before, _, ok := strings.Cut("./"+name, "/testdata/"); ok {
		return path.Clean(before)
	}
	return path.Dir(name)
}

// readGo adds the imports of a Go file.
func (t *tree) readGo(name string) error {
	dir := packageOf(name)
	p := t.packages[dir]
	if p == nil {
		p = new(goFolder)
		t.packages[dir] = p
	}
	text, err := os.ReadFile(filepath.Join(t.root, name))
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		if inTestdata(name) { // broken on purpose
			return nil
		}
		return err
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if dir, ok := t.dirOf(imported); !ok {
			continue
		} else if inTestdata(name) || strings.HasSuffix(name, "_test.go") {
			p.testImports = append(p.testImports, dir)
		} else {
			p.imports = append(p.imports, dir)
		}
	}
	for _, m := range embedLine.FindAllStringSubmatch(string(text), -1) {
		for pattern := range strings.FieldsSeq(m[1]) {
			p.embedded = append(p.embedded, path.Join(dir, strings.TrimPrefix(strings.Trim(pattern, "`\""), "all:")))
		}
	}
	return nil
}

// dirOf returns the directory of a package in one of the tree's modules.
func (t *tree) dirOf(imported string) (dir string, ok bool) {
	for module := imported; module != "."; module = path.Dir(module) {
		if dir, ok := t.modules[module]; ok {
			return path.Join(dir, strings.TrimPrefix(imported, module)), true
		}
	}
	return "", false
}

// expand returns the directories of the packages that match a pattern, in any module: ./dir, or
// ./dir/... with its subdirectories.
func (t *tree) expand(pattern string) ([]string, error) {
	dir, all := strings.CutSuffix(pattern, "/...")
	dir = path.Clean(dir)
	var found []string
	for d := range t.packages {
		if d == dir || all && (dir == "." || strings.HasPrefix(d, dir+"/")) {
			found = append(found, d)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no package is in %s: change proof/prove/proofs.go", pattern)
	}
	return found, nil
}

// dependencies returns the files that proof p depends on: its packages with their tests and
// testdata, all packages that these import, directly or not, the files that p lists, and
// forAll.
func (t *tree) dependencies(p proof) ([]string, error) {
	tested, imported := map[string]bool{}, map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if p := t.packages[dir]; p != nil && !imported[dir] {
			imported[dir] = true
			for _, d := range p.imports {
				visit(d)
			}
		}
	}
	for _, pattern := range p.packages {
		dirs, err := t.expand(pattern)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			tested[dir] = true
			visit(dir)
			for _, d := range t.packages[dir].testImports {
				visit(d)
			}
		}
	}
	found := map[string]bool{}
	for _, name := range p.files {
		n := len(found)
		for _, f := range t.files {
			if ok, _ := path.Match(name, f); ok || strings.HasPrefix(f, strings.TrimSuffix(name, "/")+"/") {
				found[f] = true
			}
		}
		if len(found) == n {
			return nil, fmt.Errorf("there is no file %s: change proof/prove/proofs.go", name)
		}
	}
	for _, f := range t.files {
		dir, base := path.Dir(f), path.Base(f)
		switch {
		case inTestdata(f):
			if owner := packageOf(f); tested[owner] {
				found[f] = true
			}
		case base == "go.mod" || base == "go.sum" || base == "go.work" || slices.Contains(forAll, f):
			// Any module of the workspace may raise the version of a dependency. A go.work.sum decides about none, and go
			// commands add lines to it on a machine with an empty cache of modules.
			found[f] = true
		case imported[dir] && compiled[path.Ext(f)] && (tested[dir] || !strings.HasSuffix(f, "_test.go")):
			found[f] = true
		}
	}
	for dir := range imported {
		for _, pattern := range t.packages[dir].embedded {
			for _, f := range t.files {
				if ok, _ := path.Match(pattern, f); ok || strings.HasPrefix(f, pattern+"/") {
					found[f] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

var (
	declaration = regexp.MustCompile(`(?m)^func (\([^)]*\) )?(\w+)`)
	askedLong   = regexp.MustCompile(`(?m)^[^/\n]*(pooltest\.Long\(|Getenv\("BASIN_TEST_LONG"|RunTheirs\()`)
)

// longTests returns a regular expression for -run if p's command uses it. It matches the tests of p's
// packages that have a long form. They call pooltest.Long themselves.
func (t *tree) longTests(p proof) (string, error) {
	if !strings.Contains(p.command, "$long") {
		return "", nil
	}
	var names []string
	for _, pattern := range p.packages {
		dirs, err := t.expand(pattern)
		if err != nil {
			return "", err
		}
		for _, f := range t.files {
			if !strings.HasSuffix(f, "_test.go") || inTestdata(f) || !slices.Contains(dirs, path.Dir(f)) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(t.root, f))
			if err != nil {
				return "", err
			}
			for _, at := range askedLong.FindAllIndex(text, -1) {
				before := declaration.FindAllSubmatch(text[:at[0]], -1)
				name := ""
				if len(before) > 0 {
					name = string(before[len(before)-1][2])
				}
				if !strings.HasPrefix(name, "Test") {
					return "", fmt.Errorf("%s: %q asks for the long form, which only a test may: call pooltest.Long there", f, name)
				}
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$", nil
}

// forAll lists the files that prove itself uses for each proof.
var forAll = []string{"scripts/cached", "scripts/leash", "scripts/need", "scripts/versions"}

// compiled has the extensions of files that the go command compiles.
var compiled = map[string]bool{".go": true, ".s": true, ".h": true, ".c": true}

// sum returns a sum of the proof's command and of the names and contents of its dependencies.
func (t *tree) sum(p proof) (string, error) {
	files, err := t.dependencies(p)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	fmt.Fprintf(all, "%q %q\n", p.packages, p.command)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(t.root, f))
		if err != nil {
			return "", err
		}
		info, err := os.Stat(filepath.Join(t.root, f))
		if err != nil {
			return "", err
		}
		if path.Base(f) == "go.sum" {
			text = t.withoutOwn(text)
		}
		fmt.Fprintf(all, "%s %v %x\n", f, info.Mode()&0o100 != 0, sha256.Sum256(text))
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:12]), nil
}

// withoutOwn returns a go.sum file without the sums of the tree's modules. A release has them, and
// that of the root covers proof/stamps: with them, new stamps would make all proofs due again.
func (t *tree) withoutOwn(sums []byte) []byte {
	var others []byte
	for line := range bytes.Lines(sums) {
		module, _, _ := strings.Cut(string(line), " ")
		if _, ok := t.modules[module]; !ok {
			others = append(others, line...)
		}
	}
	return others
}
