package shapes

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet"
)

// The share of the bugs of each half that must be found.
const minHistory = 0.5

// TestHistory counts the bugs found by default, among those that programs had and fixed.
// They are retold with the branches and helpers that stood around them, and their fixes
// beside them. The analyzers were developed with one half. The other half is held
// back: only its figures are looked at.
func TestHistory(t *testing.T) {
	pkgs := load(t, "history/...")
	reports := slices.DeleteFunc(analyze(t, pkgs), func(r report) bool {
		return !slices.ContainsFunc(vet.Analyzers(), func(a *analysis.Analyzer) bool { return a.Name == r.check })
	})
	type bug struct{ marked, found bool }
	halves := map[string]map[string]*bug{"dev": {}, "held": {}} // by file
	functions := functionsOf(t, pkgs, "history/")
	for _, f := range functions {
		if len(f.marks) > 0 {
			halves[f.shape][f.file] = &bug{marked: true}
		}
	}
	for _, r := range reports {
		f := at(functions, r)
		switch {
		case f == nil:
			t.Errorf("outside of every function: %v", r)
		case slices.Contains(f.marks, r.line):
			halves[f.shape][f.file].found = true
		default:
			t.Errorf("nothing is wrong there: %s/%v", f.shape, r)
		}
	}
	for _, half := range []string{"dev", "held"} {
		found := 0
		for file, b := range halves[half] {
			if b.found {
				found++
			} else if half == "dev" {
				t.Logf("missed: %s", strings.TrimSuffix(filepath.Base(file), ".go"))
			}
		}
		all := len(halves[half])
		t.Logf("%s: found %d of %d", half, found, all)
		if all < 30 || float64(found) < minHistory*float64(all) {
			t.Errorf("%s: found %d of %d, want %.0f %% of 30 or more", half, found, all, 100*minHistory)
		}
	}
}
