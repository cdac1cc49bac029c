package shapes

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet"
)

// The shares of the bugs that must be found: by default, and with all checks.
const (
	minHistory    = 0.5
	minHistoryAll = 0.6
)

// TestHistory counts the bugs found by default, among those that programs had and fixed.
// They are retold with the branches and helpers that stood around them, and their fixes
// beside them. The analyzers were developed with one half. The other half is held
// back: only its figures are looked at. "more" has bugs that were met later: at first sight, 4 of its 14 were found by default, and
// 7 with all checks.
func TestHistory(t *testing.T) {
	pkgs := load(t, "history/...")
	byDefault := func(r report) bool {
		return slices.ContainsFunc(vet.Analyzers(), func(a *analysis.Analyzer) bool { return a.Name == r.check })
	}
	type bug struct{ found, byDefault bool }
	halves := map[string]map[string]*bug{"dev": {}, "held": {}, "more": {}} // by file
	functions := functionsOf(t, pkgs, "history/")
	for _, f := range functions {
		if len(f.marks) > 0 {
			halves[f.shape][f.file] = &bug{}
		}
	}
	for _, r := range analyze(t, pkgs) {
		f := at(functions, r)
		switch {
		case f != nil && slices.Contains(f.marks, r.line):
			b := halves[f.shape][f.file]
			b.found, b.byDefault = true, b.byDefault || byDefault(r)
		case !byDefault(r): // judged by TestShapes
		case f == nil:
			t.Errorf("outside of every function: %v", r)
		default:
			t.Errorf("nothing is wrong there: %s/%v", f.shape, r)
		}
	}
	for half, least := range map[string]int{"dev": 30, "held": 30, "more": 14} {
		found, all := 0, 0
		for file, b := range halves[half] {
			if b.found {
				all++
			}
			if b.byDefault {
				found++
			} else if half != "held" {
				t.Logf("missed by default in %s: %s", half, strings.TrimSuffix(filepath.Base(file), ".go"))
			}
		}
		n := len(halves[half])
		t.Logf("%s: found %d of %d by default, %d with all checks", half, found, n, all)
		if n < least || half != "more" && float64(found) < minHistory*float64(n) || float64(all) < minHistoryAll*float64(n) {
			t.Errorf("%s: found %d of %d by default, %d with all checks; want %.0f %% and %.0f %% of %d or more", half, found, n, all,
				100*minHistory, 100*minHistoryAll, least)
		}
	}
}
