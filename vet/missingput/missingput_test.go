package missingput_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/missingput"
)

func TestBounded(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), missingput.Bounded, "a")
}

func TestAll(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), missingput.Analyzer, "b")
}
