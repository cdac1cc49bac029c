package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/useafterput"
)

// TestSilent has findings on lines with a //basin:ok, which are reported only if it has no reason.
func TestSilent(t *testing.T) {
	for _, r := range analysistest.Run(quiet{t}, testdata(t, "okcomment"), useafterput.Analyzer, "a") {
		if len(r.Diagnostics) != 2 {
			t.Errorf("%d findings, want those without a reason and with a space", len(r.Diagnostics))
		}
		for _, d := range r.Diagnostics {
			if at := r.Pass.Fset.Position(d.Pos); at.Line != 25 && at.Line != 39 {
				t.Errorf("%s: reported although it is silenced: %s", at, d.Message)
			}
		}
	}
}

// quiet ignores errors: analysistest misses the findings that okcomment reports.
type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}
