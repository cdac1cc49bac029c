//go:build go1.25

package check

import (
	"runtime"
	"weak"

	"github.com/basin-go/basin/internal/misuse"
)

// A record describes one array or object. The lock of its shard guards the fields that change.
type record struct {
	owner    *Owner
	size     int
	addr     uintptr
	acquired *stack
	site     *site              // nil if the item need not be put back
	from     *site              // site of the acquisition of an outstanding array; nil without guarded memory
	unfreed  *site              // site of an item that need not be put, for its death; or nil
	object   weak.Pointer[byte] // tells the item from a later one at its address; not if guarded
	onEnd    func(x *byte)      // see Tracker.OnEnd
	cleanup  runtime.Cleanup    // runs when the item becomes garbage; not if guarded

	state    state
	guarded  bool
	array    bool // slices may begin inside it, so it is in the index
	exempt   bool // need not be put back
	reported bool // a write to it has been reported
	ended    bool // deleted
	doubted  bool // deleted by a find: see doubt
	put      *stack

	// From Put on, one of these keeps the item alive and finds writes: the contents of an
	// array, or for an object a function that returns the offset of a write, or -1.
	contents []byte
	damage   func() int
	used     func() bool // whether an object was used other than by a write; may be nil

	next *record // in a granule of the index

	home  weak.Pointer[table] // that has the record, if the item is guarded; set once
	trail *trail              // of an object with a count of references; or nil

	goroutine uint64 // goroutine that acquired, or 0: see Goroutines
}

type state uint8

const (
	out       state = iota
	put             // kept alive, and never handed out again
	forgotten       // not kept alive, and still in use, but not to be put
)

// belongs reports whether o accepts the item: it is o's, or both owners have been default
// pools.
func (r *record) belongs(o *Owner) bool {
	return r.owner == o || r.owner.Default.Load() && o.Default.Load()
}

// misputs returns the finding for a Put of the array into o with the given capacity. Its Kind is 0 if
// that is no misuse. The caller holds the lock.
func (r *record) misputs(o *Owner, capacity int) misuse.Finding {
	f := r.finding()
	switch {
	case r.state != out:
		f.Kind = misuse.DoublePut
	case capacity != r.size:
		f.Kind, f.Offset = misuse.ReslicedPut, capacity
	case !r.belongs(o):
		f.Kind, f.Into = misuse.WrongPool, o.Name
	}
	return f
}

// finding returns a Finding about the item, without a Kind yet.
func (r *record) finding() misuse.Finding {
	return misuse.Finding{Pool: &r.owner.Pool, Size: r.size, Acquired: r.acquired.calls(), FirstPut: r.put.calls(), Goroutine: r.goroutine, Trail: r.trail.found()}
}

// verify returns a finding and false if the item was written to after its Put, unless that was
// reported before. The caller holds the lock of the shard, or has removed r from it.
func (r *record) verify() (f misuse.Finding, ok bool) {
	if r.state != put || r.reported {
		return f, true
	}
	if r.used != nil && r.used() {
		r.reported = true
		f = r.finding()
		f.Kind = misuse.UseAfterRelease
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
	r.reported = true
	f = r.finding()
	f.Kind, f.Offset = misuse.WriteAfterPut, at
	return f, false
}

// doubt marks a record that find has ended without a Put. Its item leaked if it is garbage, but not
// if the user's own finalizer has resurrected it. The cleanup of garbage runs before the next
// collection, the cleanup of a resurrected item after it. So that leaked can tell the two apart,
// r.object now points to new garbage, which the next collection frees. The caller holds the lock.
func (r *record) doubt() {
	r.doubted = true
	r.object = weak.Make(&new([32]byte)[0]) // alone in its allocation
}

// leaked is for the cleanup of r. It reports whether the item leaked although find has ended r. It
// misses a leak if another collection came before the cleanup. The caller holds the lock.
func (r *record) leaked() bool { return r.doubted && r.object.Value() != nil }
