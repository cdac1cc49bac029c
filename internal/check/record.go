package check

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"
	"weak"
)

// A record is what is known of one array or object. What does not stay as it was
// made is guarded by the lock of its shard.
type record struct {
	owner    *Owner
	size     int
	addr     uintptr
	acquired *Stack
	object   weak.Pointer[byte] // tells it from what has its address later; not if guarded
	cleanup  runtime.Cleanup    // runs when it becomes garbage; not if guarded

	state   state
	guarded bool
	array   bool // slices may begin inside of it, so it is in the index
	exempt  bool // need not be put back
	spoiled bool // that it was written to has been reported
	ended   bool // does not count any more
	put     *Stack

	// Once it is put, what keeps it alive and tells whether it was written to: the
	// contents, or of an object, a function that returns where, or -1.
	contents []byte
	damage   func() int

	beside *record // the next in the index
}

type state uint8

const (
	out state = iota
	put
)

// pcs returns the stack s, which may be nil.
func pcs(s *Stack) []uintptr {
	if s == nil {
		return nil
	}
	return s.PCs
}

// belongs reports whether what o takes may be this.
func (r *record) belongs(o *Owner) bool {
	return r.owner == o || r.owner.Default.Load() && o.Default.Load()
}

// finding returns a Finding about the array, of no kind yet.
func (r *record) finding() Finding {
	return Finding{Owner: r.owner, Size: r.size, Acquired: pcs(r.acquired), FirstPut: pcs(r.put)}
}

// verify looks at what was put. If it was written to, and that has not been said before, it
// is not ok. The caller holds the lock of the shard, or has removed r from it.
func (r *record) verify() (f Finding, ok bool) {
	if r.state != put || r.spoiled {
		return f, true
	}
	at := -1
	if r.damage != nil {
		at = r.damage()
	} else {
		at = Damage(r.contents) // which is nil if it is guarded
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

// A shard holds the records of arrays whose addresses have one hash.
type shard struct {
	mu      sync.Mutex
	records map[uintptr]*record // by the address of the array, which they do not keep alive
	_       [48]byte
}

func addr(x *byte) uintptr { return uintptr(unsafe.Pointer(x)) }

// hash spreads addresses, which are multiples of 64 and more.
func hash(a uintptr) uint { return uint(uint64(a) * 0x9E3779B97F4A7C15 >> 40) }

// count says that there are by more records of a.
func (t *Tracker) count(a uintptr, by int32) { t.filter[hash(a)%filterSize].Add(by) }

func (t *Tracker) shard(a uintptr) *shard { return &t.shards[hash(a)%shardCount] }

// Pick reports whether the present acquisition is to be tracked. If so, its record is paid
// for, and must be made.
func (t *Tracker) Pick() bool { return t.Chance() && t.Pay() }

// Pay pays for a record.
func (t *Tracker) Pay() bool {
	if !t.ledger.take(recordCost+maxStackCost, spareForPuts) {
		t.untracked.Add(1)
		return false
	}
	t.tracked.Add(1)
	return true
}

// record returns a record that has been paid for, and gives back what its stack did
// not cost.
func (t *Tracker) record(o *Owner, size int, here *callers) *record {
	t.ledger.give(maxStackCost)
	return &record{owner: o, size: size, acquired: t.stacks.get(here, &t.ledger)}
}

// release gives back what r has cost.
func (t *Tracker) release(r *record) {
	t.stacks.put(r.acquired, &t.ledger)
	t.stacks.put(r.put, &t.ledger)
	t.ledger.give(recordCost)
}

// watch makes r the record of x, which is new, and has died called when x is garbage.
func (t *Tracker) watch(x *byte, r *record) {
	r.object = weak.Make(x)
	r.cleanup = runtime.AddCleanup(x, t.died, r)
	if !t.add(addr(x), r) {
		r.cleanup.Stop()
	}
	runtime.KeepAlive(x)
}

// add adds a record of the array at a. If there is one yet, it is of an array that has
// become garbage and whose cleanup has not run.
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

// find returns the record of x, or nil. If there is one of something that had the same address,
// or of x before its user's own finalizer brought it back, it goes, and stale is true. The
// caller holds the lock.
func (t *Tracker) find(s *shard, x *byte) (r *record, stale bool) {
	r = s.records[addr(x)]
	if r == nil || r.guarded || r.state == put || r.object.Value() == x {
		return r, false
	}
	r.cleanup.Stop()
	t.end(s, r)
	return nil, true
}

// end ends r, once. The caller holds the lock.
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
	return true
}

// remove ends r, and reports whether it had not ended.
func (t *Tracker) remove(r *record) bool {
	s := t.shard(r.addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.end(s, r)
}

// An Owner is a pool, as far as records go: they do not keep the pool itself alive.
type Owner struct {
	Name    string                 // cut if it is long
	Default atomic.Bool            // it has been the default pool: what one of them handed out any of them takes
	counts  [Kinds]atomic.Uint64   // findings
	made    atomic.Pointer[recent] // see Fresh
	shares  atomic.Bool            // its New has returned what is out, see AgainValue
}

// maxName is how much of a name records keep, in bytes: names count towards what a Tracker may hold.
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

// OwnerIn returns the owner in at, made for a pool of the given name if need be.
func OwnerIn(at *atomic.Pointer[Owner], name string) *Owner {
	if o := at.Load(); o != nil {
		return o
	}
	at.CompareAndSwap(nil, NewOwner(name))
	return at.Load()
}

// Counts returns how much of each kind was found. Of no Owner, nothing was.
func (o *Owner) Counts() (n [Kinds]uint64) {
	if o == nil {
		return n
	}
	for k := range n {
		n[k] = o.counts[k].Load()
	}
	return n
}

// A Site is what is out of one pool that was acquired by one stack.
type Site struct {
	Owner          *Owner
	Acquired       []uintptr
	Objects, Bytes int64
}

// Sites returns what is out, and need be put back, by acquisition site, the most
// bytes first.
func (t *Tracker) Sites() []Site {
	type key struct {
		*Owner
		*Stack
	}
	sites := make(map[key]*Site)
	add := func(r *record, n int64) {
		k := key{r.owner, r.acquired}
		s := sites[k]
		if s == nil {
			s = &Site{Owner: r.owner, Acquired: pcs(r.acquired)}
			sites[k] = s
		}
		s.Objects += n * int64(t.every)
		s.Bytes += n * int64(t.every) * int64(r.size)
	}
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			if r.state == out && !r.exempt {
				add(r, 1)
			}
		}
		s.mu.Unlock()
	}
	for f := range t.fixed.all {
		f.each(func(r *record) {
			if r.state == out {
				add(r, 1)
			}
		})
	}
	t.values.each(func(r *value) { add(&r.record, int64(r.outs)) })
	list := make([]Site, 0, len(sites))
	for _, s := range sites {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Objects, a.Objects), slices.Compare(a.Acquired, b.Acquired))
	})
	return list
}
