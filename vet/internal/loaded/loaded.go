// Package loaded runs analyzers on packages of which some could not be loaded.
//
// Touch it for packages that load only in part. It knows no check.
package loaded

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// Analyze runs the checks on packages. Of those that they import, directly or not, it
// leaves out packages that could not be loaded, on which the checker would panic.
// Packages without types or syntax are not analyzed at all.
func Analyze(checks []*analysis.Analyzer, pkgs []*packages.Package) (*checker.Graph, error) {
	var whole []*packages.Package
	for _, p := range pkgs {
		if isLoaded(p) {
			whole = append(whole, p)
		}
	}
	packages.Visit(whole, nil, func(p *packages.Package) {
		for path, imported := range p.Imports {
			if !isLoaded(imported) {
				delete(p.Imports, path)
			}
		}
		// A missing package does no harm where it is not used; where it is, the checks
		// are silent.
		p.IllTyped = false
	})
	return checker.Analyze(checks, whole, nil)
}

func isLoaded(p *packages.Package) bool {
	return p.Types != nil && p.TypesInfo != nil && p.Syntax != nil && p.TypesSizes != nil || p.PkgPath == "unsafe"
}
