package useafterput_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/useafterput"
)

func Test(t *testing.T) { analysistest.Run(t, analysistest.TestData(), useafterput.Analyzer, "a") }
