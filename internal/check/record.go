//go:build go1.25

package check

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
	"weak"
)

// A record describes one array or object. The lock of its shard guards the fields that change.
type record struct {
	owner    *Owner
	size     int
	addr     uintptr
	acquired *Stack
	site     *site              // nil if the item need not be put back
	object   weak.Pointer[byte] // tells the item from a later one at its address; not if guarded
	onEnd    func(x *byte)      // see Tracker.OnEnd
	cleanup  runtime.Cleanup    // runs when the item becomes garbage; not if guarded

	state   state
	guarded bool
	array   bool // slices may begin inside it, so it is in the index
	exempt  bool // need not be put back
	spoiled bool // a write to it has been reported
	ended   bool // deleted
	doubted bool // deleted by find: see doubt
	put     *Stack

	// From Put on, one of these keeps the item alive and finds writes: the contents of an
	// array, or for an object a function that returns the offset of a write, or -1.
	contents []byte
	damage   func() int
	used     func() bool // whether an object was used other than by a write; may be nil

	beside *record // next in the index

	goroutine uint64 // goroutine that acquired, or 0: see Goroutines
}

type state uint8

const (
	out state = iota
	put
)

// pcs returns the calls of s, or nil for nil.
func pcs(s *Stack) []uintptr {
	if s == nil {
		return nil
	}
	return s.PCs
}

// belongs reports whether o accepts the item: it is o's, or both owners have been default
// pools.
func (r *record) belongs(o *Owner) bool {
	return r.owner == o || r.owner.Default.Load() && o.Default.Load()
}

// finding returns a Finding about the item, without a Kind yet.
func (r *record) finding() Finding {
	return Finding{Owner: r.owner, Size: r.size, Acquired: pcs(r.acquired), FirstPut: pcs(r.put), Goroutine: r.goroutine}
}

// verify returns a finding and false if the item was written to after its Put, unless that was
// reported before. The caller holds the lock of the shard, or has removed r from it.
func (r *record) verify() (f Finding, ok bool) {
	if r.state != put || r.spoiled {
		return f, true
	}
	if r.used != nil && r.used() {
		r.spoiled = true
		f = r.finding()
		f.Kind = UseAfterRelease
		return f, false
	}
	at := -1
	if r.damage != nil {
		at = r.damage()
	} else {
		at = Damage(r.contents) // contents is nil if the array is guarded
	}
	if at < 0 {
		return f, true
	}
	r.spoiled = true
	f = r.finding()
	f.Kind, f.Offset = WriteAfterPut, at
	return f, false
}

const (
	shardCount = 64
	filterSize = 4096
)

// A shard holds the records of arrays whose addresses have the same hash.
type shard struct {
	mu      sync.Mutex
	records map[uintptr]*record // by address; does not keep the arrays alive
	_       [48]byte
}

func addr(x *byte) uintptr { return uintptr(unsafe.Pointer(x)) }

// hash spreads addresses, which are usually multiples of 64 or more.
func hash(a uintptr) uint { return uint(uint64(a) * 0x9E3779B97F4A7C15 >> 40) }

// count adds by to the number of records with the hash of a.
func (t *Tracker) count(a uintptr, by int32) { t.filter[hash(a)%filterSize].Add(by) }

func (t *Tracker) shard(a uintptr) *shard { return &t.shards[hash(a)%shardCount] }

// Pick reports whether the current acquisition must be tracked. If so, its record is paid for,
// and the caller must make it.
func (t *Tracker) Pick() bool { return t.Chance() && t.Pay() }

// Pay takes the cost of a record from the ledger. It reports false if too little is left.
func (t *Tracker) Pay() bool {
	if !t.ledger.take(recordCost+maxStackCost, spareForPuts) {
		t.untracked.Add(1)
		return false
	}
	t.tracked.Add(1)
	return true
}

// record returns a record that has been paid for. It gives back the part of the payment that
// its stack does not need.
func (t *Tracker) record(o *Owner, size int, here *callers) *record {
	t.ledger.give(maxStackCost)
	acquired := t.stacks.get(here, &t.ledger)
	return &record{owner: o, size: size, acquired: acquired, site: t.sites.get(t, o.Name, acquired), goroutine: recordedGoroutine()}
}

// spare exempts r's item from being put back. The caller holds the lock.
func (t *Tracker) spare(r *record) {
	if r.exempt {
		return
	}
	r.exempt = true
	t.sites.cancel(r.site)
	r.site = nil
}

// putBack notes that stack put has put r's item. The caller holds the lock.
func (t *Tracker) putBack(r *record, put *Stack) {
	r.put = put
	t.sites.put(t, r.site, put)
}

// release gives back the memory budget of r.
func (t *Tracker) release(r *record) {
	t.stacks.put(r.acquired, &t.ledger)
	t.stacks.put(r.put, &t.ledger)
	t.ledger.give(recordCost)
}

// watch makes r the record of x, which is new. died is called when x is garbage.
func (t *Tracker) watch(x *byte, r *record) {
	r.object = weak.Make(x)
	r.cleanup = runtime.AddCleanup(x, t.died, r)
	if !t.add(addr(x), r) {
		r.cleanup.Stop()
	}
	runtime.KeepAlive(x)
}

// add adds r at address a. A record that is already there belongs to an array that has become
// garbage and whose cleanup has not run yet; r replaces it. add reports false after Stop.
func (t *Tracker) add(a uintptr, r *record) bool {
	r.addr = a
	t.count(a, 1)
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.stopped.Load() {
		return false
	}
	s.records[a] = r
	if r.array {
		t.index.add(r)
	}
	return true
}

// find returns the record of x, or nil. It ends a record of an earlier item at that address, or
// of x before the user's own finalizer resurrected it; then stale is true. The caller holds the
// lock.
func (t *Tracker) find(s *shard, x *byte) (r *record, stale bool) {
	r = s.records[addr(x)]
	if r == nil || r.guarded || r.state == put || r.object.Value() == x {
		return r, false
	}
	if t.end(s, r) {
		t.sites.cancel(r.site)
		r.doubt()
	}
	return nil, true
}

// doubt is for a record that find has ended: its item was a leak if it was garbage, but not if the
// user's own finalizer has resurrected it. The cleanup of garbage was due before a later item could
// get its address. That of a resurrected item is due only after another collection. So the weak
// pointer becomes one to new garbage, which the next collection frees. The caller holds the lock.
func (r *record) doubt() {
	r.doubted = true
	r.object = weak.Make(&new([32]byte)[0]) // alone in its allocation
}

// leaked reports whether the item of r, whose cleanup runs, was a leak although find has ended r. It
// misses a leak whose cleanup runs only after another collection. The caller holds the lock.
func (r *record) leaked() bool { return r.doubted && r.object.Value() != nil }

// end deletes r, and reports whether that had not happened before. The caller holds the lock.
func (t *Tracker) end(s *shard, r *record) bool {
	if r.ended {
		return false
	}
	r.ended = true
	if s.records[r.addr] == r {
		delete(s.records, r.addr)
	}
	if r.array {
		t.index.remove(r)
	}
	t.count(r.addr, -1)
	t.release(r)
	if r.onEnd != nil {
		r.onEnd(r.object.Value())
	}
	return true
}

// remove is end for callers that do not hold the lock.
func (t *Tracker) remove(r *record) bool {
	s := t.shard(r.addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.end(s, r)
}

// An Owner stands for a pool in records, so that they do not keep the pool itself alive.
type Owner struct {
	Name    string                 // cut to maxName
	Default atomic.Bool            // it has been the default pool; default pools accept each other's items
	counts  [Kinds]atomic.Uint64   // findings
	made    atomic.Pointer[recent] // see Fresh
	shares  atomic.Bool            // its New has returned an outstanding value, see AgainValue
}

// maxName is the most bytes of a name that an Owner keeps: names count towards a Tracker's
// memory limit.
const maxName = 200

// NewOwner returns an Owner for a pool of the given name.
func NewOwner(name string) *Owner {
	if len(name) > maxName {
		cut := maxName
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = strings.Clone(name[:cut]) + "…"
	}
	return &Owner{Name: name}
}

// OwnerIn returns the owner in at. If there is none, it makes one with the given name.
func OwnerIn(at *atomic.Pointer[Owner], name string) *Owner {
	if o := at.Load(); o != nil {
		return o
	}
	at.CompareAndSwap(nil, NewOwner(name))
	return at.Load()
}

// Counts returns the number of findings of each kind. It is 0 for a nil Owner.
func (o *Owner) Counts() (n [Kinds]uint64) {
	if o == nil {
		return n
	}
	for k := range n {
		n[k] = o.counts[k].Load()
	}
	return n
}
