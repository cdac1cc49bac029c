//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/misuse"
)

// GuardSampled and GuardFull are the most memory that guarded arrays take.
const (
	GuardSampled = 64 << 20
	GuardFull    = 1 << 30
)

// guard returns a new guarded array, and adds r as its record. It returns nil if there is no memory
// for it, or if the tracker has ended: the fast paths of the pools may be on again, which do not know it.
func (t *table) guard(size int, r *record) []byte {
	r.home = t.self
	b, displaced := guard.Alloc(size, r)
	for _, o := range displaced { // guard does not know their arrays any more
		if o, ok := o.(*record); ok {
			if home := o.home.Value(); home != nil {
				home.remove(o)
			}
		}
	}
	if b == nil {
		return nil
	}
	r.array, r.guarded = true, true
	if x := unsafe.SliceData(b); !t.add(addr(x), r) {
		r.guarded = false
		guard.Free(x, nil)
		return nil
	}
	return b
}

// Guarded returns the state and the size of the guarded array that begins at x. The state of a part of
// one is Out, with a size of zero, and that of other memory is Unused.
func Guarded(x *byte) (state guard.State, size int) {
	array, ok := guard.Find(addr(x))
	switch {
	case !ok:
		return guard.Unused, 0
	case array.Start != addr(x):
		return guard.Out, 0
	case array.State == guard.Unused:
		return guard.Out, 0
	}
	return array.State, array.Size
}

// IsGuarded reports whether a guarded array of the given size begins at x.
func IsGuarded(x *byte, size int) bool {
	if !guard.Near(addr(x)) {
		return false
	}
	state, n := Guarded(x)
	return state != guard.Unused && n == size
}

// PutGuarded puts the guarded array at x whose tracker has ended. A later access is still reported with
// its stacks. PutGuarded does nothing and returns false if no guarded array that is outstanding
// begins at x.
func PutGuarded(x *byte) bool {
	if !guard.Near(addr(x)) {
		return false
	}
	array, ok := guard.Find(addr(x))
	if !ok || array.Start != addr(x) || array.State != guard.Out {
		return false
	}
	var late any
	if r, ok := array.Owner.(*record); ok {
		var here callers
		here.here()
		put := &record{owner: r.owner, size: r.size, addr: r.addr, acquired: r.acquired, put: &stack{pcs: here.copied()}, state: put}
		late = put
		defer remember(put)
	}
	return guard.Free(x, late)
}

// KeepGuarded leaves the guarded array at x, whose tracker has ended, to its users.
func KeepGuarded(x *byte) { guard.Keep(x) }

// remembered are the latest records of late arrays whose trackers have ended. Older ones are lost, so that the
// memory for stacks is bounded, however often checks are switched.
var remembered struct {
	sync.Mutex
	records [1 << 10]*record
	next    int
}

// remember keeps r, the record of a late array, in place of the oldest one.
func remember(r *record) {
	m := &remembered
	m.Lock()
	oldest := m.records[m.next]
	m.records[m.next] = r
	m.next = (m.next + 1) % len(m.records)
	m.Unlock()
	if oldest != nil {
		oldest.lose()
	}
}

// lose ends guard's reference to r. Of the array, only its size and its pool are known from then on. The
// pool is a part of the Owner, whose memory guard counts.
func (r *record) lose() { guard.Exchange(r.addr, r, &r.owner.Pool) }

// unknown is the pool of findings whose array is not known.
var unknown misuse.Pool

// Fault returns the finding for an access to address a, which has faulted. Its stacks are nil if the
// array was put long ago. If another array has its address since, the size is zero, too. Fault
// reports false if a is no address of guarded memory.
func Fault(a uintptr) (f misuse.Finding, ok bool) {
	array, ok := guard.Find(a)
	if !ok {
		return f, false
	}
	beyond := a >= array.Start && a-array.Start >= uintptr(array.Size)
	if array.State == guard.Unused || a < array.Start || array.State == guard.Out && !beyond {
		return misuse.Finding{Kind: misuse.UseAfterPut, Pool: &unknown}, true
	}
	switch o := array.Owner.(type) {
	case *record:
		f = o.found()
	case *misuse.Pool:
		f = misuse.Finding{Pool: o, Size: array.Size}
	default:
		f = misuse.Finding{Pool: &unknown, Size: array.Size}
	}
	f.Kind, f.Offset = misuse.UseAfterPut, int(a-array.Start)
	if array.State == guard.Out {
		f.Kind = misuse.OutOfBounds
	}
	return f, true
}

// found is finding for callers that do not hold the lock.
func (r *record) found() misuse.Finding {
	if home := r.home.Value(); home != nil {
		s := home.shard(r.addr)
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	return r.finding()
}

// FaultStack returns the stack of the access that made the caller's goroutine panic. The caller is
// called by a deferred function. Functions of the runtime that the access was made for, such as
// copies, are left out. Deferred functions that recover and panic again may be between the two.
func FaultStack() []uintptr {
	pcs := make([]uintptr, 2*maxDepth)
	for {
		n := runtime.Callers(2, pcs)
		if n < len(pcs) {
			pcs = pcs[:n]
			break
		}
		pcs = make([]uintptr, 2*n)
	}
	if i := slices.IndexFunc(pcs, func(pc uintptr) bool { return functionAt(pc) == "runtime.sigpanic" }); i >= 0 {
		pcs = pcs[i+1:]
	}
	for len(pcs) > 1 && inRuntime(functionAt(pcs[0])) {
		pcs = pcs[1:]
	}
	return slices.Clip(pcs[:min(len(pcs), maxDepth)])
}

// functionAt returns the name of the function that pc, a return address, is in.
func functionAt(pc uintptr) string {
	if f := runtime.FuncForPC(pc - 1); f != nil {
		return f.Name()
	}
	return ""
}

func inRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/bytealg.")
}
