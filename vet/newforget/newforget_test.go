package newforget_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/newforget"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), newforget.Analyzer, "a") }
