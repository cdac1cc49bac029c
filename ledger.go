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
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/waitlist"
)

// This file finds lost memory: slices that were handed out under [BytePool.MaxInUse], were never
// put back and have become garbage. It gives their room back to the quota.
//
// An array that is allocated under a ceiling gets one cleanup, so Get and Put pay nothing. The
// cleanup counts deaths by size class. The engine counts, by class, the items that it releases
// itself, and all of those die at some time. Further deaths are deaths of outstanding arrays, which
// are lost. The engine counts an item before it can die, so the surplus of deaths never exceeds the
// number of lost arrays. Once all released items are collected, it equals that number.
//
// The addresses of all arrays with such a cleanup are known. So Put recognises foreign memory even
// if it has the capacity and alignment of a size class, and gives back no room for it.

// A ledger counts the deaths of one pool's arrays. Cleanups of the arrays keep the ledger alive.
// The pool refers to idle arrays, so the ledger must not keep the pool alive.
type ledger struct {
	name   string
	engine weak.Pointer[engine.Engine[*byte]] // of the pool
	quota  *quota.Quota
	sizes  *sizeclass.Table

	classes atomic.Pointer[lockfree.List[classLedger]] // ledgers of the classes that had an array; written under mu
	arrays  lockfree.AddressSet                        // the arrays alive, tagged with their class
	outside outsideSet                                 // slices larger than MaxSize, and slices that had no room
	guarded atomic.Int64                               // bytes of guarded arrays that are outstanding
	said    atomic.Bool                                // the log has reported lost memory

	mu       sync.Mutex    // guards the fields below, and some of classes
	searched time.Time     // time of the latest collection by watch
	pause    time.Duration // from searched to the next collection
	found    bool          // lost memory was found since
	waitSaid bool          // the log has reported that requests wait in vain

	owner  *check.Owner         // of the pool; set by enlist
	strays map[string]*strayLog // by the name of the pool that had them; guarded by mu
}

type classLedger struct {
	ledger *ledger
	index  uint
	lost   atomic.Uint64 // arrays found to be lost

	// The ledger's lock guards the fields below.
	deaths   uint64
	released uint64 // arrays that the engine has released, at least
	surplus  uint64 // deaths beyond released, found so far
}

// A strayLog counts the slices of one pool that were put into pools of one name.
type strayLog struct {
	slices, bytes int           // not in the log yet
	next          time.Duration // of a line in the log, as returned by pin.Now
}

// newLedger returns the ledger of the named pool, whose idle arrays e keeps.
func newLedger(name string, e *engine.Engine[*byte], sizes *sizeclass.Table, maxInUse int64) *ledger {
	l := &ledger{name: name, engine: weak.Make(e), sizes: sizes}
	l.quota = quota.New(maxInUse, l.watch)
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

// guardedTag, in arrays, is the tag of guarded memory, which never dies.
const guardedTag = lockfree.Tags - 1

// born records the new array at x, of class c. The array must be on Go's heap.
func (l *ledger) born(x *byte, c uint) runtime.Cleanup {
	a := uintptr(unsafe.Pointer(x))
	cleanup := runtime.AddCleanup(x, life.died, life{l.class(c), a})
	l.arrays.AddObject(x, c).Word.Set(held)
	return cleanup
}

// adopt is born for an array of any origin. It returns false if the array is not on Go's heap:
// nothing would notice its death. undo takes the record back.
func (l *ledger) adopt(x *byte, c uint) (undo func(), ok bool) {
	defer func() {
		if recover() != nil { // AddCleanup panics for memory that is not Go's
			ok = false
		}
	}()
	cleanup := l.born(x, c)
	undo = func() {
		cleanup.Stop()
		l.arrays.Remove(uintptr(unsafe.Pointer(x)), c)
	}
	if (cleanup == runtime.Cleanup{}) { // a global variable, which never dies
		undo()
		return nil, false
	}
	l.arrays.Find(uintptr(unsafe.Pointer(x)), c).Word.Set(unheld)
	return undo, true
}

// knows reports whether the array at x, put as one of class c, is one of the pool's: recorded by
// born or checked, and alive.
func (l *ledger) knows(x *byte, c uint) bool { return l.arrays.Has(uintptr(unsafe.Pointer(x)), c) }

// forget ends the record of the array at x, of class c, which stays with its users. It returns false
// if there is none. The cleanup of x still runs, and must not remove the record of a later array at
// that address. So until then, the address of the second byte stands for x. No array begins there.
func (l *ledger) forget(x *byte, c uint) bool {
	a := uintptr(unsafe.Pointer(x))
	if !l.arrays.Remove(a, c) {
		return false
	}
	l.arrays.Add(a+1, c)
	return true
}

// mend mends the record of the array at x, of class c, which is handed out: if it was forgotten while
// it was idle, by mistake, it is one of the pool's again.
func (l *ledger) mend(x *byte, c uint) {
	if a := uintptr(unsafe.Pointer(x)); l.arrays.Remove(a+1, c) {
		l.arrays.AddObject(x, c)
		class := l.class(c)
		l.mu.Lock()
		class.deaths++ // in return for the Put that Forget has counted
		l.mu.Unlock()
	}
}

// hold notes that the array at x, of class c, is handed out at a place.
func (l *ledger) hold(x *byte, c uint, at caller.Site) {
	a := uintptr(unsafe.Pointer(x))
	n := l.arrays.Find(a, c)
	if n == nil {
		n = l.arrays.Find(a, guardedTag)
	}
	if n == nil {
		l.mend(x, c)
		n = l.arrays.Find(a, c)
	}
	if n != nil {
		n.Word.Set(uint32(at)<<siteBits | held)
	}
}

// release notes that the array at x, of class c, is idle. l may be nil.
func (l *ledger) release(x *byte, c uint) {
	if l == nil {
		return
	}
	if n := l.arrays.Find(uintptr(unsafe.Pointer(x)), c); n != nil {
		n.Word.Set(unheld)
	}
}

// deadAt notes that the array of the given Note has died. If it was outstanding, its place has lost it.
func (l *ledger) deadAt(n *lockfree.Note) {
	if n != nil {
		if word := n.Word.Get(); word&held != 0 {
			l.outside.loseAt(placeOf(word))
		}
	}
}

// search looks for arrays of l in all other pools, unless a search ended shortly before. It reports
// whether there may be room for size bytes now.
func (l *ledger) search(size int64) bool {
	return searchOnce(
		func() bool { return l.quota.Taken()+size <= l.quota.Max() },
		func() bool { return lookElsewhere(l) },
	)
}

// lookElsewhere takes idle arrays of a ledger out of all other pools, and reports whether there was one.
// A file above sets it.
var lookElsewhere func(*ledger) bool

// A life identifies an array of a class.
type life struct {
	class *classLedger
	array uintptr
}

// died runs when an array of the class has been collected. By now, its address may be reused.
func (l life) died() {
	c := l.class
	if arrays := &c.ledger.arrays; !arrays.Remove(l.array+1, c.index) { // see forget
		if n := arrays.Take(l.array, c.index); !arrays.Has(l.array, c.index) { // otherwise n is a later array's
			c.ledger.deadAt(n)
		}
	}
	c.ledger.mu.Lock()
	c.deaths++
	lost := c.settle()
	c.ledger.mu.Unlock()
	c.lose(lost)
}

// settle returns the number of newly found lost arrays. The caller must hold the ledger's lock.
func (c *classLedger) settle() (found uint64) {
	if c.deaths <= c.released+c.surplus {
		return 0
	}
	engine := c.ledger.engine.Value()
	if engine == nil {
		return 0
	}
	e := engine.Stats(c.index)
	c.released = e.Released + e.Full
	if c.deaths <= c.released+c.surplus {
		return 0
	}
	found = c.deaths - c.released - c.surplus
	c.surplus += found
	return found
}

// lose records n lost arrays.
func (c *classLedger) lose(n uint64) {
	if n > 0 {
		c.lost.Add(n)
		c.ledger.recover(int64(n) * int64(c.ledger.sizes.Size(int(c.index))))
	}
}

// Checked arrays are never reused: after Put they stay in quarantine, and die later. If the engine
// counted them as released, the surplus would miss as many lost arrays until they die. So their
// records report deaths instead, until such a Put. When a record ends because checks end, the array
// gets a cleanup in its place. In between, a Put that knows of no checks may already have given the array
// to the engine, which may have released it. So the death of a record is counted as any other.

// checked is born for an array that t has handed out. The array may be guarded memory, which is not
// on the heap.
func (l *ledger) checked(t *check.Tracker, x *byte, c uint, onHeap bool) {
	a := uintptr(unsafe.Pointer(x))
	if !onHeap {
		l.arrays.Add(a, guardedTag)
		l.guarded.Add(int64(l.sizes.Size(int(c))))
		return
	}
	l.arrays.AddObject(x, c)
	record := life{l.class(c), a}
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

// ended removes the array at x, of class c, which checks have taken back. It reports whether the
// ceiling counted it.
func (l *ledger) ended(x *byte, c uint) bool {
	return l.arrays.Remove(uintptr(unsafe.Pointer(x)), c) || l.guardedEnded(x, l.sizes.Size(int(c)))
}

// mayGuard reports whether a slice of the given size may be guarded memory while a sample is checked.
// Nobody notices that guarded memory is lost, so such slices take at most a sixteenth of the room.
func (l *ledger) mayGuard(size int64) bool { return l.guarded.Load()+size <= l.quota.Max()/16 }

// guardedEnded removes the guarded array of the given size at x, and reports whether the ceiling counted it. Once checks
// are off, the pool drops such an array instead of keeping memory that never dies.
func (l *ledger) guardedEnded(x *byte, size int) bool {
	if !l.arrays.Remove(uintptr(unsafe.Pointer(x)), guardedTag) {
		return false
	}
	l.guarded.Add(-int64(size))
	return true
}

// lostOutside gives back the room of a lost slice larger than MaxSize.
func (l *ledger) lostOutside(size int) { l.recover(int64(size)) }

// recover gives the room of lost bytes back, unless the pool is gone, too. The first time, it also
// writes to the log, from a new goroutine, because a log handler may be slow or use this very pool.
func (l *ledger) recover(bytes int64) {
	if l.engine.Value() == nil {
		return
	}
	l.mu.Lock()
	l.found = true
	l.mu.Unlock()
	l.quota.Recover(bytes)
	if !l.said.Swap(true) {
		find := "Leaks that checks report have the lines that took it"
		attrs := []any{"pool", l.name, "bytes", bytes, "max_in_use", l.quota.Max()}
		if lines := l.outside.lostLines(); lines != "" {
			find = "Lines in sites took it"
			attrs = append(attrs, "sites", lines)
		}
		go slog.Warn("basin: memory of a pool with MaxInUse was never put back, and is garbage: its room is free again. "+
			"Stats.Lost counts all such memory; the log reports only the first. "+find, attrs...)
	}
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

// isUncounted reports whether uncounted made the array of the given capacity at x. l may be nil.
func (l *ledger) isUncounted(x *byte, capacity int) bool {
	return capacity&1 == 1 && l != nil && l.outside.uncounted(x, capacity)
}

// credit gives back the charge, if any, of the array at x, put with the given capacity. verdict and
// own are the results of recycle.
func (l *ledger) credit(x *byte, capacity int, verdict engine.Verdict, own bool) {
	size := int64(capacity)
	switch {
	case own:
		if verdict == engine.Double || size > l.quota.Max() { // no charge is as large
			return
		}
	case capacity > l.sizes.Largest() || capacity&1 == 1:
		if _, counted := l.outside.remove(x, capacity); !counted {
			return
		}
	case !l.guardedEnded(x, capacity):
		return
	}
	l.quota.Give(size)
}

// While requests wait or are refused and nothing is put back, the memory that they need may already
// be garbage. But a program that waits does not allocate, and the runtime collects only every two
// minutes then. So a ceiling collects garbage itself.
const (
	collectAfter = 100 * time.Millisecond // first pause; four times as long each time that nothing is found
	collectPause = time.Minute            // longest pause, except in a bubble of package synctest
	complainFrom = 5 * time.Second
)

// watch runs now and then while requests wait or are refused. idle is the time without a Put.
// waited is the longest wait of a request that waits or has just given up.
func (l *ledger) watch(idle, waited time.Duration) {
	l.search(l.quota.Max()) // however much the requests need
	now := time.Now()
	l.mu.Lock()
	if l.found || l.pause == 0 {
		l.found, l.pause = false, collectAfter
	}
	since := now.Sub(l.searched)
	due := idle >= collectAfter && (since >= l.pause || since < 0) // below 0: searched is of another bubble
	complain := idle >= complainFrom && waited > 0 && !l.waitSaid
	l.waitSaid = l.waitSaid || complain
	l.mu.Unlock()
	if bubble := waitlist.InBubble(now); due && collect(bubble) {
		l.mu.Lock()
		l.searched, l.pause = now, 4*l.pause
		if !bubble {
			l.pause = min(l.pause, collectPause)
		}
		l.mu.Unlock()
	}
	if complain {
		// In a new goroutine, because a log handler may be slow or use this very pool.
		go complainOf("BytePool", l.name, waited, l.quota.Waits().Waiting,
			slog.Int64("in_use", l.quota.Taken()), slog.Int64("max_in_use", l.quota.Max()))
	}
}

// collections limits collect to a tenth of the time.
var collections struct {
	sync.Mutex
	next time.Duration // as returned by pin.Now
}

// collect runs the garbage collector, unless another call does or did shortly before. It reports
// whether it ran. In a bubble of package synctest, a day of the bubble may pass in a moment, so there it
// always runs.
func collect(bubble bool) bool {
	if !collections.TryLock() {
		return false
	}
	defer collections.Unlock()
	began := pin.Now()
	if began < collections.next && !bubble {
		return false
	}
	runtime.GC()
	ended := pin.Now()
	collections.next = ended + 10*(ended-began)
	return true
}

// complainOf reports in the log that requests wait and nothing is put back.
func complainOf(kind, name string, waited time.Duration, waiting int, holdings ...any) {
	attrs := append([]any{
		slog.String("pool", name), slog.String("kind", kind), slog.Int("waiting", waiting), slog.Duration("waited", waited)}, holdings...)
	do := "see the lines in sites, which are those of all pools with this name"
	switch sites := sitesOf(name); {
	case sites != "":
		attrs = append(attrs, slog.String("sites", sites))
	case check.Current.Load() == nil: // a FixedPool
		do = "set BASIN_CHECK=sampled, and this message names the lines that hold it"
	default:
		do = "checks have not sampled the lines that hold it"
	}
	slog.Warn("basin: requests wait for room in a pool, and nothing is put back. The goroutines that hold its memory may wait, too, "+
		"or have forgotten to put it: "+do+". GetContext waits no longer than its context, and TryGet does not wait", attrs...)
}

// An outsideSet records outstanding slices that Put could not tell from foreign ones: slices larger
// than MaxSize under a ceiling, and slices made for lack of room. They are few, and each is a new
// allocation, so a record for each is cheap enough. Foreign slices and slices that were already put
// have no record. If a slice is never put, its record ends when its array is collected.
type outsideSet struct {
	mu      sync.Mutex
	slices  map[uintptr]outsideSlice // by address, which does not keep the array alive
	serial  uint64                   // of the latest slice
	counted Amount                   // outstanding slices that count towards MaxInUse
	lost    Amount                   // counted slices that died without a Put
	lostAt  map[caller.Site]uint64   // places of lost slices of any size
}

type outsideSlice struct {
	size    int
	counted bool // towards MaxInUse
	serial  uint64
	cleanup runtime.Cleanup

	site   caller.Site        // of its Get, if it is counted
	object weak.Pointer[byte] // likewise
}

// add records the array of the given size at x, which must be new and on Go's heap. If the array is
// counted and dies without a Put, lost is called with its size. lost must not refer to the array.
func (s *outsideSet) add(x *byte, size int, counted bool, lost func(size int)) {
	a := uintptr(unsafe.Pointer(x))
	var site caller.Site
	var object weak.Pointer[byte]
	if counted {
		site, object = caller.Here(), weak.Make(x)
	}
	s.mu.Lock()
	s.serial++
	serial := s.serial
	s.mu.Unlock()
	cleanup := runtime.AddCleanup(x, func(serial uint64) {
		if s.died(a, serial) {
			lost(size)
		}
	}, serial)
	s.mu.Lock()
	before, found := s.slices[a] // an array that died here, and whose cleanup is yet to run
	if s.slices == nil {
		s.slices = make(map[uintptr]outsideSlice)
	}
	s.slices[a] = outsideSlice{size, counted, serial, cleanup, site, object}
	if counted {
		s.counted.add(size, 1)
	}
	again := found && s.bury(before)
	s.mu.Unlock()
	if again {
		lost(before.size)
	}
	runtime.KeepAlive(x)
}

// died removes the record of the array that was at a, unless it has been put. It reports whether
// the array was counted.
func (s *outsideSet) died(a uintptr, serial uint64) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.serial != serial {
		return false
	}
	delete(s.slices, a)
	return s.bury(r)
}

// bury counts a slice that died without a Put and reports whether it is lost. The caller must hold
// the lock.
func (s *outsideSet) bury(r outsideSlice) (lost bool) {
	if r.counted {
		s.counted.add(r.size, -1)
		s.lost.add(r.size, 1)
		s.loseLocked(r.site)
	}
	return r.counted
}

// loseAt counts a lost slice of a place.
func (s *outsideSet) loseAt(at caller.Site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseLocked(at)
}

// loseLocked is loseAt. The caller must hold the lock.
func (s *outsideSet) loseLocked(at caller.Site) {
	if s.lostAt == nil {
		s.lostAt = make(map[caller.Site]uint64)
	}
	s.lostAt[at]++
}

// uncounted reports whether the array of the given size at x has a record and is not counted.
func (s *outsideSet) uncounted(x *byte, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[uintptr(unsafe.Pointer(x))]
	return ok && r.size == size && !r.counted
}

// remove removes the record of the array of the given size at x. It reports whether there was a
// record, and whether the array was counted.
func (s *outsideSet) remove(x *byte, size int) (found, counted bool) {
	a := uintptr(unsafe.Pointer(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.size != size {
		return false, false
	}
	r.cleanup.Stop()
	delete(s.slices, a)
	if r.counted {
		s.counted.add(size, -1)
	}
	return true, r.counted
}

// siteOf returns the place of the Get of the slice at x.
func (s *outsideSet) siteOf(x *byte) caller.Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slices[uintptr(unsafe.Pointer(x))].site
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
