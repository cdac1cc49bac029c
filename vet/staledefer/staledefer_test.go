package staledefer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/staledefer"
)

func Test(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), staledefer.Analyzer, "a")
}
