package bench

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a run is.
type Progress interface {
	// Step shows the share of the run that is done, and the current activity.
	Step(done float64, what string)
	// Finish ends the output.
	Finish()
}

// NewProgress shows progress on f: if f is a terminal, as a bar with the remaining time,
// otherwise as a line for each workload.
func NewProgress(f *os.File) Progress {
	if !term.IsTerminal(int(f.Fd())) {
		return &lines{f: f, start: time.Now()}
	}
	return bar{progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetWidth(24),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

type lines struct {
	f     *os.File
	start time.Time
	last  string
}

func (l *lines) Step(done float64, what string) {
	if what == l.last {
		return
	}
	l.last = what
	left := ""
	if done > 0.02 {
		took := time.Since(l.start)
		left = fmt.Sprintf(", %v left", time.Duration(float64(took)/done-float64(took)).Round(time.Second))
	}
	fmt.Fprintf(l.f, "%3.0f%%%s: %s\n", 100*done, left, what)
}

func (l *lines) Finish() {}

const barSteps = 10_000

type bar struct{ *progressbar.ProgressBar }

func (b bar) Step(done float64, what string) {
	b.Describe(what)
	b.Set(min(int(done*barSteps), barSteps-1)) // a full bar would disappear
}

func (b bar) Finish() { b.ProgressBar.Finish() }
