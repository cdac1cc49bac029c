package vet_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/aliasput"
	"github.com/basin-go/basin/vet/doubleput"
	"github.com/basin-go/basin/vet/internal/pooled"
	"github.com/basin-go/basin/vet/missingput"
	"github.com/basin-go/basin/vet/neverput"
	"github.com/basin-go/basin/vet/newforget"
	"github.com/basin-go/basin/vet/okcomment"
	"github.com/basin-go/basin/vet/putnoreset"
	"github.com/basin-go/basin/vet/scopeleak"
	"github.com/basin-go/basin/vet/staledefer"
	"github.com/basin-go/basin/vet/unlimited"
	"github.com/basin-go/basin/vet/useafterput"
	"github.com/basin-go/basin/vet/wrongslice"
)

// testdata returns the directory of the packages that the tests of a check analyze.
func testdata(t *testing.T, check string) string {
	dir, err := filepath.Abs(filepath.Join(check, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestAnalyzers analyzes packages whose comments have the findings of each check. They are in the checks' directories, but
// a test binary for each of these would take longer to link than to run.
func TestAnalyzers(t *testing.T) {
	for _, tt := range []struct {
		dir, pkg string
		check    *analysis.Analyzer
		fixes    bool
	}{
		{"aliasput", "a", aliasput.Analyzer, false},
		{"aliasput", "whole", aliasput.Analyzer, false},
		{"aliasput", "library", aliasput.Analyzer, false},
		{"aliasput", "channel", aliasput.Analyzer, false},
		{"doubleput", "a", doubleput.Analyzer, false},
		{"doubleput", "page", doubleput.Analyzer, false},
		{"doubleput", "fields", doubleput.Analyzer, false},
		{"doubleput", "forks", doubleput.Analyzer, false},
		{"doubleput", "made", doubleput.Analyzer, false},
		{"doubleput", "pages", doubleput.Analyzer, false},
		{"doubleput", "freelist", doubleput.Analyzer, false},
		{"doubleput", "closes", doubleput.Analyzer, false},
		{"aliasput", "parts", aliasput.Analyzer, false},
		{"aliasput", "despite", aliasput.Analyzer, false},
		{"useafterput", "fields", useafterput.Analyzer, false},
		{"aliasput", "errs", doubleput.Analyzer, false},
		{"aliasput", "lists", doubleput.Analyzer, false},
		{"doubleput", "forks", aliasput.Analyzer, false},
		{"staledefer", "once", doubleput.Analyzer, false},
		{"missingput", "a", missingput.Bounded, false},
		{"missingput", "b", missingput.Analyzer, false},
		{"missingput", "kept", missingput.Bounded, false},
		{"missingput", "kept", missingput.Analyzer, false},
		{"missingput", "kept", useafterput.Analyzer, false},
		{"missingput", "kept", aliasput.Analyzer, false},
		{"missingput", "keptput", doubleput.Analyzer, false},
		{"missingput", "borrowed", missingput.Analyzer, false},
		{"neverput", "a", neverput.Analyzer, false},
		{"neverput", "b", neverput.Flow, false},
		{"newforget", "a", newforget.Analyzer, false},
		{"okcomment", "a", okcomment.New([]*analysis.Analyzer{useafterput.Analyzer}), false},
		{"putnoreset", "a", putnoreset.Analyzer, false},
		{"scopeleak", "a", scopeleak.Analyzer, false},
		{"staledefer", "a", staledefer.Analyzer, true},
		{"unlimited", "a", unlimited.Analyzer, false},
		{"useafterput", "a", useafterput.Analyzer, false},
		{"useafterput", "printed", useafterput.Analyzer, false},
		{"useafterput", "drop", useafterput.Analyzer, false},
		{"wrongslice", "a", wrongslice.Analyzer, false},
		{"wrongslice", "types", wrongslice.Analyzer, false},
		{"wrongslice", "branch", wrongslice.Analyzer, false},
	} {
		t.Run(tt.dir+"/"+tt.pkg+"/"+tt.check.Name, func(t *testing.T) {
			t.Parallel()
			run := analysistest.Run
			if tt.fixes {
				run = analysistest.RunWithSuggestedFixes
			}
			for _, r := range run(t, testdata(t, tt.dir), tt.check, tt.pkg) {
				if p, ok := r.Pass.ResultOf[pooled.Analyzer].(*pooled.Result); ok && p.Failures > 0 {
					t.Errorf("%d functions could not be analyzed", p.Failures)
				}
				for _, d := range r.Diagnostics {
					regions := append([]analysis.RelatedInformation{{Pos: d.Pos, End: d.End}}, d.Related...)
					if slices.ContainsFunc(regions, func(r analysis.RelatedInformation) bool { return r.End <= r.Pos }) {
						t.Errorf("%s: a region without an end: %+v", r.Pass.Fset.Position(d.Pos), d)
					}
				}
			}
		})
	}
}

// TestPage: docs/vet-internals.md follows a bug that the test above finds.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/vet-internals.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "\n```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	source, err := os.ReadFile("doubleput/testdata/src/page/page.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(source), "\n)\n\n")
	if program = regexp.MustCompile(" // want .*").ReplaceAllString(program, ""); code != program {
		t.Errorf("the page shows\n%s\nand the test has\n%s", code, program)
	}
}

// TestDrop: the function in the Drop of a pool owns its argument. It may close, keep or put it, which no check reports.
func TestDrop(t *testing.T) {
	for _, check := range []*analysis.Analyzer{aliasput.Analyzer, doubleput.Analyzer, missingput.Analyzer, neverput.Analyzer, neverput.Flow, newforget.Analyzer, putnoreset.Analyzer, staledefer.Analyzer, unlimited.Analyzer, wrongslice.Analyzer} {
		for _, r := range analysistest.Run(quiet{t}, testdata(t, "useafterput"), check, "drop") {
			for _, d := range r.Diagnostics {
				t.Errorf("%s: %s: %s", r.Pass.Fset.Position(d.Pos), check.Name, d.Message)
			}
		}
	}
}
