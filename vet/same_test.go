package vet

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet/internal/loaded"
	"github.com/basin-go/basin/vet/internal/pooled"
)

// TestSameEachTime analyzes packages of this repository again and again. In the long form it has the larger ones, of which some
// functions have too many states. Package pooled does the same with programs that are generated.
func TestSameEachTime(t *testing.T) {
	needGo(t)
	patterns, times := []string{"./basinscope"}, 2
	if long() {
		patterns, times = []string{".", "./basincheck", "./basinprom"}, 6
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "..", Tests: true}, patterns...)
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		t.Fatal(err)
	}
	first := described(t, pkgs)
	if len(first) < 20 {
		t.Fatalf("%d facts and findings, want at least 20", len(first))
	}
	for range times {
		again := described(t, pkgs)
		if len(again) != len(first) {
			t.Errorf("%d facts and findings, then %d", len(first), len(again))
		}
		for i := range min(len(first), len(again)) {
			if first[i] != again[i] {
				t.Fatalf("once:\n%s\nlater:\n%s", first[i], again[i])
			}
		}
	}
}

var pointers = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

// described returns all facts and findings of packages, the findings in the order in which they were made.
func described(t *testing.T, pkgs []*packages.Package) (lines []string) {
	t.Helper()
	graph, err := loaded.Analyze(append(All(), pooled.Analyzer), pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range graph.Roots {
		at := a.Package.Fset.Position
		for _, d := range a.Diagnostics {
			lines = append(lines, fmt.Sprintf("%v %v: %s", at(d.Pos), at(d.End), d.Message))
			for _, r := range d.Related {
				lines = append(lines, fmt.Sprintf("%v %v: %s", at(r.Pos), at(r.End), r.Message))
			}
			for _, f := range d.SuggestedFixes {
				for _, e := range f.TextEdits {
					lines = append(lines, fmt.Sprintf("%v %v: %q", at(e.Pos), at(e.End), e.NewText))
				}
			}
		}
		if a.Analyzer == pooled.Analyzer {
			var facts []string
			for _, f := range a.AllObjectFacts() { // in no order
				fact := fmt.Sprintf("%v %v: %v %#v", at(f.Object.Pos()), f.Object, f.Fact, f.Fact)
				facts = append(facts, pointers.ReplaceAllString(fact, "")) // types are made for each analysis
			}
			slices.Sort(facts)
			lines = append(lines, facts...)
		}
	}
	return lines
}
