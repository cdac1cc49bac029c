package doubleput_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/doubleput"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), doubleput.Analyzer, "a") }
