package advise

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// An input has the measurements.
type input struct {
	heap        *heap
	gc          *float64 // the collector's share of the CPU time
	collections int64
	pools       []*Pool // of basin, if the program says anything of them
	notes       []string
}

// files reads one heap profile or two.
func (in *input) files(ctx context.Context, names []string) error {
	var all []*heap
	for _, name := range names {
		if err := withFile(ctx, name, func(p *profile) error {
			h, err := readHeap(ctx, p)
			all = append(all, h)
			return err
		}); err != nil {
			return err
		}
	}
	in.heap = all[0]
	if len(all) == 2 {
		var err error
		if in.heap, err = between(all[0], all[1]); err != nil {
			return err
		}
	}
	return nil
}

// collector are functions whose time is the collector's.
var collector = []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart", "runtime.gcMarkTermination", "runtime.gcMarkDone", "runtime.deductSweepCredit"}

// cpu reads a CPU profile for the collector's share.
func (in *input) cpu(ctx context.Context, p *profile) error {
	column := p.column("cpu")
	if column < 0 {
		return fmt.Errorf("%s is a profile of %s, not of the CPU: take one from /debug/pprof/profile", p.name, p.subject())
	}
	var gc, all int64
	err := p.samples(ctx, func(s *sample) {
		v := max(s.values[column], 0)
		all += v
		for _, id := range s.locations {
			for _, l := range p.locations[id] {
				name := p.string(p.functions[l.function].name)
				for _, c := range collector {
					if strings.HasPrefix(name, c) {
						gc += v
						return
					}
				}
			}
		}
	})
	if err == nil && all == 0 {
		err = errors.New("the program used no CPU time")
	}
	if err != nil {
		return err
	}
	share := float64(gc) / float64(all)
	in.gc = &share
	return nil
}

// maxShown is how much of a name from elsewhere is shown.
const maxShown = 200

// printable makes text from elsewhere safe for a terminal.
func printable(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxShown {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}
