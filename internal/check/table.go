//go:build go1.25

package check

import (
	"runtime"
	"sync"
	"weak"
)

// A table has the records of arrays and objects, by address.
type table struct {
	book   *book
	shards [shardCount]shard
	index  index // arrays in shards
	self   weak.Pointer[table]
}

// A shard holds the records of items whose addresses have the same hash.
type shard struct {
	mu      sync.Mutex
	records map[uintptr]*record // by address; does not keep the items alive
	_       [48]byte
}

func (t *table) init(b *book) {
	t.book, t.self = b, weak.Make(t)
	for i := range t.shards {
		t.shards[i].records = make(map[uintptr]*record)
	}
	t.index.init()
}

func (t *table) shard(a uintptr) *shard { return &t.shards[hash(a)%shardCount] }

// watch makes r the record of x, which is new. died is called when x is garbage.
func (t *table) watch(x *byte, r *record) {
	r.object = weak.Make(x)
	r.cleanup = runtime.AddCleanup(x, t.died, r)
	if !t.add(addr(x), r) {
		r.cleanup.Stop()
		t.book.left(r)
	}
	runtime.KeepAlive(x)
}

// died is called when the item of r has become garbage.
func (t *table) died(r *record) {
	s := t.shard(r.addr)
	s.mu.Lock()
	f := r.finding()
	again := r.leaked()
	gone := (t.end(s, r) || again) && r.state == out && !t.book.stopped.Load()
	leaked := gone && !r.exempt
	s.mu.Unlock()
	if gone && r.exempt {
		t.book.sites.leftUnfreed(r.unfreed)
	}
	if leaked && again {
		t.book.sites.again(r.site)
	}
	if leaked {
		t.book.sites.leak(r.site, 1)
		t.book.reportLeak(f, 1)
	}
}

// add adds r at address a. A record that is already there belongs to an item that has become
// garbage and whose cleanup has not run yet; r replaces it. add reports false after Stop.
func (t *table) add(a uintptr, r *record) bool {
	r.addr = a
	t.book.count(a, 1)
	s := t.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.book.stopped.Load() {
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
// lock of s, the shard of x.
func (t *table) find(s *shard, x *byte) (r *record, stale bool) {
	r = s.records[addr(x)]
	if r == nil || r.guarded || r.state == put || r.object.Value() == x {
		return r, false
	}
	if t.end(s, r) && r.state == out {
		t.book.sites.cancel(r.site)
		r.doubt()
	}
	return nil, true
}

// end deletes r from s, and reports whether it was there. The caller holds the lock.
func (t *table) end(s *shard, r *record) bool {
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
	t.book.count(r.addr, -1)
	t.book.left(r)
	t.book.release(r)
	if r.onEnd != nil {
		r.onEnd(r.object.Value())
		r.onEnd = nil
	}
	return true
}

// remove is end for callers that do not hold the lock.
func (t *table) remove(r *record) bool {
	s := t.shard(r.addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.end(s, r)
}

// stop ends all records.
func (t *table) stop() {
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, r := range s.records {
			r.cleanup.Stop()
			t.end(s, r)
		}
		s.mu.Unlock()
	}
}

// all calls yield for each record, with the lock of its shard.
func (t *table) all(yield func(*record) bool) {
	for i := range t.shards {
		if !t.shards[i].all(yield) {
			return
		}
	}
}

func (s *shard) all(yield func(*record) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if !yield(r) {
			return false
		}
	}
	return true
}
