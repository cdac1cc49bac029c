//go:build go1.25

package basin

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/lockfree"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file knows the arrays of a pool under a limit: which are outstanding, and where they were taken. So it
// finds lost memory: slices that were handed out, were never put back and have become garbage. It gives their
// room back to the quota.
//
// Each array that is allocated under a limit has a note, which says whether the array is outstanding, and a
// cleanup. Get and Put write the note. If the note says so when the cleanup runs, the array is lost.
//
// The addresses of all arrays are known. So Put recognises foreign memory even if it has the capacity and
// alignment of a size class, and gives back no room for it. It recognises an array that is put twice, too.

// A ledger has the arrays of one pool. Cleanups of the arrays keep the ledger alive.
// The pool refers to idle arrays, so the ledger must not keep the pool alive.
type ledger struct {
	name   string
	engine weak.Pointer[engine.Engine[*byte]] // of the pool
	over   *overseer                          // of the pool's quota
	quota  *quota.Quota
	sizes  *sizeclass.Table

	classes atomic.Pointer[lockfree.List[classLedger]] // ledgers of the classes that had an array; written under mu
	arrays  lockfree.AddressSet[note]                  // the arrays alive, tagged with their class
	outside outsideSet                                 // slices larger than MaxSize
	guarded atomic.Int64                               // bytes of guarded arrays that are outstanding
	said    atomic.Bool                                // the log has reported lost memory

	owner *check.Owner // of the pool

	mu     sync.Mutex           // guards strays, some of classes, and notes of arrays that have died
	strays map[string]*strayLog // by the name of the pool that had them
}

// A strayLog counts the slices of one pool that were put into pools of one name.
type strayLog struct {
	slices, bytes int           // not in the log yet
	next          time.Duration // of a line in the log, as returned by pin.Now
}

type classLedger struct {
	ledger *ledger
	index  uint
	lost   atomic.Uint64 // arrays found to be lost
}

// newLedger returns the ledger of the named pool, whose idle arrays e keeps.
func newLedger(name string, o *check.Owner, e *engine.Engine[*byte], sizes *sizeclass.Table, over *overseer) *ledger {
	l := &ledger{name: name, owner: o, engine: weak.Make(e), sizes: sizes, over: over, quota: over.quota}
	l.outside.of = l
	o.Held.Store(true)
	return l
}

// class returns the ledger of class i and makes it if needed.
func (l *ledger) class(i uint) *classLedger {
	if c := l.classes.Load().At(i); c != nil {
		return c
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.classes.Load().At(i)
	if c == nil {
		c = &classLedger{ledger: l, index: i}
		l.classes.Store(l.classes.Load().With(i, c))
	}
	return c
}

// ledgerOf has the ledger of each array that one counts.
var ledgerOf homes[*ledger]

// outsideClass stands, in ledgerOf, for slices larger than MaxSize.
const outsideClass = lockfree.Tags

// guardedTag, in arrays, is the tag of guarded memory, which never dies.
const guardedTag = lockfree.Tags - 1

// A life is that of an array of a class.
type life struct {
	class  *classLedger
	array  uintptr
	object weak.Pointer[byte]
	note   *note
}

// enter begins the life of the array at x, of class c, in arrays and in ledgerOf.
func (l *ledger) enter(x *byte, c uint) life {
	record := life{l.class(c), uintptr(unsafe.Pointer(x)), weak.Make(x), new(note)}
	l.settle(x, record.object, c)
	l.arrays.Add(record.array, c, record.note)
	return record
}

// settle makes l the home of the array at x. It ends the life of an array that was there before.
func (l *ledger) settle(x *byte, object weak.Pointer[byte], c uint) {
	a := uintptr(unsafe.Pointer(x))
	if before, dead := ledgerOf.add(x, object, l, c); dead {
		before.pool.end(a, before)()
	}
}

// end returns a function that ends the life of the array that has died at a. The array must still have its home,
// or x must be there and must not be in the ledger yet.
func (l *ledger) end(a uintptr, of home[*ledger]) func() {
	if of.class == outsideClass {
		return func() { l.outside.end(a, of.object) }
	}
	record := life{l.class(of.class), a, of.object, l.arrays.Find(a, of.class)}
	if record.note == nil {
		return func() {}
	}
	return record.died
}

// endAllDead ends the lives of all arrays, and of all guests, that have died. Their cleanups do, too, but Go loses some:
// if GOMAXPROCS falls while the runtime sweeps, cleanups stay with a P that does not run any more.
func endAllDead() {
	var ends []func()
	ledgerOf.dead(func(a uintptr, of home[*ledger]) { ends = append(ends, of.pool.end(a, of)) })
	for _, end := range ends {
		end()
	}
	if quota.EndGuests != nil {
		quota.EndGuests()
	}
}

// born records the new array at x, of class c. The array must be on Go's heap.
func (l *ledger) born(x *byte, c uint) (*note, runtime.Cleanup) {
	record := l.enter(x, c)
	return record.note, runtime.AddCleanup(x, life.died, record)
}

// leave removes the array at x, of class c, which is alive. It returns false if it is not there. When the
// array dies, that is not noticed.
func (l *ledger) leave(x *byte, c uint) bool {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil || !l.arrays.Remove(a, c) {
		return false
	}
	n.word.Set(gone)
	ledgerOf.remove(a, l, c)
	return true
}

// died runs when the array has been collected. By now, its address may be reused. Only the first call does
// something.
func (l life) died() {
	ledger := l.class.ledger
	ledger.mu.Lock()
	word := l.note.word.Get()
	l.note.word.Set(gone)
	ledger.mu.Unlock()
	if word == gone {
		return
	}
	ledgerOf.died(l.array, l.object)
	ledger.arrays.Remove(l.array, l.class.index)
	if word&held == 0 {
		return
	}
	if ledger.engine.Value() != nil {
		l.class.lost.Add(1)
		ledger.outside.loseAt(loss{placeOf(word), word&exempted != 0})
	}
	ledger.recover(l.note.payer(word), ledger.sizes.Size(int(l.class.index)))
}

// adopt is born for an array of any origin. It returns false if the array is not on Go's heap:
// nothing would notice its death. undo takes the record back.
func (l *ledger) adopt(x *byte, c uint) (undo func(), ok bool) {
	if !dies(x) {
		return nil, false
	}
	_, cleanup := l.born(x, c)
	undo = func() {
		cleanup.Stop()
		l.leave(x, c)
	}
	return undo, true
}

// dies reports whether x is on Go's heap.
func dies(x *byte) (ok bool) {
	defer func() {
		if recover() != nil { // AddCleanup panics for memory that is not Go's
			ok = false
		}
	}()
	probe := runtime.AddCleanup(x, func(*byte) {}, nil) // a pointer, because checks have this instance of AddCleanup, too
	probe.Stop()
	return probe != runtime.Cleanup{} // which is that of a global variable
}

// find returns the note of the array at x, given to the pool as one of class c, or nil if it is not one of the
// pool's: recorded and alive. An array of any origin may be at the address of one that has died.
func (l *ledger) find(x *byte, c uint, anyOrigin bool) *note {
	n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c)
	if n == nil || !anyOrigin {
		return n
	}
	if of, ok := ledgerOf.find(x); !ok || of.pool != l || of.class != c {
		return nil
	}
	return n
}

// release notes that the array at x, of class c, is not outstanding any more, and returns the payer of its room.
// ok is false if it was not outstanding. forget says that it stays with its users, and leaves the ledger.
func (l *ledger) release(x *byte, c uint, forget bool) (payer *quota.Account, ok bool) {
	n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c)
	if n == nil {
		return nil, false
	}
	payer, ok = n.release()
	if ok && forget {
		l.leave(x, c)
	}
	return payer, ok
}

// hold notes that the array at x, of class c, is handed out at a place. Its room is from payer, or if that is
// nil, from the quota of the pool.
func (l *ledger) hold(x *byte, c uint, at caller.Site, payer *quota.Account) {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil {
		n = l.arrays.Find(a, guardedTag)
	}
	if n == nil { // unreachable, unless an idle array was removed by mistake
		n, _ = l.born(x, c)
	}
	n.hold(at, payer)
}

// exempt sets whether the outstanding array at x, of the given capacity, need not be put back.
func (l *ledger) exempt(x *byte, capacity int, exempt bool) {
	c := l.sizes.Class(capacity)
	if c.None() {
		l.outside.exempt(x, exempt)
	} else if n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c.Index()); n != nil {
		word := n.word.Get() &^ exempted
		if exempt {
			word |= exempted
		}
		n.word.Set(word)
	}
}

// Checked arrays are never reused: after Put they stay in quarantine, and die later. So their records report
// deaths, until such a Put. When a record ends because checks end, the array gets a cleanup in its place.

// checked is born for an array that t has handed out. The array may be guarded memory, which is not
// on the heap.
func (l *ledger) checked(t *check.Tracker, x *byte, c uint, onHeap bool) {
	if !onHeap {
		l.arrays.Add(uintptr(unsafe.Pointer(x)), guardedTag, new(note))
		ledgerOf.add(x, weak.Pointer[byte]{}, l, c)
		l.guarded.Add(int64(l.sizes.Size(int(c))))
		return
	}
	record := l.enter(x, c)
	ended := func(x *byte) {
		if x == nil {
			record.died()
		} else {
			runtime.AddCleanup(x, life.died, record)
		}
	}
	if !t.OnEnd(x, ended) {
		ended(x)
	}
}

// ended removes the array at x, of class c, which checks have taken back. If the limit counted it, ended
// returns the payer of its room.
func (l *ledger) ended(x *byte, c uint) (payer *quota.Account, ok bool) {
	n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c)
	if n == nil {
		return l.guardedEnded(x, l.sizes.Size(int(c)))
	}
	payer, held := n.release()
	return payer, l.leave(x, c) && held
}

// mayGuard reports whether a slice of the given size may be guarded memory while a sample is checked.
// Nobody notices that guarded memory is lost, so such slices take at most a sixteenth of the room.
func (l *ledger) mayGuard(size int64) bool { return l.guarded.Load()+size <= l.quota.Least()/16 }

// guardedEnded removes the guarded array of the given size at x. If the limit counted it, guardedEnded returns
// the payer of its room. Once checks are off, the pool drops such an array instead of keeping memory that never
// dies.
func (l *ledger) guardedEnded(x *byte, size int) (payer *quota.Account, ok bool) {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, guardedTag)
	if n == nil || !l.arrays.Remove(a, guardedTag) {
		return nil, false
	}
	payer, _ = n.release()
	ledgerOf.remove(a, l, l.sizes.Class(size).Index())
	l.guarded.Add(-int64(size))
	return payer, true
}

// give gives back size bytes of room, for which payer has paid.
func (l *ledger) give(payer *quota.Account, size int) {
	quota.Payer{Of: l.quota, From: payer}.Give(int64(size))
}

// giveLost is give for memory that is lost, or was found elsewhere.
func (l *ledger) giveLost(payer *quota.Account, size int) {
	quota.Payer{Of: l.quota, From: payer}.Recover(int64(size))
}

// recover gives the room of a lost slice back. The first time, it also writes to the log, from a new goroutine,
// because a log handler may be slow or use this very pool. If the pool is gone, too, it says nothing.
func (l *ledger) recover(payer *quota.Account, size int) {
	l.over.found()
	l.giveLost(payer, size)
	if l.engine.Value() == nil || l.said.Swap(true) {
		return
	}
	find := "Leaks that checks report have the lines that took it"
	attrs := []any{"pool", l.name, "bytes", size, "max_in_use", l.quota.Least()}
	if lines := l.outside.lostLines(); lines != "" {
		find = "Lines in sites took it"
		attrs = append(attrs, "sites", lines)
	}
	go slog.Warn("basin: memory of a pool under a limit was never put back into it, and is garbage: its room is free again. "+
		"Stats.Lost counts all such memory; the log reports only the first. "+find, attrs...)
}

// lostOf returns the number of lost arrays of class i. l may be nil.
func (l *ledger) lostOf(i uint) uint64 {
	if l == nil {
		return 0
	}
	if c := l.classes.Load().At(i); c != nil {
		return c.lost.Load()
	}
	return 0
}

// An outsideSet records outstanding slices that Put could not tell from foreign ones: slices larger
// than MaxSize under a limit, and buffers that a FixedPool has made because none was idle. They are few,
// and each is a new allocation, so a record for each is cheap enough. Foreign slices and slices that were
// already put have no record. If a slice is never put, its record ends when its array is collected.
type outsideSet struct {
	of      *ledger // nil in a FixedPool, which counts its buffers otherwise
	mu      sync.Mutex
	some    atomic.Int64             // length of slices
	slices  map[uintptr]outsideSlice // by address, which does not keep the array alive
	serial  uint64                   // of the latest slice
	counted Amount                   // outstanding slices of a ledger
	lost    Amount                   // such slices that died without a Put
	lostAt  map[loss]uint64          // number of lost slices of any size
}

type outsideSlice struct {
	at      uintptr
	size    int
	serial  uint64
	cleanup runtime.Cleanup

	site   caller.Site        // of its Get, if there is a ledger
	payer  *quota.Account     // likewise; nil for the quota of the pool
	exempt bool               // as for exempted
	object weak.Pointer[byte] // likewise; see ledgerOf
	lost   func(payer *quota.Account, size int)
}

// add records the array of the given size at x, which must be new and on Go's heap. If the array dies without a
// Put, lost is called with its payer and size, unless lost is nil. lost must not refer to the array.
func (s *outsideSet) add(x *byte, size int, payer *quota.Account, lost func(payer *quota.Account, size int)) {
	a := uintptr(unsafe.Pointer(x))
	var site caller.Site
	var object weak.Pointer[byte]
	if s.of != nil {
		site, object = caller.Here(), weak.Make(x)
	}
	s.mu.Lock()
	s.serial++
	serial := s.serial
	s.mu.Unlock()
	cleanup := runtime.AddCleanup(x, func(serial uint64) {
		if s.died(a, serial) && lost != nil {
			lost(payer, size)
		}
	}, serial)
	if s.of != nil {
		s.of.settle(x, object, outsideClass)
	}
	s.mu.Lock()
	before, found := s.slices[a] // an array that died here, and whose cleanup is yet to run
	if s.slices == nil {
		s.slices = make(map[uintptr]outsideSlice)
	}
	s.slices[a] = outsideSlice{at: a, size: size, serial: serial, cleanup: cleanup, site: site, payer: payer, object: object, lost: lost}
	s.some.Store(int64(len(s.slices)))
	if found {
		s.bury(before)
	}
	if s.of != nil {
		s.counted.add(size, 1)
	}
	s.mu.Unlock()
	if found && lost != nil {
		lost(before.payer, before.size)
	}
	runtime.KeepAlive(x)
}

// died removes the record of the array that was at a, and reports whether there was one: whether it had not been
// put.
func (s *outsideSet) died(a uintptr, serial uint64) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.serial != serial {
		return false
	}
	delete(s.slices, a)
	s.some.Store(int64(len(s.slices)))
	s.bury(r)
	return true
}

// end is died for an array whose cleanup is late. It also calls lost.
func (s *outsideSet) end(a uintptr, object weak.Pointer[byte]) {
	s.mu.Lock()
	r, ok := s.slices[a]
	s.mu.Unlock()
	if ok && r.object == object && s.died(a, r.serial) && r.lost != nil {
		r.lost(r.payer, r.size)
	}
}

// bury counts a slice that died without a Put. The caller must hold the lock.
func (s *outsideSet) bury(r outsideSlice) {
	if s.of != nil {
		ledgerOf.died(r.at, r.object)
		s.counted.add(r.size, -1)
		s.lost.add(r.size, 1)
		s.loseLocked(loss{r.site, r.exempt})
	}
}

// loseAt counts a lost slice of a place.
func (s *outsideSet) loseAt(at loss) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseLocked(at)
}

// loseLocked is loseAt. The caller must hold the lock.
func (s *outsideSet) loseLocked(at loss) {
	if s.lostAt == nil {
		s.lostAt = make(map[loss]uint64)
	}
	s.lostAt[at]++
}

// remove removes the record of the array of the given size at x. It reports whether there was a record, and
// returns the payer of the array.
func (s *outsideSet) remove(x *byte, size int) (payer *quota.Account, found bool) {
	a := uintptr(unsafe.Pointer(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.size != size {
		return nil, false
	}
	r.cleanup.Stop()
	delete(s.slices, a)
	s.some.Store(int64(len(s.slices)))
	if s.of != nil {
		ledgerOf.remove(a, s.of, outsideClass)
		s.counted.add(size, -1)
	}
	return r.payer, true
}

// exempt sets whether the slice at x need not be put back.
func (s *outsideSet) exempt(x *byte, exempt bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.slices[uintptr(unsafe.Pointer(x))]; ok {
		r.exempt = exempt
		s.slices[r.at] = r
	}
}

// has reports whether a slice at address a has a record.
func (s *outsideSet) has(a uintptr) bool {
	if s.some.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.slices[a]
	return ok
}

// outstanding returns the size and the place of the slice at x, and whether it is outstanding.
func (s *outsideSet) outstanding(x *byte) (size int, at caller.Site, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[uintptr(unsafe.Pointer(x))]
	return r.size, r.site, ok
}

// lostLines returns the source lines that took lost slices of any size.
func (s *outsideSet) lostLines() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lostLines(s.lostAt)
}

// amounts returns the counted amounts: outstanding, and lost.
func (s *outsideSet) amounts() (counted, lost Amount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted, s.lost
}

// chargeUnit is the unit to which capacities of slices larger than MaxSize are rounded up.
const chargeUnit = sizeclass.Min
