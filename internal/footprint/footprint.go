//go:build go1.25

// Package footprint measures the memory of a program under a load, for each way to get memory. Its
// figures are bytes and not times. proof/memory asserts them, and the command of lab prints them.
//
// Touch it for a load or a way: each is an entry of one table, in loads.go and ways.go.
package footprint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/basin-go/basin"
)

// Figures are measured in one process, in bytes.
type Figures struct {
	Need      int64 // most bytes that were held at a time
	Peak      int64 // most bytes of the heap, garbage included
	Allocated int64 // bytes that the load allocated
	Late      int64 // those of the last quarter of its steps
	Idle      int64 // bytes of the heap after all was given back, and a collection
	Resident  int64 // bytes that the process has some time later, more than before; or -1 if that is unknown
}

// A run is a load that runs with a way.
type run struct {
	Figures
	Memory
	plain  bool // without a pool
	rand   *rand.Rand
	begun  runtime.MemStats
	base   int64 // resident memory at that time
	held   int64
	totals []int64 // bytes allocated until each step

	results [][]byte // that are kept
	live    []byte   // other data of the program
	others  []Memory // further pools
}

// An item is memory that holds n bytes.
type item struct {
	Held
	n int
}

// take takes memory for n bytes, and writes them.
func (r *run) take(n int) item {
	r.held += int64(n)
	r.Need = max(r.Need, r.held)
	return item{r.Write(n), n}
}

// give gives an item back. The zero item is none.
func (r *run) give(x item) {
	if x.n > 0 {
		r.held -= int64(x.n)
		r.Give(x.Held)
	}
}

// drop loses an item.
func (r *run) drop(x item) { r.held -= int64(x.n) }

// keep returns the bytes of an item for a user that never gives them back. The item is given back.
func (r *run) keep(x item) []byte {
	if r.plain {
		return x.bytes
	}
	kept := bytes.Clone(x.bytes)
	r.Give(x.Held)
	return kept
}

// step reads the size of the heap.
func (r *run) step() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Peak = max(r.Peak, int64(m.HeapAlloc)-int64(r.begun.HeapAlloc))
	r.totals = append(r.totals, int64(m.TotalAlloc))
}

// Measure runs a load with a way. If wait is not zero, it then waits before it reads Resident. It
// must be the first measurement of its process.
func Measure(l *Load, w *Way, wait time.Duration) Figures {
	r := &run{plain: w.Plain, rand: rand.New(rand.NewPCG(1, 2)), totals: make([]int64, 0, 1<<16)}
	r.Memory = w.Open()
	l.run(r, w)
	return r.figures(wait)
}

// begin notes the size of the heap, after a load has prepared itself.
func (r *run) begin() {
	runtime.GC()
	r.base = resident()
	runtime.ReadMemStats(&r.begun)
}

func (r *run) figures(wait time.Duration) Figures {
	r.step()
	last := len(r.totals) - 1
	r.Allocated = r.totals[last] - int64(r.begun.TotalAlloc)
	r.Late = r.totals[last] - r.totals[last*3/4]
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Idle = int64(m.HeapAlloc) - int64(r.begun.HeapAlloc)
	r.Resident = -1
	if wait > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		basin.TrimIdle(ctx)
		if r.base >= 0 {
			r.Resident = max(0, resident()-r.base)
		}
	}
	runtime.KeepAlive(r)
	return r.Figures
}

// resident returns the resident memory of the process, or -1 if the system does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return -1
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		return -1
	}
	return pages * int64(os.Getpagesize())
}

// Part measures the load and the way that two names choose, and writes the Figures to out. It is for
// the main function of a process that measures nothing else.
func Part(out io.Writer, ways []Way, load, way string, wait time.Duration) error {
	l, w := find(Loads, load, func(l *Load) string { return l.Name }), find(ways, way, func(w *Way) string { return w.Name })
	if l == nil || w == nil {
		return fmt.Errorf("no load %q or no way %q", load, way)
	}
	return json.NewEncoder(out).Encode(Measure(l, w, wait))
}

func find[T any](all []T, name string, nameOf func(*T) string) *T {
	for i := range all {
		if nameOf(&all[i]) == name {
			return &all[i]
		}
	}
	return nil
}
