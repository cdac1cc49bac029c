package advise

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// A patch changes how often a package allocates. A test that wants an exact number fails then, although nothing is wrong.

// noteCounted names the tests beside changed files that count allocations.
func (r *Report) noteCounted(p *patch) {
	var tests []string
	for _, pkg := range p.packages {
		names, _ := filepath.Glob(filepath.Join(pkg.Dir, "*_test.go")) // the pattern is sound, but for odd names of folders
		for _, name := range names {
			tests = append(tests, countingTests(name)...)
		}
	}
	if n := len(tests); n > 0 {
		if n > 3 {
			tests = append(tests[:3], "and others")
		}
		r.Notes = append(r.Notes, fmt.Sprintf("Of the packages with a patch, %s allocations (%s). A patch changes the number, and the checks of pools allocate more: -verify shows whether a test wants an exact one.",
			testsCount(n), strings.Join(tests, ", ")))
	}
}

// testsCount says that so many tests do.
func testsCount(n int) string {
	if n == 1 {
		return "one test counts"
	}
	return fmt.Sprintf("%d tests count", n)
}

// countingTests returns the functions of a file of tests that call testing.AllocsPerRun, with their places.
func countingTests(name string) (tests []string) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		var at token.Pos
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "AllocsPerRun" && !at.IsValid() {
				at = sel.Pos()
			}
			return !at.IsValid()
		})
		if at.IsValid() {
			tests = append(tests, fmt.Sprintf("%s at %s:%d", fn.Name.Name, base(name), fset.Position(at).Line))
		}
	}
	return tests
}
