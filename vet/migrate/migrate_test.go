package migrate_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/migrate"
)

var moves = []string{"imports", "buffers", "handles", "values", "noname", "files", "wrappers", "shadow", "apart", "limits"}

// TestMoves compares with the golden files, for which the packages are type-checked.
func TestMoves(t *testing.T) {
	for _, pkg := range moves {
		t.Run(pkg, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), migrate.Analyzer, pkg)
		})
	}
}

// TestStays has pools that must not be changed, each with the reason.
func TestStays(t *testing.T) {
	for _, pkg := range []string{"stays", "own"} {
		t.Run(pkg, func(t *testing.T) {
			for _, r := range analysistest.Run(t, analysistest.TestData(), migrate.Analyzer, pkg) {
				for _, d := range r.Diagnostics {
					if d.Category != migrate.Stays || len(d.SuggestedFixes) > 0 {
						t.Errorf("%s is changed: %s", r.Action.Package.Fset.Position(d.Pos), d.Message)
					}
				}
			}
		})
	}
}
