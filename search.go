//go:build go1.25

package basin

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

// Searches take at most a tenth of the time. A short time of them is free, so that a program is served at
// once when it begins to go wrong. After a search that finds nothing, there is a pause ten times as long.
var searching struct {
	sync.Mutex
	next   atomic.Int64 // time of the next search, as returned by pin.Now
	last   time.Duration
	credit time.Duration
}

const (
	searchShare  = 10
	searchCredit = 100 * time.Millisecond
)

// searchOnce calls look, unless a search has ended shortly before, and returns its result. If another
// search has made room meanwhile, it returns true.
func searchOnce(room, look func() bool) bool {
	s := &searching
	if int64(pin.Now()) < s.next.Load() {
		return false
	}
	s.Lock()
	defer s.Unlock()
	if room() {
		return true
	}
	began := pin.Now()
	if int64(began) < s.next.Load() {
		return false
	}
	s.credit = min(s.credit+(began-s.last)/searchShare, searchCredit)
	if s.last == 0 {
		s.credit = searchCredit
	}
	found := look()
	ended := pin.Now()
	s.last = ended
	s.credit -= ended - began
	pause := time.Duration(0)
	if s.credit < 0 {
		pause = -searchShare * s.credit
	}
	if !found {
		pause = max(pause, searchShare*(ended-began))
	}
	s.next.Store(int64(ended + pause))
	return found
}
