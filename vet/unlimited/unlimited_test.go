package unlimited_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/unlimited"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), unlimited.Analyzer, "a") }
