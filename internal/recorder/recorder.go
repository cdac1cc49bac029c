//go:build go1.25

// Package recorder samples how a program uses its byte pools. For one acquisition in N it notes the
// size, the time, the P and the lifetime of the slice. Without a recording it costs nothing, since
// pools look for a Recorder on their slow paths only. During a recording all calls take the slow
// paths, as with checks.
//
// Touch it for the sampling and its limits on memory. internal/trace has the format of the result.
package recorder

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/trace"
)

// Current is the active recorder, or nil. Only Start and Stop store it.
var Current atomic.Pointer[Recorder]

var onSwitch func(checked bool, t *check.Tracker)

// OnSwitch sets f to be called when a recording begins or ends. Its arguments say whether anything
// is checked, and by which tracker. There is one such function: it belongs to the package that knows the pools, and is
// set before any recording.
func OnSwitch(f func(checked bool, t *check.Tracker)) { onSwitch = f }

// Limits of a Recorder. An acquisition beyond them is lost, and counted.
const (
	shardCount = 64
	maxOpen    = 1 << 17 // slices that are outstanding
	maxEnded   = 1 << 17 // acquisitions that wait for Drain
	filterSize = 4096
)

// A Recorder has the acquisitions that were recorded and not drained yet, in at most about 20
// MB. All methods are safe for concurrent use.
type Recorder struct {
	Every int
	Begun time.Time

	threshold uint32 // random numbers up to this pick an acquisition
	lost      atomic.Uint64
	held      atomic.Int64             // slices that are outstanding
	waiting   atomic.Int64             // acquisitions that wait for Drain
	filter    [filterSize]atomic.Int32 // number of outstanding slices by hash of the address
	shards    [shardCount]shard
}

type shard struct {
	mu    sync.Mutex
	open  map[uintptr]trace.Acquisition // by address of the array; does not keep the array alive
	ended []trace.Acquisition
	_     [16]byte
}

// Start begins to record one in every acquisitions. It returns nil if another recording is
// active.
func Start(every int) *Recorder {
	r := &Recorder{Every: every, Begun: time.Now(), threshold: uint32(math.MaxUint32 / uint(every))}
	for i := range r.shards {
		r.shards[i].open = map[uintptr]trace.Acquisition{}
	}
	started := false
	check.Hold(func(t *check.Tracker) {
		if started = Current.CompareAndSwap(nil, r); started && onSwitch != nil {
			onSwitch(t != nil, t)
		}
	})
	if !started {
		return nil
	}
	return r
}

// Stop ends the recording. Further calls do nothing.
func (r *Recorder) Stop() {
	check.Hold(func(t *check.Tracker) {
		if Current.CompareAndSwap(r, nil) && onSwitch != nil {
			onSwitch(t != nil, t)
		}
	})
}

// Procs returns GOMAXPROCS for the header of the trace.
func (r *Recorder) Procs() int { return runtime.GOMAXPROCS(0) }

func hash(a uintptr) uint { return uint(uint64(a) * 0x9E3779B97F4A7C15 >> 40) }

func (r *Recorder) now() int64 { return int64(time.Since(r.Begun)) }

// p returns the current P, or 0 on platforms that do not tell.
func p() int32 {
	id := pin.Pin()
	pin.Unpin()
	return int32(max(0, id))
}

// Got notes that a pool has handed out the array at x for a request of size bytes. outside
// means that the pool will not keep the array.
func (r *Recorder) Got(pool uint64, x *byte, size int, outside bool) {
	if r.Every > 1 && rand.Uint32() > r.threshold {
		return
	}
	a := uintptr(unsafe.Pointer(x))
	now, p := r.now(), p()
	s := &r.shards[hash(a)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.open[a]; ok { // that array became garbage, and its address was reused
		r.close(s, a, before)
	}
	if r.held.Add(1) > maxOpen {
		r.held.Add(-1)
		r.lost.Add(1)
		return
	}
	s.open[a] = trace.Acquisition{Pool: pool, Size: int64(size), Start: now, Lifetime: -1, GetP: p, Outside: outside}
	r.filter[hash(a)%filterSize].Add(1)
}

// Put notes that the array at x is put into any pool.
func (r *Recorder) Put(x *byte) {
	a := uintptr(unsafe.Pointer(x))
	if r.filter[hash(a)%filterSize].Load() == 0 {
		return
	}
	now, p := r.now(), p()
	s := &r.shards[hash(a)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	if got, ok := s.open[a]; ok {
		got.Lifetime, got.PutP = max(0, now-got.Start), p
		r.close(s, a, got)
	}
}

// close ends an acquisition. The caller holds the lock of s.
func (r *Recorder) close(s *shard, a uintptr, got trace.Acquisition) {
	delete(s.open, a)
	r.filter[hash(a)%filterSize].Add(-1)
	r.held.Add(-1)
	if r.waiting.Add(1) > maxEnded {
		r.waiting.Add(-1)
		r.lost.Add(1)
		return
	}
	s.ended = append(s.ended, got)
}

// Lost returns the number of lost acquisitions.
func (r *Recorder) Lost() uint64 { return r.lost.Load() }

// Drain appends the acquisitions that have ended since the last call to dst.
func (r *Recorder) Drain(dst []trace.Acquisition) []trace.Acquisition {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		dst = append(dst, s.ended...)
		r.waiting.Add(-int64(len(s.ended)))
		s.ended = s.ended[:0]
		s.mu.Unlock()
	}
	return dst
}

// Open appends the acquisitions that have not been put back to dst. The recording must be
// stopped.
func (r *Recorder) Open(dst []trace.Acquisition) []trace.Acquisition {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		for _, a := range s.open {
			dst = append(dst, a)
		}
		r.held.Add(-int64(len(s.open)))
		clear(s.open)
		s.mu.Unlock()
	}
	return dst
}
