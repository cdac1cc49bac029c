package check

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A record is what is known of one array. All but what it begins with is
// guarded by the lock of its shard.
type record struct {
	owner    *Owner
	size     int
	acquired *Stack
	guarded  bool

	state   state
	exempt  bool // need not be put back
	spoiled bool // that it was written to has been reported
	put     *Stack

	// Once it is put, what keeps it alive and tells whether it was written to: the array, or
	// of an object, a function that returns where, or -1.
	array  []byte
	damage func() int
}

type state uint8

const (
	out state = iota
	put
)

// finding returns a Finding about the array, of no kind yet.
func (r *record) finding() Finding {
	return Finding{Owner: r.owner, Size: r.size, Acquired: r.acquired, FirstPut: r.put}
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
		at = Damage(r.array) // which is nil if it is guarded
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

// add adds a record of the array at a.
func (t *Tracker) add(a uintptr, r *record) {
	t.count(a, 1)
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[a] = r
}

// remove removes the record of the array at a, and returns it, or nil if there is none.
func (t *Tracker) remove(a uintptr) *record {
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[a]
	if r != nil {
		delete(s.records, a)
		t.count(a, -1)
	}
	return r
}

// An Owner is a pool, as far as records go: they do not keep the pool itself alive.
type Owner struct {
	Name    string
	Default atomic.Bool // it has been the default pool: what one of them handed out any of them takes
	Counts  [Kinds]atomic.Uint64
}

// A Site is what is out of one pool that was acquired by one stack.
type Site struct {
	Owner          *Owner
	Acquired       *Stack
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
	add := func(r *record) {
		if r.state != out || r.exempt {
			return
		}
		s := sites[key{r.owner, r.acquired}]
		if s == nil {
			s = &Site{Owner: r.owner, Acquired: r.acquired}
			sites[key{r.owner, r.acquired}] = s
		}
		s.Objects += int64(t.every)
		s.Bytes += int64(t.every) * int64(r.size)
	}
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			add(r)
		}
		s.mu.Unlock()
	}
	for f := range t.fixed.all {
		f.each(add)
	}
	t.values.each(add)
	list := make([]Site, 0, len(sites))
	for _, s := range sites {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Objects, a.Objects), slices.Compare(a.Acquired.PCs, b.Acquired.PCs))
	})
	return list
}
