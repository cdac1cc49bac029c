package vet

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/loaded"
)

// atOnce is how many packages are loaded at a time, so that memory does not grow with
// the number of packages.
const atOnce = 64

// analyzeBroken analyzes packages that do not compile, which go vet refuses to do. It leaves out the
// functions that have errors. If the imports of some package cannot be listed, go vet analyzes no
// package, so analyzeBroken analyzes all. Of other packages, it knows only functions with models.
func analyzeBroken(ctx context.Context, patterns []string, tags string, checks []*analysis.Analyzer, generated bool) []Finding {
	cfg := packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedForTest | packages.NeedImports | packages.NeedDeps, Tests: true}
	if tags != "" {
		cfg.BuildFlags = []string{"-tags=" + tags}
	}
	pkgs, err := packages.Load(&cfg, patterns...)
	if err != nil {
		return nil
	}
	unlisted := false
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		unlisted = unlisted || slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ListError })
	})
	var names []string
	for _, p := range pkgs {
		switch {
		case p.PkgPath == "command-line-arguments": // the patterns are files
			return brokenOf(cfg, patterns, unlisted, checks, generated)
		case p.ForTest == "" && !strings.HasSuffix(p.PkgPath, ".test") && !slices.Contains(names, p.PkgPath):
			names = append(names, p.PkgPath)
		}
	}
	var findings []Finding
	for some := range slices.Chunk(names, atOnce) {
		findings = append(findings, brokenOf(cfg, some, unlisted, checks, generated)...)
	}
	return findings
}

// brokenOf analyzes the packages that match patterns and do not compile, or all that match.
func brokenOf(cfg packages.Config, patterns []string, all bool, checks []*analysis.Analyzer, generated bool) []Finding {
	cfg.Mode = packages.LoadSyntax | packages.NeedForTest
	pkgs, err := packages.Load(&cfg, patterns...)
	if err != nil {
		return nil
	}
	cut, broken := whatIsWrong(pkgs, all)
	if len(broken) == 0 {
		return nil
	}
	if slices.Contains(broken, "command-line-arguments") {
		broken = patterns
	}
	cfg.ParseFile = cut.parse
	pkgs, err = packages.Load(&cfg, broken...)
	if err != nil {
		return nil
	}
	// The remaining errors may be imports that nobody uses now.
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return p.Types == nil || slices.ContainsFunc(p.TypeErrors, func(e types.Error) bool { return !e.Soft }) ||
			slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError })
	})
	if len(pkgs) == 0 {
		return nil
	}
	findings.Generated = generated
	graph, err := loaded.Analyze(checks, pkgs)
	if err != nil {
		return nil
	}
	var findings []Finding
	for _, a := range graph.Roots {
		for _, d := range a.Diagnostics {
			at := func(pos token.Pos) string { return a.Package.Fset.Position(pos).String() }
			f := Finding{Check: a.Analyzer.Name, Package: a.Package.PkgPath, Pos: at(d.Pos), End: at(d.End), Message: d.Message}
			for _, r := range d.Related {
				f.Related = append(f.Related, Related{at(r.Pos), at(r.End), r.Message})
			}
			findings = append(findings, f)
		}
	}
	return findings
}

// incomplete says which functions of packages cannot be analyzed.
type incomplete struct {
	wrong map[string][]int // lines with errors, by file
	own   map[string]bool  // the files of the packages
}

// whatIsWrong returns the lines with errors, and the packages that do not compile, or all.
func whatIsWrong(pkgs []*packages.Package, all bool) (cut incomplete, broken []string) {
	cut = incomplete{map[string][]int{}, map[string]bool{}}
	for _, p := range pkgs {
		for _, f := range p.CompiledGoFiles {
			cut.own[f] = true
		}
		for _, e := range p.Errors {
			if file, line, _ := split(e.Pos); line > 0 {
				cut.wrong[file] = append(cut.wrong[file], line)
			}
		}
		path := cmp.Or(p.ForTest, p.PkgPath)
		if (len(p.Errors) > 0 || all) && !strings.HasSuffix(path, ".test") && !slices.Contains(broken, path) {
			broken = append(broken, path)
		}
	}
	return cut, broken
}

// parse reads a file without the bodies of functions with errors. Of a dependency only the types count.
func (c incomplete) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil {
		return nil, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if !c.own[name] && fn.Type.TypeParams == nil {
			fn.Body = nil
			continue
		}
		first, last := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		if slices.ContainsFunc(c.wrong[name], func(line int) bool { return first <= line && line <= last }) {
			fn.Body = nil
		}
	}
	return f, err
}
