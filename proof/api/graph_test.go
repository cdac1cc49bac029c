//go:build go1.25

package api

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

const module = "github.com/basin-go/basin"

// TestFilesWithoutCycles fails if files of the root use each other's declarations in a
// circle. So one can read them one after the other. With -v it prints the floors: a file
// uses only files of lower floors.
func TestFilesWithoutCycles(t *testing.T) {
	testenv.Tree()
	p, err := (&loader{files: token.NewFileSet(), std: importer.Default()}).load(module)
	if err != nil {
		t.Fatal(err)
	}
	p.withoutCycles(t)
}

// TestFilesOfToolsWithoutCycles does the same for all packages of module vet, and asks the internal ones for the paragraph
// that says when to touch them. Types of other modules are not known here, and not needed: a file uses no other by them.
func TestFilesOfToolsWithoutCycles(t *testing.T) {
	testenv.Tree()
	l := &loader{files: token.NewFileSet(), std: importer.Default(), alone: true}
	packages := 0
	err := filepath.WalkDir(filepath.Join(root, "vet"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return fs.SkipDir
		}
		if files, err := filepath.Glob(filepath.Join(path, "*.go")); err != nil || len(files) == 0 {
			return err
		}
		dir, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		p, err := l.load(module + "/" + filepath.ToSlash(dir))
		if err != nil {
			return err
		}
		packages++
		p.withoutCycles(t)
		if strings.Contains(dir, "internal") {
			askWhenToTouch(t, dir, p.parsed)
		}
		return nil
	})
	if err != nil || packages < 25 {
		t.Errorf("%d packages: %v", packages, err)
	}
}

// withoutCycles fails if files of p use each other.
func (p *source) withoutCycles(t *testing.T) {
	t.Helper()
	uses := p.uses()
	g := graph{}
	for from, to := range uses {
		g[from] = slices.Sorted(maps.Keys(to))
	}
	for _, knot := range g.knots() {
		if len(knot) == 1 {
			continue
		}
		var why strings.Builder
		for _, from := range knot {
			for _, to := range knot {
				if names := uses[from][to]; from != to && len(names) > 0 {
					fmt.Fprintf(&why, "\n\t%s uses of %s: %s", from, to, strings.Join(slices.Sorted(maps.Keys(names)), " "))
				}
			}
		}
		t.Errorf("%d files of package %s use each other: cut the rarest uses, or join files%s", len(knot), p.Name(), &why)
	}
	for i, floor := range g.floors() {
		t.Logf("floor %d: %s", i, strings.Join(floor, " "))
	}
}

// TestFindsCycles tries the search on a graph of its own.
func TestFindsCycles(t *testing.T) {
	g := graph{"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": {}, "e": {"a", "d"}}
	if got, want := fmt.Sprint(g.knots()), "[[d] [b c] [a] [e]]"; got != want {
		t.Errorf("knots %v, want %v", got, want)
	}
	if got, want := fmt.Sprint(g.floors()), "[[d] [b c] [a] [e]]"; got != want {
		t.Errorf("floors %v, want %v", got, want)
	}
}

// TestNoImportUpward holds the floors between the packages that programs link.
func TestNoImportUpward(t *testing.T) {
	for dir, p := range linked(t) {
		for _, to := range imports(p) {
			if floorOf(to) > floorOf(dir) {
				t.Errorf("%s imports %s, which is above it", cmp.Or(dir, "the root"), cmp.Or(to, "the root"))
			}
		}
	}
}

// floorOf returns the floor of a package of the module, by its folder. Checks
// watch the rest of the library, which must do without them.
func floorOf(dir string) int {
	switch {
	case strings.HasPrefix(dir, "internal/check") || dir == "internal/misuse":
		return 1
	case dir == "internal/figures":
		return 4 // of the exporters
	case strings.HasPrefix(dir, "internal/"):
		return 0
	case dir == "basincheck":
		return 2 // its counts are a part of Stats
	case dir == "":
		return 3
	}
	return 4 // the packages beside the root
}

// TestPackagesHaveComments fails if a package of the library has no purpose in its comment, in a
// sentence that begins with its name. An internal one must also say when to touch it.
func TestPackagesHaveComments(t *testing.T) {
	for dir, p := range linked(t) {
		if !strings.HasPrefix(p.Doc, "Package "+p.Name+" ") || len(strings.Fields(p.Doc)) < 8 {
			t.Errorf("%s has the comment %q, which must say what package %s is for", cmp.Or(dir, "the root"), p.Doc, p.Name)
		}
		if strings.HasPrefix(dir, "internal/") {
			var files []*ast.File
			for _, name := range p.GoFiles {
				f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
			askWhenToTouch(t, dir, files)
		}
	}
}

// askWhenToTouch fails if no comment of a package says when to touch it.
func askWhenToTouch(t *testing.T, dir string, files []*ast.File) {
	t.Helper()
	if !slices.ContainsFunc(files, func(f *ast.File) bool { return strings.Contains(f.Doc.Text(), "\n\nTouch ") }) {
		t.Errorf("the comment of %s must say when to touch it, in a paragraph that begins with Touch", dir)
	}
}

// linked returns the packages that programs can link, by folder: the root, those beside it, and
// those of the module that these import. Helpers of tests are not among them.
func linked(t *testing.T) map[string]*build.Package {
	t.Helper()
	found := map[string]*build.Package{}
	var visit func(string)
	visit = func(dir string) {
		if found[dir] != nil {
			return
		}
		p, err := build.ImportDir(filepath.Join(root, dir), 0)
		if err != nil {
			t.Fatal(err)
		}
		found[dir] = p
		for _, to := range imports(p) {
			visit(to)
		}
	}
	for _, name := range packages(t) {
		if name == "basin" {
			name = ""
		}
		visit(name)
	}
	return found
}

// imports returns the folders of the packages of the module that p imports.
func imports(p *build.Package) (dirs []string) {
	for _, path := range p.Imports {
		if dir, ok := strings.CutPrefix(path+"/", module+"/"); ok {
			dirs = append(dirs, strings.TrimSuffix(dir, "/"))
		}
	}
	return dirs
}

// A loader type-checks packages of the module from their source, for the compiler leaves
// no export data of them. It has those of the standard library from std.
type loader struct {
	files  *token.FileSet
	std    types.Importer
	alone  bool // without the packages that it imports from other modules
	loaded map[string]*source
}

// A source is a package with the meaning of its identifiers.
type source struct {
	*types.Package
	files  *token.FileSet
	parsed []*ast.File
	info   types.Info
}

func (l *loader) Import(path string) (*types.Package, error) {
	if first, _, _ := strings.Cut(path, "/"); l.alone && strings.Contains(first, ".") {
		return nil, fmt.Errorf("%s is of another module", path)
	}
	if path != module && !strings.HasPrefix(path, module+"/") {
		return l.std.Import(path)
	}
	p, err := l.load(path)
	if err != nil {
		return nil, err
	}
	return p.Package, nil
}

func (l *loader) load(path string) (*source, error) {
	if p := l.loaded[path]; p != nil {
		return p, nil
	}
	dir := filepath.Join(root, strings.TrimPrefix(path, module))
	list, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	p := &source{files: l.files, info: types.Info{Uses: map[*ast.Ident]types.Object{}}}
	for _, name := range list.GoFiles {
		f, err := parser.ParseFile(l.files, filepath.Join(dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.parsed = append(p.parsed, f)
	}
	config := types.Config{Importer: l}
	if l.alone {
		config.Error = func(error) {} // go vet finds those
	}
	if p.Package, err = config.Check(path, l.files, p.parsed, &p.info); err != nil && !l.alone {
		return nil, err
	}
	if l.loaded == nil {
		l.loaded = map[string]*source{}
	}
	l.loaded[path] = p
	return p, nil
}

// uses returns, for each file of p, the names that it uses of other files. A method is of
// the file that declares it, and a field of the file of its struct. Comments use nothing.
func (p *source) uses() map[string]map[string]map[string]bool {
	uses := map[string]map[string]map[string]bool{}
	for _, f := range p.parsed {
		from := filepath.Base(p.files.Position(f.Package).Filename)
		uses[from] = map[string]map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.info.Uses[id]
			if used == nil || used.Pkg() != p.Package {
				return true
			}
			to := filepath.Base(p.files.Position(used.Pos()).Filename)
			if to != from {
				if uses[from][to] == nil {
					uses[from][to] = map[string]bool{}
				}
				uses[from][to][used.Name()] = true
			}
			return true
		})
	}
	return uses
}

// A graph has the nodes that each node leads to.
type graph map[string][]string

// knots returns the strongly connected components, each after those that it leads to.
func (g graph) knots() [][]string {
	// This is Tarjan's algorithm.
	var knots [][]string
	var path []string
	index, low, onPath := map[string]int{}, map[string]int{}, map[string]bool{}
	var visit func(string)
	visit = func(n string) {
		index[n] = len(index)
		low[n] = index[n]
		path = append(path, n)
		onPath[n] = true
		for _, to := range g[n] {
			if _, seen := index[to]; !seen {
				visit(to)
				low[n] = min(low[n], low[to])
			} else if onPath[to] {
				low[n] = min(low[n], index[to])
			}
		}
		if low[n] == index[n] {
			at := slices.Index(path, n)
			knot := slices.Sorted(slices.Values(path[at:]))
			for _, m := range knot {
				onPath[m] = false
			}
			path = path[:at]
			knots = append(knots, knot)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(g)) {
		if _, seen := index[n]; !seen {
			visit(n)
		}
	}
	return knots
}

// floors returns the nodes by the longest path below them. Those of a knot share a floor.
func (g graph) floors() [][]string {
	var floors [][]string
	of := map[string]int{}
	for _, knot := range g.knots() {
		floor := 0
		for _, n := range knot {
			for _, to := range g[n] {
				if !slices.Contains(knot, to) {
					floor = max(floor, of[to]+1)
				}
			}
		}
		if floor == len(floors) {
			floors = append(floors, nil)
		}
		for _, n := range knot {
			of[n] = floor
		}
		floors[floor] = append(floors[floor], knot...)
	}
	for _, f := range floors {
		slices.Sort(f)
	}
	return floors
}
