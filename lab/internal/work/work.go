// Package work has the workloads of all subjects: each [Workload] is one kind of use.
package work

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/subjects"
)

// A Workload is one kind of use of memory.
type Workload struct {
	Name  string
	What  string // description of the measurement, in a sentence or two
	Op    string // description of one operation
	Group string // heading in the report

	Goroutines int           // number, each with its own operations; zero means one for each P
	Procs      int           // GOMAXPROCS, or 0 to leave it unchanged
	Round      time.Duration // time of a round, or 0 for the default
	PerRound   int           // operations of a round, or 0 for as many as fit
	Asked      float64       // mean bytes requested by an operation; the bytes allocated then show the number of misses

	// Can reports whether a subject supports the workload. New prepares the workload for such a
	// subject.
	Can func(*subjects.Subject) bool
	New func(*subjects.Subject, Env) *Unit

	// Curve, if not nil, replaces New: the workload is measured over time instead of timed.
	Curve *Curve

	NeedsBackend bool // in the Env
}

// A Unit is a workload of one subject, ready to run.
type Unit struct {
	Run     Loop
	Between func() // called before each round, and not timed
	Misses  func() uint64
}

// An Env is shared by all subjects of a run.
type Env struct {
	Sizes   []int        // of the files of the Go distribution, in random order, as realistic lengths
	Backend demo.Backend // if the workload needs it
}

// A Loop runs n operations on the given worker. Workers run at the same time.
type Loop func(worker, n int)

var workloads []*Workload

func add(w ...*Workload) { workloads = append(workloads, w...) }

// Groups of workloads, in the order of the report.
const (
	GroupSlices  = "Byte slices"
	GroupMemory  = "Memory over time"
	GroupBuffers = "Buffers"
	GroupValues  = "Typed values and fixed pools"
	GroupGateway = "The gateway"
	GroupScaling = "Scaling"
	GroupLoops   = "Written out, without an interface"
)

// Groups lists all groups.
var Groups = []string{GroupSlices, GroupMemory, GroupBuffers, GroupValues, GroupGateway, GroupScaling, GroupLoops}

// All returns all workloads in the order of the report.
func All() []*Workload {
	return slices.SortedStableFunc(slices.Values(slices.Concat(workloads, scaling(runtime.GOMAXPROCS(0)))), func(a, b *Workload) int {
		return cmp.Compare(slices.Index(Groups, a.Group), slices.Index(Groups, b.Group))
	})
}

// Named returns the workload of that name.
func Named(name string) (*Workload, error) {
	if p, ok := strings.CutPrefix(name, scalingPrefix); ok {
		if procs, err := strconv.Atoi(p); err == nil && procs > 0 {
			return scalingTo(procs), nil
		}
	}
	for _, w := range workloads {
		if w.Name == name {
			return w, nil
		}
	}
	return nil, fmt.Errorf("no workload %q", name)
}

// Workers returns the number of goroutines of the workload.
func (w *Workload) Workers() int {
	if w.Goroutines > 0 {
		return w.Goroutines
	}
	return runtime.GOMAXPROCS(0)
}

// StartBackend starts the environment of gateways.
func StartBackend(ctx context.Context) (demo.Backend, func(), error) {
	config := demo.Config{Duration: 1, Concurrency: gatewayConnections}
	if err := config.Complete(); err != nil {
		return demo.Backend{}, nil, err
	}
	return demo.StartBackend(ctx, config.Corpus, gatewayConnections)
}

// MeanSize returns the mean length of files.
func (e Env) MeanSize() (mean float64) {
	for _, n := range e.Sizes {
		mean += float64(n) / float64(len(e.Sizes))
	}
	return mean
}

// missesOf returns the function that counts a pool's misses, or nil.
func missesOf(pool any) func() uint64 {
	if m, ok := pool.(misser); ok {
		return m.Misses
	}
	return nil
}

// A misser counts Gets that found nothing to reuse.
type misser interface{ Misses() uint64 }

// Requirements of workloads on subjects.

func canSlices(s *subjects.Subject) bool  { return s.Slices != nil }
func canOneSize(s *subjects.Subject) bool { return s.OneSize != nil || s.Slices != nil }
func canFixed(s *subjects.Subject) bool   { return s.Fixed != nil }
func canBuffers(s *subjects.Subject) bool { return s.Buffers != nil }
func canLists(s *subjects.Subject) bool   { return s.Lists != nil }
func canRecords(s *subjects.Subject) bool { return s.Records != nil }

func oneSize(s *subjects.Subject, size int) subjects.Slices {
	if s.OneSize != nil {
		return s.OneSize(size)
	}
	return s.Slices()
}
