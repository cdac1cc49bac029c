package demo

import (
	"fmt"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a run is.
type Progress interface {
	// Step shows which share of the run is done and what it is at.
	Step(done float64, what string)
	// Finish leaves the screen to others.
	Finish()
}

// NewProgress shows progress on f: as a bar if f is a terminal, else in lines.
func NewProgress(f *os.File) Progress {
	if !term.IsTerminal(int(f.Fd())) {
		return lines{f}
	}
	return bar{progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetWidth(24),       // leaves room for the ^C that a terminal echoes
		progressbar.OptionUseANSICodes(true), // to clear that too
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	)}
}

type lines struct{ *os.File }

func (l lines) Step(_ float64, what string) { fmt.Fprintln(l, what) }
func (l lines) Finish()                     {}

const barSteps = 1000

type bar struct{ *progressbar.ProgressBar }

func (b bar) Step(done float64, what string) {
	b.Describe(what)
	b.Set(min(int(done*barSteps), barSteps-1)) // a full bar would be gone for good
}

func (b bar) Finish() { b.ProgressBar.Finish() }
