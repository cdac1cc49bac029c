// Package terminal prints the progress and the tables of the demo and of the benchmarks.
package terminal

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a run is.
type Progress interface {
	// Step shows the share of the run that is done, the remaining time, and the current
	// activity. If left is zero, the time is unknown.
	Step(done float64, left time.Duration, what string)
	// Finish ends the output.
	Finish()
}

// NewProgress shows progress on f: as a bar that moves between steps if f is a terminal,
// otherwise in lines.
func NewProgress(f *os.File) Progress {
	if !term.IsTerminal(int(f.Fd())) {
		return &lines{f: f}
	}
	b := &bar{ended: make(chan struct{}), drawn: make(chan struct{}), ProgressBar: progressbar.NewOptions(barSteps,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetWidth(24),       // leaves room for the ^C that a terminal echoes
		progressbar.OptionUseANSICodes(true), // to clear the ^C, too
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	)}
	go b.goOn()
	return b
}

// remaining returns the remaining time in words.
func remaining(left time.Duration) string {
	if left <= 0 {
		return ""
	}
	return fmt.Sprintf(", %v left", left.Round(time.Second))
}

// lines shows each activity once, in a line.
type lines struct {
	f    *os.File
	last string
}

func (l *lines) Step(_ float64, left time.Duration, what string) {
	if what != l.last {
		l.last = what
		fmt.Fprintln(l.f, what+remaining(left))
	}
}
func (l *lines) Finish() {}

const barSteps = 1000

// A bar shows the last step, and the passing time.
type bar struct {
	*progressbar.ProgressBar
	ended, drawn chan struct{} // closed by Finish, and after the last drawing

	mu   sync.Mutex
	at   time.Time // of the last step
	done float64
	left time.Duration
	what string
}

func (b *bar) Step(done float64, left time.Duration, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.done, b.left, b.what = time.Now(), done, left, what
	b.draw()
}

// draw draws the current state of the bar. The caller holds the lock.
func (b *bar) draw() {
	done, left := b.done, b.left
	if left > 0 {
		passed := min(time.Since(b.at), left)
		done += (1 - done) * float64(passed) / float64(left)
		left -= passed
	}
	b.Describe(b.what + remaining(left))
	b.Set(min(int(done*barSteps), barSteps-1)) // a full bar would disappear
}

// goOn redraws the bar every second.
func (b *bar) goOn() {
	defer close(b.drawn)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.mu.Lock()
			if b.what != "" {
				b.draw()
			}
			b.mu.Unlock()
		case <-b.ended:
			return
		}
	}
}

func (b *bar) Finish() {
	close(b.ended)
	<-b.drawn
	b.ProgressBar.Finish()
}
