// Package record collects what a program asks its byte pools for: of one
// acquisition in N the size, when it began, on which P, and how long the slice was
// held. While nothing is recorded it costs nothing, since it is only asked on
// the pools' slow paths; while something is, all calls take these, as with checks.
package record

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

// Current is the recorder that is on, or nil. Only Start and Stop store it.
var Current atomic.Pointer[Recorder]

var onSwitch func(checked bool)

// OnSwitch has f called when a recording begins or ends, with whether anything is
// checked. There is one such function: it belongs to the package that knows the
// pools, and is set before any recording.
func OnSwitch(f func(checked bool)) { onSwitch = f }

// What a Recorder holds at most. An acquisition that has no room is lost, and counted.
const (
	shardCount = 64
	maxOpen    = 1 << 17 // slices that are held
	maxEnded   = 1 << 17 // acquisitions that wait for Drain
	filterSize = 4096
)

// A Recorder has what was recorded and not drained yet, in at most some 20 MB. All
// methods may be called from many goroutines at once.
type Recorder struct {
	Every int
	Begun time.Time

	threshold uint32 // a random number up to this is picked
	lost      atomic.Uint64
	held      atomic.Int64             // slices that are open
	waiting   atomic.Int64             // acquisitions that wait for Drain
	filter    [filterSize]atomic.Int32 // how many slices are open, by a hash of the address
	shards    [shardCount]shard
}

type shard struct {
	mu    sync.Mutex
	open  map[uintptr]trace.Acquisition // by the address of the array, which they do not keep alive
	ended []trace.Acquisition
	_     [16]byte
}

// Start begins to record one in every acquisitions. It returns nil if another
// recording is going on.
func Start(every int) *Recorder {
	r := &Recorder{Every: every, Begun: time.Now(), threshold: uint32(math.MaxUint32 / uint(every))}
	for i := range r.shards {
		r.shards[i].open = map[uintptr]trace.Acquisition{}
	}
	started := false
	check.Hold(func(t *check.Tracker) {
		if started = Current.CompareAndSwap(nil, r); started && onSwitch != nil {
			onSwitch(t != nil)
		}
	})
	if !started {
		return nil
	}
	return r
}

// Stop ends the recording. It may be called again.
func (r *Recorder) Stop() {
	check.Hold(func(t *check.Tracker) {
		if Current.CompareAndSwap(r, nil) && onSwitch != nil {
			onSwitch(t != nil)
		}
	})
}

// Procs returns what the header of the trace says.
func (r *Recorder) Procs() int { return runtime.GOMAXPROCS(0) }

func hash(a uintptr) uint { return uint(uint64(a) * 0x9E3779B97F4A7C15 >> 40) }

func (r *Recorder) now() int64 { return int64(time.Since(r.Begun)) }

// p returns the P, or 0 where Ps cannot be told.
func p() int32 {
	id := pin.Pin()
	pin.Unpin()
	return int32(max(0, id))
}

// Got says that a pool has handed out the array at x to someone who asked for size
// bytes. Outside says that the pool does not keep it.
func (r *Recorder) Got(pool uint64, x *byte, size int, outside bool) {
	if r.Every > 1 && rand.Uint32() > r.threshold {
		return
	}
	a := uintptr(unsafe.Pointer(x))
	now, p := r.now(), p()
	s := &r.shards[hash(a)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.open[a]; ok { // it became garbage, and the address is another's now
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

// Put says that the array at x is put back, to whichever pool.
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

// Lost returns how many acquisitions were lost.
func (r *Recorder) Lost() uint64 { return r.lost.Load() }

// Drain appends what has ended since the last call to dst.
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

// Open appends what has not been put back to dst. The recording is to be stopped.
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
