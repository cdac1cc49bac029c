// Package vet finds misuse of pools in the source of a program: memory used after
// Put, put twice, or kept by an alias. It knows basin, sync.Pool and its wrappers,
// and the pools that internal/effects/effects.txt describes.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet/aliasput"
	"github.com/basin-go/basin/vet/doubleput"
	"github.com/basin-go/basin/vet/missingput"
	"github.com/basin-go/basin/vet/neverput"
	"github.com/basin-go/basin/vet/newforget"
	"github.com/basin-go/basin/vet/okcomment"
	"github.com/basin-go/basin/vet/putnoreset"
	"github.com/basin-go/basin/vet/scopeleak"
	"github.com/basin-go/basin/vet/staledefer"
	"github.com/basin-go/basin/vet/unlimited"
	"github.com/basin-go/basin/vet/useafterput"
	"github.com/basin-go/basin/vet/wrongslice"
)

var defaults = []*analysis.Analyzer{
	staledefer.Analyzer,
	aliasput.Analyzer,
	useafterput.Analyzer,
	doubleput.Analyzer,
	wrongslice.Analyzer,
	newforget.Analyzer,
	missingput.Bounded,
	neverput.Analyzer,
	scopeleak.Analyzer,
}

var optIn = []*analysis.Analyzer{
	missingput.Analyzer,
	putnoreset.Analyzer,
	unlimited.Analyzer,
	neverput.Flow,
}

var comments = okcomment.New(append(append([]*analysis.Analyzer(nil), defaults...), optIn...))

// Analyzers returns the checks that run by default.
func Analyzers() []*analysis.Analyzer {
	return append(append([]*analysis.Analyzer(nil), defaults...), comments)
}

// All returns every check. Those that Analyzers leaves out find patterns that are often intended.
func All() []*analysis.Analyzer { return append(Analyzers(), optIn...) }
