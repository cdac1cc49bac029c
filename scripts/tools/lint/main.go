// Command lint runs all linters on one load of the sources: go vet, staticcheck and
// basin vet.
//
//	lint [-tags tags] [-misusing "packages"] packages
//
// It reports the findings that these commands report by default. Staticcheck's comments
// //lint:ignore and //lint:file-ignore hold. Findings of basin vet in tests of the
// packages that -misusing names are left out.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	govet "golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/analysis/facts/directives"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/analysis/report"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"

	"github.com/basin-go/basin/scripts/tools/source"
	"github.com/basin-go/basin/vet"
)

// The names of the linters, as findings have them.
const (
	goVet       = "go vet"
	staticCheck = "staticcheck"
	basinVet    = "basin vet"
)

// A finding is a diagnostic of a linter.
type finding struct {
	pos     token.Position
	message string
	check   string
	linter  string
}

func main() {
	tags := flag.String("tags", "", "build `tags`")
	misusing := flag.String("misusing", "", "import paths of `packages` with tests that misuse pools")
	flag.Parse()
	config := packages.Config{Tests: true, BuildFlags: []string{"-tags=" + *tags}}
	imported, err := directImports(config, flag.Args())
	var pkgs []*packages.Package
	var errors []packages.Error
	if err == nil {
		pkgs, errors, err = source.Load(config, nil, func(file string) bool { return imported[filepath.Dir(file)] }, flag.Args()...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	if len(errors) > 0 {
		for _, e := range errors {
			fmt.Fprintln(os.Stderr, e)
		}
		os.Exit(1)
	}
	fmt.Printf("%d packages are loaded, with their tests\n", len(pkgs))
	findings, err := run(pkgs, strings.Fields(*misusing))
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Fprintf(os.Stderr, "%s: %s (%s, %s)\n", short(f.pos), f.message, f.check, f.linter)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// directImports returns the directories of the packages that the patterns name, and of
// those that they import. Linters follow calls into these, and no further: the
// bodies of all dependencies would take gigabytes more.
func directImports(config packages.Config, patterns []string) (map[string]bool, error) {
	config.Mode = packages.NeedName | packages.NeedFiles | packages.NeedImports
	config.Env = source.Env()
	pkgs, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, err
	}
	dirs := map[string]bool{}
	for _, p := range pkgs {
		dirs[p.Dir] = true
		for _, imported := range p.Imports {
			dirs[imported.Dir] = true
		}
	}
	return dirs, nil
}

// run runs all linters.
func run(pkgs []*packages.Package, misusing []string) ([]finding, error) {
	linters := map[*analysis.Analyzer]string{directives.Analyzer: staticCheck}
	for _, a := range govet.Suite {
		linters[a] = goVet
	}
	for _, a := range vet.Analyzers() {
		linters[a] = basinVet
	}
	for _, a := range slices.Concat(simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers, []*lint.Analyzer{unused.Analyzer}) {
		if !a.Doc.NonDefault {
			linters[a.Analyzer] = staticCheck
		}
	}
	analyzers := make([]*analysis.Analyzer, 0, len(linters))
	for a := range linters {
		analyzers = append(analyzers, a)
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, err
	}
	ignores := map[*packages.Package][]lint.Directive{}
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %w", action, action.Err)
		}
		if action.Analyzer == directives.Analyzer {
			ignores[action.Package] = action.Result.([]lint.Directive)
		}
	}
	found := map[*packages.Package][]finding{}
	for _, action := range graph.Roots {
		p, linter := action.Package, linters[action.Analyzer]
		add := func(pos token.Position, message string) {
			isTest := strings.HasSuffix(pos.Filename, "_test.go") || strings.HasSuffix(p.PkgPath, "test") // a package for tests
			if linter == basinVet && isTest && slices.Contains(misusing, strings.TrimSuffix(p.PkgPath, "_test")) {
				return
			}
			found[p] = append(found[p], finding{pos, message, action.Analyzer.Name, linter})
		}
		for _, d := range action.Diagnostics {
			add(report.DisplayPosition(p.Fset, d.Pos), d.Message)
		}
		if action.Analyzer == unused.Analyzer.Analyzer {
			for _, o := range action.Result.(unused.Result).Unused {
				add(o.DisplayPosition, fmt.Sprintf("%s %s is unused", o.Kind, o.Name))
			}
		}
	}
	var all []finding
	for _, p := range pkgs {
		all = append(all, ignore(p.Fset, found[p], ignores[p])...)
	}
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Line, b.pos.Line),
			cmp.Compare(a.pos.Column, b.pos.Column), strings.Compare(a.check, b.check), strings.Compare(a.message, b.message))
	})
	return slices.Compact(all), nil
}

// ignore returns the findings that no directive of staticcheck's silences, and the
// directives that silence none.
func ignore(files *token.FileSet, found []finding, all []lint.Directive) []finding {
	var wrong []finding
	for _, d := range all {
		if d.Command != "ignore" && d.Command != "file-ignore" {
			continue
		}
		at := report.DisplayPosition(files, d.Directive.Pos())
		if len(d.Arguments) < 2 {
			wrong = append(wrong, finding{at, "the directive lacks a reason", d.Command, staticCheck})
			continue
		}
		before := len(found)
		found = slices.DeleteFunc(found, func(f finding) bool { return silences(files, d, f) })
		if d.Command == "ignore" && len(found) == before && d.Arguments[0] != unused.Analyzer.Analyzer.Name {
			wrong = append(wrong, finding{at, "the directive matches no finding", d.Command, staticCheck})
		}
	}
	return append(found, wrong...)
}

// silences reports whether a directive is for a finding.
func silences(files *token.FileSet, d lint.Directive, f finding) bool {
	at := report.DisplayPosition(files, d.Node.Pos())
	if f.linter != staticCheck || f.pos.Filename != at.Filename || d.Command == "ignore" && f.pos.Line != at.Line {
		return false
	}
	return slices.ContainsFunc(strings.Split(d.Arguments[0], ","), func(check string) bool {
		matched, _ := filepath.Match(check, f.check)
		return matched
	})
}

// short is a position relative to the working directory.
func short(pos token.Position) token.Position {
	if wd, err := os.Getwd(); err == nil {
		if name, err := filepath.Rel(wd, pos.Filename); err == nil {
			pos.Filename = name
		}
	}
	return pos
}
