package wrongslice_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/wrongslice"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), wrongslice.Analyzer, "a") }
