//go:build go1.25

package basin

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/quota"
)

// A tally counts, towards a limit, the memory of values whose users make them grow where no pool sees it: those
// of a StdBufferPool, and of a Pool with a Size. Such a value counts as its size when it is handed out.
// If that is less, it counts as the mean size of the values put lately. Nobody notices that one is
// lost. The methods of a nil tally do nothing.
type tally struct {
	quota  *quota.Quota
	beyond atomic.Uint64 // values handed out beyond the limit

	mu    sync.Mutex
	out   int64 // values
	bytes int64 // taken for them
	mean  int64
}

// newTally returns the tally of a pool with the given settings, or nil.
func newTally(kind string, s *settings) *tally {
	if over := s.overseer(kind); over != nil {
		return &tally{quota: over.quota}
	}
	return nil
}

// got counts a value of the given size that is handed out.
func (t *tally) got(size int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(max(int64(size), t.mean, 0), impossible)
	if t.quota.Force(n) { // before another put can give a part of it back
		t.beyond.Add(1)
	}
	t.out++
	t.bytes += n
}

// put counts a value that is put with the given size, and gives back the mean of the bytes taken for the values
// that are out: nobody knows how many were taken for this one.
func (t *tally) put(size int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.mean += (min(max(int64(size), 0), impossible) - t.mean) / meanOf
	n := int64(0)
	if t.out > 0 { // otherwise the value is from elsewhere
		n = t.bytes / t.out
		t.bytes -= n
		t.out--
	}
	t.mu.Unlock()
	t.quota.Give(n)
}

// meanOf is the number of values over which the mean goes.
const meanOf = 8

// addTo adds the figures to s.
func (t *tally) addTo(s *Stats) {
	if t == nil {
		return
	}
	t.mu.Lock()
	s.Bytes.InUse = t.bytes
	t.mu.Unlock()
	s.Beyond = t.beyond.Load()
}
