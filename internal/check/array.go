//go:build go1.25

package check

import (
	"cmp"
	"unsafe"

	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// maxGuardedSampled is the most guarded arrays that sampled checks have outstanding. Nobody notices that
// one is lost, so its record stays. These records must leave most of the budget to other arrays.
const maxGuardedSampled = 2048

// Array returns a new array of size bytes for owner o, and tracks it. The caller must have paid
// for the record: see Pick. The array is guarded, or comes from allocate. An array of allocate
// must be alone in its allocation.
func (t *Tracker) Array(o *Owner, size int, allocate func(int) []byte) []byte {
	var here callers
	here.here()
	r := t.record(o, size, &here)
	if !t.guarded {
		return t.heap(r, size, allocate)
	}
	// The site holds the array before the table has its record, which may end at once: by a switch of checks.
	r.from = r.site
	if !o.Forgets.Load() && (t.full || guard.Count() < maxGuardedSampled) && t.sites.mayGuard(r.from, t.full) {
		t.sites.holds(r.from, true, 1)
		if b := t.table.guard(size, r); b != nil {
			return b
		}
		t.sites.holds(r.from, true, -1)
	}
	t.unguarded.Add(1)
	t.sites.holds(r.from, false, 1)
	return t.heap(r, size, allocate)
}

// Unguarded is Array without guarded memory, for callers that need allocate's alignment:
// guarded memory of an odd size begins at an odd address.
func (t *Tracker) Unguarded(o *Owner, size int, allocate func(int) []byte) []byte {
	var here callers
	here.here()
	return t.heap(t.record(o, size, &here), size, allocate)
}

func (t *Tracker) heap(r *record, size int, allocate func(int) []byte) []byte {
	r.array = true
	b := allocate(size)
	t.table.watch(unsafe.SliceData(b), r)
	return b
}

// Exempt notes that the outstanding array at x need not be put back.
func (t *Tracker) Exempt(x *byte) {
	s := t.table.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, _ := t.table.find(s, x); r != nil && r.state == out {
		r.unfreed = cmp.Or(r.site, r.unfreed)
		t.exempt(r)
		t.sites.excuse(r.from)
	}
}

// Claim makes the caller's stack the acquisition stack of the outstanding array at x. must says
// whether the array must be put back from now on; if not, it is exempt.
func (t *Tracker) Claim(x *byte, must bool) {
	var here callers
	here.here()
	s := t.table.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.table.find(s, x)
	if r == nil || r.state != out {
		return
	}
	t.exempt(r)
	if claimed := t.stacks.retain(&here); claimed != nil {
		t.stacks.release(r.acquired)
		r.acquired = claimed
	}
	r.goroutine = recordedGoroutine()
	r.exempt, r.site, r.unfreed = false, t.sites.get(r.owner.Name, r.acquired), nil
	if !must {
		r.unfreed = r.site
		t.exempt(r)
		t.sites.excuse(r.from)
	}
}

// Put takes the array at x with the given capacity back into o. The caller must report the
// Finding of a rejected Put.
func (t *Tracker) Put(o *Owner, x *byte, capacity int) (Verdict, misuse.Finding) {
	var here callers
	here.here()
	s := t.table.shard(addr(x))
	s.mu.Lock()
	r, stale := t.table.find(s, x)
	if r == nil {
		s.mu.Unlock()
		if stale || t.book.stopped.Load() {
			return Unjudged, misuse.Finding{}
		}
		return Unknown, misuse.Finding{}
	}
	f := r.misputs(o, capacity)
	if f.Kind != 0 {
		f.Here = here.copied()
	}
	if f.Kind == misuse.DoublePut || f.Kind == misuse.ReslicedPut {
		if r.state == out {
			t.exempt(r) // one report is enough: no leak in addition
		}
		s.mu.Unlock()
		return Rejected, f
	}
	r.state = put
	t.putBack(r, &here)
	t.left(r)
	if f.Kind == 0 && r.owner == o { // another default pool may take it, too
		r.onEnd = nil
	}
	if !r.guarded {
		b := unsafe.Slice(x, r.size)
		Fill(b)
		r.contents = b // keeps the array alive
	}
	s.mu.Unlock()
	if r.guarded {
		guard.Free(x, r)
		t.quarantine.hold(r, 0)
	} else {
		r.cleanup.Stop()
		t.quarantine.hold(r, r.size)
	}
	if f.Kind == misuse.WrongPool {
		return Rejected, f
	}
	return Accepted, misuse.Finding{}
}

// Forget is [Tracker.Put] of an array that stays with its users: it is neither filled with poison nor
// kept alive. Its record remains as long as the array does, to find further Puts. Memory that is not
// garbage collected remains for ever. If the array is another owner's, it is not taken from that owner.
func (t *Tracker) Forget(o *Owner, x *byte, capacity int) (Verdict, misuse.Finding) {
	var here callers
	here.here()
	s := t.table.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, stale := t.table.find(s, x)
	if r == nil {
		if stale || t.book.stopped.Load() {
			return Unjudged, misuse.Finding{}
		}
		return Unknown, misuse.Finding{}
	}
	f := r.misputs(o, capacity)
	if f.Kind != 0 {
		if r.state == out {
			t.exempt(r) // one report is enough: no leak in addition
		}
		f.Here = here.copied()
		return Rejected, f
	}
	r.state = forgotten
	t.putBack(r, &here)
	if r.owner == o {
		r.onEnd = nil
	}
	if r.guarded {
		guard.Keep(x)
	}
	t.left(r)
	return Accepted, misuse.Finding{}
}

// Out reports whether an array of the given size at x is outstanding.
func (t *Tracker) Out(x *byte, size int) bool {
	s := t.table.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.table.find(s, x)
	return r != nil && r.state == out && r.size == size
}

// OnEnd sets ended to be called when the record of x ends without a correct Put. Its argument
// is nil if x is garbage, else x, which is no longer tracked. ended runs under a lock. OnEnd
// returns false and does nothing if there is no such record, or if x is guarded memory, which
// is never garbage.
func (t *Tracker) OnEnd(x *byte, ended func(x *byte)) bool {
	s := t.table.shard(addr(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _ := t.table.find(s, x)
	if r == nil || r.guarded {
		return false
	}
	r.onEnd = ended
	return true
}

// Tracks reports whether an outstanding item begins at address a.
func (t *Tracker) Tracks(a uintptr) bool {
	s := t.table.shard(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[a]
	return r != nil && r.state == out
}

// Known reports whether there is a record of x or of an array around x. After Stop it returns true.
func (t *Tracker) Known(x *byte) bool {
	s := t.table.shard(addr(x))
	s.mu.Lock()
	r := s.records[addr(x)]
	s.mu.Unlock()
	if r != nil || t.book.stopped.Load() {
		return true
	}
	if _, _, ok := t.inside(x, 0, false); ok {
		return true
	}
	_, ok := t.insideFixed(x)
	return ok
}

// Inside returns the finding for a Put of a slice at x, where no tracked array begins:
// InteriorPut if a tracked array is around x, WrongPool for a buffer of a fixed pool, or else
// ForeignPut.
func (t *Tracker) Inside(o *Owner, x *byte, capacity int) misuse.Finding {
	f, _, ok := t.inside(x, capacity, true)
	if !ok {
		f, ok = t.insideFixed(x)
		f.Into = o.Name
	}
	if !ok {
		f = misuse.Finding{Kind: misuse.ForeignPut, Pool: &o.Pool, Size: capacity}
	}
	var here callers
	here.here()
	f.Here = here.copied()
	return f
}

// insideFixed returns the finding for a Put of x into another pool, if x is in a fixed buffer.
func (t *Tracker) insideFixed(x *byte) (f misuse.Finding, ok bool) {
	for fixed := range t.fixedList.all {
		if i, _, ok := fixed.index(addr(x)); ok {
			f := fixed.finding(i)
			f.Kind = misuse.WrongPool
			return f, true
		}
	}
	return f, false
}

// inside returns the finding for a Put of a slice at x in the middle of a tracked array, and the
// state of that array. If exempt is true, an outstanding array is exempted.
func (t *Tracker) inside(x *byte, capacity int, exempt bool) (f misuse.Finding, state state, ok bool) {
	a := addr(x)
	for _, r := range t.table.index.around(a, capacity) {
		s := t.table.shard(r.addr)
		s.mu.Lock()
		if r.ended || r.state == forgotten || r.state == out && !r.guarded && r.object.Value() == nil {
			s.mu.Unlock()
			continue // its users', or garbage: the address belongs to another object now
		}
		f := r.finding()
		state = r.state
		if exempt && state == out {
			t.exempt(r)
		}
		s.mu.Unlock()
		f.Kind, f.Offset = misuse.InteriorPut, int(a-r.addr)
		return f, state, true
	}
	return f, out, false
}

// Adopt is [Tracker.Put] for an array of any origin. Unknown and Unjudged mean that the array
// has no record, and that the caller may take it. A Finding has a Kind only if the array, or
// the array around it, was put before. Adopt rejects a part of an outstanding array, and an
// outstanding array of another owner, with a Finding without a Kind. It exempts both from leak
// checks, and the caller must not hand them out untracked. If such an array is guarded, it is put, because
// nothing else would free it.
func (t *Tracker) Adopt(o *Owner, x *byte, capacity int) (Verdict, misuse.Finding) {
	s := t.table.shard(addr(x))
	s.mu.Lock()
	r, stale := t.table.find(s, x)
	if r != nil && r.state == forgotten && t.table.end(s, r) { // as if it came from make
		r.cleanup.Stop()
		r = nil
	}
	if r != nil {
		switch {
		case r.state == put || capacity == r.size && r.belongs(o):
			s.mu.Unlock()
			return t.Put(o, x, capacity)
		case r.guarded && capacity == r.size:
			s.mu.Unlock()
			t.Put(o, x, capacity) // and adopting it is no misuse
			return Rejected, misuse.Finding{}
		}
		t.exempt(r)
		s.mu.Unlock()
		return Rejected, misuse.Finding{}
	}
	s.mu.Unlock()
	if stale || t.book.stopped.Load() {
		return Unjudged, misuse.Finding{}
	}
	f, state, ok := t.inside(x, capacity, true)
	switch {
	case !ok:
		return Unknown, misuse.Finding{}
	case state == out:
		return Rejected, misuse.Finding{}
	}
	var here callers
	here.here()
	f.Here = here.copied()
	return Rejected, f
}
