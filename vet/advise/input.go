package advise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
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

// take takes two heap profiles and between them a CPU profile, which may fail: another may be running.
func (s *server) take(ctx context.Context, d time.Duration) (*input, error) {
	a, err := s.heap(ctx)
	if err != nil {
		return nil, err
	}
	before, poolsBefore := s.collections(ctx), s.pools(ctx)
	var in input
	begun := time.Now()
	err = s.profile(ctx, fmt.Sprintf("profile?seconds=%d", max(int(d.Seconds()), 1)), d, func(p *profile) error {
		return in.cpu(ctx, p)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		in.notes = append(in.notes, "There is no CPU profile: "+err.Error()+".")
		select {
		case <-time.After(time.Until(begun.Add(d))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	after := s.collections(ctx)
	b, err := s.heap(ctx)
	if err != nil {
		return nil, err
	}
	if in.heap, err = between(a, b); err != nil {
		return nil, err
	}
	if pools := s.pools(ctx); pools != nil {
		in.pools = pools.judge(poolsBefore)
	}
	if before >= 0 && after >= before {
		in.collections = after - before
	}
	return &in, nil
}

// pools reads the figures that basinhttp mounts beside the profiles. Most programs have none.
func (s *server) pools(ctx context.Context) *reading {
	at := server{strings.TrimSuffix(s.base, "pprof/")}
	var r *reading
	at.read(ctx, "basin/?format=json", 0, func(from io.Reader) (err error) {
		r, err = readPools(from)
		return err
	})
	return r
}

// poolsFile reads figures from a file.
func (in *input) poolsFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%w; name a file that curl has written from http://HOST/debug/basin/?format=json", err)
	}
	defer f.Close()
	r, err := readPools(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	in.pools = r.judge(nil)
	return nil
}
