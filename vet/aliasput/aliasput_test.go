package aliasput_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/aliasput"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), aliasput.Analyzer, "a") }
