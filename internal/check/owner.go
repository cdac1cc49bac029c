//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"weak"

	"github.com/basin-go/basin/internal/misuse"
)

// An Owner stands for a pool in records, so that they do not keep the pool itself alive.
type Owner struct {
	misuse.Pool             // its name is cut to maxName
	Default     atomic.Bool // it has been the default pool; default pools accept each other's items
	Held        atomic.Bool // Holders has its items, so a sample need not estimate them

	Forgets atomic.Bool // items of it were forgotten, so it gets no guarded memory, which nothing would free
	permits bool        // its values need not be put back: see PermitLeaks

	made   atomic.Pointer[newValues] // see fresh
	shares atomic.Bool               // its New has returned an outstanding value, see values.AgainValue
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
	_, permits := permitted.Load(name)
	return &Owner{Pool: misuse.Pool{Name: name}, permits: permits}
}

// permitted has the names of pools whose values need not be put back.
var permitted sync.Map

// PermitLeaks says that values of each pool of the given name need not be put back. It must be called before the
// pools have Owners.
func PermitLeaks(name string) { permitted.Store(name, true) }

// OwnerIn returns the owner in at. If there is none, it makes one with the given name.
func OwnerIn(at *atomic.Pointer[Owner], name string) *Owner {
	if o := at.Load(); o != nil {
		return o
	}
	at.CompareAndSwap(nil, NewOwner(name))
	return at.Load()
}

// Counts returns the number of findings of each kind. It is 0 for a nil Owner.
func (o *Owner) Counts() (n [misuse.MaxKinds]uint64) {
	if o == nil {
		return n
	}
	return o.Pool.Counts()
}

// newValues has the last addresses that a New has returned.
type newValues struct {
	mu   sync.Mutex
	at   [16]newValue
	next int
}

// A newValue is an address that a New has returned. It recurs if New returns a shared value, or
// if the collector has freed the first value. Only the second occurrence notes a weak pointer,
// which costs a microsecond. So the first value to recur is never tracked.
type newValue struct {
	at     uintptr
	object weak.Pointer[byte]
}

// fresh notes that o's New has returned the value at x. It returns false if New may have returned
// the same value to others before.
func (o *Owner) fresh(x *byte) bool {
	v := o.made.Load()
	if v == nil {
		o.made.CompareAndSwap(nil, new(newValues))
		v = o.made.Load()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if o.shares.Load() {
		return false
	}
	a := addr(x)
	if i := slices.IndexFunc(v.at[:], func(n newValue) bool { return n.at == a }); i >= 0 {
		before := v.at[i].object
		v.at[i].object = weakly(x)
		return before != weak.Pointer[byte]{} && before != v.at[i].object
	}
	v.at[v.next] = newValue{at: a}
	v.next = (v.next + 1) % len(v.at)
	return true
}

// weakly returns a weak pointer to x, or none if x is never garbage.
func weakly(x *byte) (w weak.Pointer[byte]) {
	if strict { // x may be tiny
		return w
	}
	if c, ok := atDeath(x, func(struct{}) {}, struct{}{}); ok {
		c.Stop()
		w = weak.Make(x)
	}
	return w
}

// atDeath sets died to be called with r when x is garbage. It reports false if x is never garbage,
// because it is a global variable or not in Go's heap.
func atDeath[R any](x *byte, died func(R), r R) (c runtime.Cleanup, ok bool) {
	defer func() {
		if recover() != nil { // AddCleanup panics for such memory
			ok = false
		}
	}()
	c = runtime.AddCleanup(x, died, r)
	return c, c != runtime.Cleanup{}
}
