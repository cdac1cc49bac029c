//go:build go1.25

package basin

import (
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pin"
)

// This file finds slices of a pool with MaxInUse that were put into another pool. Such a slice is idle
// there, so it is no garbage, and the ceiling counts it as in use. When a request finds no room, the
// ledger looks into all pools for idle arrays that it knows. It takes them out, gives their room back,
// and counts the misuse. If the other pool drops the slice instead, it asks the ledgers at once.
//
// The found array is dropped. It could go home instead, but if a user has put it twice, into both pools,
// then a later user may have it already. The array is then nobody's but that user's.
//
// A ledger knows an address until the cleanup of its array has run. By then, the array at that address may
// be the other pool's own. So the ledger also compares weak pointers.

// ledgers are those of all pools with MaxInUse, and of some that are garbage.
var ledgers struct {
	sync.Mutex
	all  atomic.Pointer[[]weak.Pointer[ledger]]
	live int // after the last sweep
}

// maxAsked is the most ledgers that a drop asks. In a program with more, only searches find slices in
// other pools.
const maxAsked = 256

// enlist adds l to ledgers. owner stands for its pool.
func (l *ledger) enlist(owner *check.Owner) {
	l.owner = owner
	owner.Held.Store(true)
	ledgers.Lock()
	defer ledgers.Unlock()
	var all []weak.Pointer[ledger]
	if before := ledgers.all.Load(); before != nil {
		all = *before
	}
	if len(all) > 2*ledgers.live+16 {
		all = slices.DeleteFunc(slices.Clone(all), func(w weak.Pointer[ledger]) bool {
			other := w.Value()
			return other == nil || other.engine.Value() == nil
		})
		ledgers.live = len(all)
	}
	all = append(all, weak.Make(l)) // beyond the length of all slices that are read meanwhile
	ledgers.all.Store(&all)
}

// owns reports whether the array of the given size at x is one that l has handed out, ever.
func (l *ledger) owns(x *byte, size int) bool {
	if x == nil {
		return false
	}
	c := l.sizes.Class(size)
	if c.None() {
		return l.outside.owns(x, size)
	}
	a := uintptr(unsafe.Pointer(x))
	return c.Size() == size && (l.arrays.Has(a, c.Index()) && l.arrays.Is(x, c.Index()) || l.arrays.Has(a, guardedTag))
}

// owns reports whether the array of the given size at x has a record, and is counted.
func (s *outsideSet) owns(x *byte, size int) bool {
	s.mu.Lock()
	r, ok := s.slices[uintptr(unsafe.Pointer(x))]
	s.mu.Unlock()
	return ok && r.counted && r.size == size && r.object == weak.Make(x)
}

// free gives back the room of an array of l that another pool had idle or drops, and counts it as put.
// It returns the place of the Get. If the array has also been put back, free gives back nothing. It returns
// false if another call was faster.
func (l *ledger) free(x *byte, size int) (acquired []uintptr, ok bool) {
	c := l.sizes.Class(size)
	if c.None() {
		acquired = l.outside.siteOf(x).Stack()
		if _, counted := l.outside.remove(x, size); !counted {
			return nil, false
		}
		l.quota.Recover(int64(size))
		return acquired, true
	}
	a := uintptr(unsafe.Pointer(x))
	note := l.arrays.Find(a, c.Index())
	isGuarded := note == nil
	if isGuarded {
		note = l.arrays.Find(a, guardedTag)
	}
	if note == nil {
		return nil, false
	}
	word := note.Word.Get()
	if word&held == 0 {
		return nil, true
	}
	engine := l.engine.Value()
	switch {
	case engine == nil:
		return nil, false
	case isGuarded && l.guardedEnded(x, size):
		engine.CountChecked(c.Index())
	case !isGuarded && l.forget(x, c.Index()):
		engine.CountPut(c.Index())
	default:
		return nil, false
	}
	l.quota.Recover(int64(size))
	return placeOf(word).Stack(), true
}

// stray asks the ledgers for an array that the pool of the given name drops after a Put, and reports whether
// one of them had handed it out. own is the ledger of that pool, and o its owner; both may be nil.
func stray(own *ledger, o *check.Owner, x *byte, capacity int, into string) (found bool) {
	all := ledgers.all.Load()
	if all == nil || len(*all) > maxAsked {
		return false
	}
	for _, w := range *all {
		l := w.Value()
		if l == nil || l == own || !l.owns(x, capacity) {
			continue
		}
		acquired, ok := l.free(x, capacity)
		found = found || ok
		if ok && !l.accepts(o) {
			var pcs [32]uintptr
			here := slices.Clone(pcs[:runtime.Callers(2, pcs[:])])
			l.tell(into, misuse.Finding{Size: capacity, Acquired: acquired, Here: here})
		}
	}
	runtime.KeepAlive(x)
	return found
}

// accepts reports whether slices of l may be put into the pool of o, which may be nil: default pools accept
// each other's slices.
func (l *ledger) accepts(o *check.Owner) bool {
	return o != nil && o.Default.Load() && l.owner.Default.Load()
}

// strayTracked gives back the room of the array at x, which t has a record of, and has taken back from a
// wrong pool with the finding f.
func strayTracked(t *check.Tracker, f *misuse.Finding, x *byte) {
	all := ledgers.all.Load()
	if all == nil {
		return
	}
	for _, w := range *all {
		l := w.Value()
		if l == nil || &l.owner.Pool != f.Pool {
			continue
		}
		c, engine := l.sizes.Class(f.Size), l.engine.Value()
		if c.None() || engine == nil {
			return
		}
		t.OnEnd(x, nil) // it is not lost when its record ends
		if l.ended(x, c.Index()) {
			engine.CountChecked(c.Index())
			l.quota.Give(int64(f.Size))
		}
		return
	}
}

// Lines of the log about two pools have at least this interval.
const strayInterval = time.Minute

// maxStrayLogs is the most names of other pools with lines of their own.
const maxStrayLogs = 64

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
	due := now >= s.next
	n, size := s.slices, s.bytes
	if due {
		*s = strayLog{next: now + strayInterval}
	}
	l.mu.Unlock()
	if !due {
		return
	}
	attrs := []any{slog.String("pool", l.name), slog.String("into", into), slog.Int("slices", n), slog.Int("bytes", size)}
	for _, a := range []struct {
		key   string
		lines []string
	}{{"taken", taken}, {"put", put}} {
		if len(a.lines) > 0 {
			attrs = append(attrs, slog.String(a.key, strings.Join(a.lines[:min(len(a.lines), maxLines)], "; ")))
		}
	}
	// In a new goroutine, because a log handler may be slow or use this very pool.
	go slog.Warn("basin: slices of a pool with MaxInUse were put into another pool. Their room is free again, "+
		"and the other pool does not keep them. Put slices into the pool that they are from", attrs...)
}
