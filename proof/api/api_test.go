//go:build go1.25

// Package api compares docs/api.md with the exported names of the packages of basin, and
// checks the wording of comments, messages and documents.
package api

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestEveryNameHasAReason fails if a package exports a name that the page does not
// list, and if the page lists one that does not exist.
func TestEveryNameHasAReason(t *testing.T) {
	listed := readPage(t)
	for name := range listed {
		if !slices.Contains(packages(t), name) {
			t.Errorf("the page has package %s, which is not there", name)
		}
	}
	for _, name := range packages(t) {
		t.Run(name, func(t *testing.T) {
			exported := exportedBy(t, name)
			for _, n := range exported {
				if !listed[name][n] {
					t.Errorf("%s is exported, but docs/api.md gives no reason for it", n)
				}
			}
			for n := range listed[name] {
				if !slices.Contains(exported, n) {
					t.Errorf("docs/api.md lists %s, which is not exported", n)
				}
			}
		})
	}
}

// packages returns the names of the packages that programs import: the root, the folders
// beside it whose names begin with basin, and the adapters.
func packages(t *testing.T) []string {
	t.Helper()
	names := []string{"basin"}
	for _, pattern := range []string{"basin*/*.go", "adapters/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal("no packages ", pattern, err)
		}
		for _, f := range files {
			name, err := filepath.Rel(root, filepath.Dir(f))
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// readPage returns the names of the page's tables, by package.
func readPage(t *testing.T) map[string]map[string]bool {
	t.Helper()
	page, err := os.ReadFile(root + "/docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	listed := map[string]map[string]bool{}
	section := ""
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(name)
			listed[section] = map[string]bool{}
			continue
		}
		row := strings.Split(line, "|")
		if len(row) != 4 {
			continue
		}
		names := code.FindAllStringSubmatch(row[1], -1)
		for _, m := range names {
			if listed[section][m[1]] {
				t.Errorf("%s: %s is listed twice", section, m[1])
			}
			listed[section][m[1]] = true
		}
		if len(names) > 0 && strings.TrimSpace(row[2]) == "" {
			t.Errorf("%s: no reason for %s", section, row[1])
		}
	}
	return listed
}

// TestFewNames holds the number of functions, types and methods that users of the root package have
// to read.
func TestFewNames(t *testing.T) {
	const most = 100
	d := docOf(t, "basin")
	n := len(d.Funcs) + len(d.Types)
	for _, typ := range d.Types {
		n += len(typ.Funcs) + len(typ.Methods)
	}
	if n > most {
		t.Errorf("package basin exports %d functions, types and methods, more than %d", n, most)
	}
}

// exportedBy returns the constants, variables, functions, types and methods that a
// package exports.
func exportedBy(t *testing.T, name string) []string {
	t.Helper()
	d := docOf(t, name)
	var names []string
	add := func(prefix string, values []*doc.Value, funcs []*doc.Func) {
		for _, v := range values {
			names = append(names, v.Names...)
		}
		for _, f := range funcs {
			names = append(names, prefix+f.Name)
		}
	}
	add("", d.Consts, d.Funcs)
	add("", d.Vars, nil)
	for _, typ := range d.Types {
		names = append(names, typ.Name)
		add("", typ.Consts, typ.Funcs)
		add("", typ.Vars, nil)
		add(typ.Name+".", nil, typ.Methods)
	}
	return slices.DeleteFunc(names, func(n string) bool { return !ast.IsExported(n) })
}

// docOf returns the documentation of a package.
func docOf(t *testing.T, name string) *doc.Package {
	t.Helper()
	folder := root
	if name != "basin" {
		folder = filepath.Join(root, name)
	}
	p, err := build.ImportDir(folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(folder, f), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	d, err := doc.NewFromFiles(files, parsed, p.ImportPath)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
