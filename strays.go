//go:build go1.25

package basin

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/warn"
)

// This file finds slices of a pool under a limit that were put into another pool. Such a slice is idle
// there, so it is no garbage, and the limit counts it as in use. When a request finds no room, it
// looks into all pools for idle arrays of those that share the limit. It takes them out, gives their room back,
// and counts the misuse. If the other pool drops the slice instead, it asks for its ledger at once.
//
// The found array is dropped. It could go home instead, but if a user has put it twice, into both pools,
// then a later user may have it already. The array is then nobody's but that user's.
//
// A pool that has been given a slice by Adopt owns it, so Adopt ends the count of the ledger first. Put of a
// pool that Adopts may take the fast path, and does not. A search takes such slices back, too, but they are no
// misuse. Arrays that the ledger does not count as in use are left alone: they may have become another pool's
// in other rightful ways.

// A lent is an outstanding array of a pool under a limit.
type lent struct {
	home[*ledger]
	x    *byte
	size int
	at   caller.Site // of its Get
}

// lentAt returns the outstanding array that begins at x. ok is false if there is none.
func lentAt(x *byte) (of lent, ok bool) {
	home, ok := ledgerOf.find(x)
	if !ok {
		return of, false
	}
	size, at, ok := home.pool.outstanding(x, home.class)
	return lent{home, x, size, at}, ok
}

// outstanding returns the size and the place of the array of l at x, of class c, and whether it is
// outstanding.
func (l *ledger) outstanding(x *byte, c uint) (size int, at caller.Site, ok bool) {
	if c == outsideClass {
		return l.outside.outstanding(x)
	}
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil {
		n = l.arrays.Find(a, guardedTag)
	}
	if n == nil {
		return 0, 0, false
	}
	word := n.word.Get()
	return l.sizes.Size(int(c)), placeOf(word), word&held != 0
}

// free gives the room of the array back, and counts the array as put. t is the tracker that has a record of
// it, or nil. It returns false if another call was faster.
func (a *lent) free(t *check.Tracker) bool {
	l := a.pool
	if a.class == outsideClass {
		payer, ok := l.outside.remove(a.x, a.size)
		if ok {
			l.giveLost(payer, a.size)
		}
		return ok
	}
	engine := l.engine.Value()
	if engine == nil {
		return false
	}
	tracked := t != nil || a.object == weak.Pointer[byte]{} // or guarded memory
	if t != nil {
		t.OnEnd(a.x, nil) // it is not lost when its record ends
	}
	payer, ok := l.ended(a.x, a.class)
	switch {
	case !ok:
		return false
	case tracked:
		engine.CountChecked(a.class)
	default:
		engine.CountPut(a.class)
	}
	l.giveLost(payer, a.size)
	return true
}

// found returns the finding of the array, which was put into another pool.
func (a *lent) found() misuse.Finding { return misuse.Finding{Size: a.size, Acquired: a.at.Stack()} }

// allowed reports whether the pool of o may have slices of l: default pools accept each other's.
func (l *ledger) allowed(o *check.Owner) bool { return l.owner.Default.Load() && o.Default.Load() }

// stray looks for the ledger of an array, of at least the given capacity, that the pool of o drops after a
// Put. It gives the room of the array back, and reports whether there was such a ledger. own is the ledger of
// that pool, or nil. adopts says whether the pool takes slices of any origin.
func stray(o *check.Owner, own *ledger, adopts bool, x *byte, capacity int) (found bool) {
	if capacity == 0 { // x may be anything
		return false
	}
	a, ok := lentAt(x)
	if !ok || a.pool == own || a.shared || !a.free(nil) {
		return false
	}
	if adopts || a.pool.allowed(o) {
		return true
	}
	var pcs [32]uintptr
	f := a.found()
	f.Here = slices.Clone(pcs[:runtime.Callers(2, pcs[:])])
	a.pool.tell(o.Name, f)
	return true
}

// strayTracked gives back the room of the array at x, which t has a record of, and has taken back from a
// wrong pool with the finding f.
func strayTracked(t *check.Tracker, f *misuse.Finding, x *byte) {
	if a, ok := lentAt(x); ok && f.Kind == misuse.WrongPool && &a.pool.owner.Pool == f.Pool {
		a.free(t)
	}
}

// handOver ends the count of an array at x with the given capacity, which the pool with ledger own is about
// to adopt, and reports whether there was one. own may be nil. t is the tracker that has a record of the array,
// or nil. If only a part of the array is adopted, its user may hold the rest, so it counts until that is
// garbage or forgotten.
func handOver(own *ledger, t *check.Tracker, x *byte, capacity int) (found bool) {
	if capacity == 0 {
		return false
	}
	switch a, ok := lentAt(x); {
	case !ok || a.pool == own:
	case a.size == capacity:
		return a.free(t)
	default:
		ledgerOf.share(x)
	}
	return false
}

// Lines of the log about two pools have at least this interval.
const strayInterval = time.Minute

// maxStrayLogs is the most names of other pools with lines of their own.
const maxStrayLogs = 64

// In all, the log has at most maxStrayLines of them a minute.
const maxStrayLines = 100

var strayLines struct {
	sync.Mutex
	until time.Duration // end of the present minute, as returned by pin.Now
	n     int           // since its beginning
}

// mayLog reports whether the log may have one more line about two pools now. If so, the caller must write it.
func mayLog(now time.Duration) bool {
	s := &strayLines
	s.Lock()
	defer s.Unlock()
	if now >= s.until {
		s.until, s.n = now+strayInterval, 0
	}
	s.n++
	return s.n <= maxStrayLines
}

// tell counts slices of l that were put into a pool of the given name, and writes to the log. A handler
// of checks is called from another goroutine: the caller need not be the one who put them.
func (l *ledger) tell(into string, strays ...misuse.Finding) {
	if len(strays) == 0 {
		return
	}
	bytes := 0
	var taken, put []string
	for _, f := range strays {
		f.Kind, f.Pool, f.Into = misuse.WrongPool, &l.owner.Pool, into
		bytes += f.Size
		if line := lineOf(f.Acquired); line != "" && !slices.Contains(taken, line) {
			taken = append(taken, line)
		}
		if line := lineOf(f.Here); line != "" && !slices.Contains(put, line) {
			put = append(put, line)
		}
		if basincheck.Now().Handler != nil {
			misuse.ReportLater(f)
		} else {
			misuse.Count(f)
		}
	}
	now := pin.Now()
	l.mu.Lock()
	if l.strays == nil {
		l.strays = make(map[string]*strayLog)
	}
	key := into
	if l.strays[key] == nil && len(l.strays) >= maxStrayLogs {
		key = "…"
	}
	s := l.strays[key]
	if s == nil {
		s = &strayLog{next: now}
		l.strays[key] = s
	}
	s.slices += len(strays)
	s.bytes += bytes
	due := now >= s.next && mayLog(now)
	n, size := s.slices, s.bytes
	if due {
		*s = strayLog{next: now + strayInterval}
	}
	l.mu.Unlock()
	if !due {
		return
	}
	attrs := []any{"pool", l.name, "into", into, "slices", n, "bytes", size}
	for _, a := range []struct {
		key   string
		lines []string
	}{{"taken", taken}, {"put", put}} {
		if len(a.lines) > 0 {
			attrs = append(attrs, a.key, strings.Join(a.lines[:min(len(a.lines), maxLines)], "; "))
		}
	}
	// In a new goroutine, because a log handler may be slow or use this very pool.
	go warn.Log("basin: slices of a pool under a limit were put into another pool. Their room is free again, "+
		"and the other pool does not keep them. Put slices into the pool that they are from", attrs...)
}
