package putnoreset_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/putnoreset"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), putnoreset.Analyzer, "a") }
