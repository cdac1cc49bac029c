package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet"
)

// quick analyzes a module in this process, after its dependencies. Nothing is compiled.
// Of the standard library, and of dependencies in which nothing looks like a pool, only
// declarations are read.
func quick(dir, pattern string) (reports []report, lines int, err error) {
	all, err := packages.Load(configOf(dir), pattern)
	if err != nil {
		return nil, 0, err
	}
	roots, lines := rootsOf(all)
	packages.Visit(roots, nil, func(p *packages.Package) {
		for path, imported := range p.Imports {
			if imported.Types == nil { // it could not be loaded, and the checker would panic
				delete(p.Imports, path)
			}
		}
		p.IllTyped = false // basin-vet analyzes such packages too
	})
	graph, err := checker.Analyze(vet.Analyzers(), roots, nil)
	if err != nil {
		return nil, 0, err
	}
	found := map[string]bool{}
	for _, act := range graph.Roots {
		if act.Err != nil && !strings.Contains(act.Err.Error(), "errors") {
			err = errors.Join(err, fmt.Errorf("%s: %w", act, act.Err))
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			rel, e := filepath.Rel(dir, pos.Filename)
			if e != nil {
				rel = pos.Filename
			}
			r := report{file: filepath.ToSlash(rel), line: pos.Line, check: act.Analyzer.Name, text: d.Message}
			for _, rel := range d.Related {
				at := act.Package.Fset.Position(rel.Pos)
				r.text += fmt.Sprintf(" [%s:%d %s]", filepath.Base(at.Filename), at.Line, rel.Message)
			}
			if found[r.String()] {
				continue
			}
			found[r.String()] = true
			r.function, r.source = look(pos.Filename, pos.Line)
			reports = append(reports, r)
		}
	}
	return reports, lines, err
}

// configOf returns a configuration that reads a module in a directory, and of its imports only as
// much as quick needs.
func configOf(dir string) *packages.Config {
	std := filepath.Join(build.Default.GOROOT, "src") + string(filepath.Separator)
	return &packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   dir,
		Env:   environ(),
		Tests: *tests,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			mode := parser.SkipObjectResolution
			if strings.HasPrefix(name, dir+string(filepath.Separator)) {
				mode |= parser.ParseComments
			}
			file, err := parser.ParseFile(fset, name, src, mode)
			if file != nil && mode&parser.ParseComments == 0 && (*shallow || strings.HasPrefix(name, std) || !pools(filepath.Dir(name))) {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}
}

// rootsOf returns the packages to analyze, those that compile, and how many lines they have.
func rootsOf(all []*packages.Package) (roots []*packages.Package, lines int) {
	// A package is left out if it is also there with its tests.
	tested := map[string]bool{}
	for _, p := range all {
		if strings.Contains(p.ID, " [") {
			tested[p.PkgPath] = true
		}
	}
	seen := map[string]bool{}
	for _, p := range all {
		if strings.HasSuffix(p.PkgPath, ".test") || tested[p.PkgPath] && !strings.Contains(p.ID, " [") || p.Types == nil {
			continue
		}
		broken := false
		for _, e := range p.Errors {
			broken = broken || e.Kind == packages.TypeError && !strings.Contains(e.Msg, "imported and not used")
		}
		if broken {
			fmt.Printf("  %s does not compile: %v\n", p.ID, p.Errors[0])
			continue
		}
		roots = append(roots, p)
		for _, f := range p.Syntax {
			if file := p.Fset.File(f.Pos()); file != nil && !seen[file.Name()] {
				seen[file.Name()] = true
				lines += file.LineCount()
			}
		}
	}
	return roots, lines
}

var poolish = regexp.MustCompile(`sync\.Pool|bytebufferpool|fasthttp|\.(Put|Free|Release|Recycle|Acquire|Unref)[A-Za-z]*\(`)

var poolFolders sync.Map // bool by folder

// pools reports whether the files of a folder have anything like a pool in them.
func pools(dir string) bool {
	if known, ok := poolFolders.Load(dir); ok {
		return known.(bool)
	}
	found := false
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		found = found || err == nil && poolish.Match(data)
	}
	poolFolders.Store(dir, found)
	return found
}

// heap returns the memory that this process has from the system, in MiB.
func heap() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.Sys >> 20)
}

func timed(f func() error) (seconds float64, err error) {
	start := time.Now()
	err = f()
	return time.Since(start).Seconds(), err
}
