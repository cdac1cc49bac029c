package basin

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"sync"
	"weak"
)

// A Snapshot is the statistics of one pool of whatever kind, in one form, for
// those who show or export all pools of a program.
type Snapshot struct {
	ID   uint64 // of the pool; no other of this process has it or had it
	Kind string // the type of the pool, such as "BytePool" or "Pool[*http.Request]"

	// Stats are those of a BytePool as they are. Of the other kinds they have
	// what there is: a Pool does not know how many bytes its values are, and
	// a StdBufferPool not how large its buffers have grown that are in use. A
	// FixedPool can neither keep nor hand out more than its block: that is its
	// MaxIdle and its MaxInUse.
	Stats

	// InUse and Idle are the slices, buffers or values handed out and not put
	// back, and kept.
	InUse, Idle int64

	// MaxIdleItems is the MaxIdle of a Pool, in values. For other kinds it is zero.
	MaxIdleItems int64
}

// AppendSnapshots appends to dst a Snapshot of each pool that has been used and is
// not garbage yet, those first used first, and returns the result. Pools that share what they
// keep are one: a SizedPool and its BytePool.
//
// To read them again and again without allocating, pass the result of the last time,
// emptied: its elements are overwritten, Classes included.
//
//	snapshots = basin.AppendSnapshots(snapshots[:0])
func AppendSnapshots(dst []Snapshot) []Snapshot {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	kept := pools.all[:0]
	for _, r := range pools.all {
		n := len(dst)
		if n < cap(dst) {
			dst = dst[:n+1] // what is there has Classes to reuse
		} else {
			dst = append(dst, Snapshot{})
		}
		s := &dst[n]
		*s = Snapshot{ID: r.id, Kind: r.kind, Stats: Stats{Classes: s.Classes[:0]}}
		if r.pool.read(s) {
			kept = append(kept, r)
		} else {
			dst = dst[:n]
		}
	}
	clear(pools.all[len(kept):])
	pools.all = kept
	return dst
}

// TrimByID lets go, now, of all that the pool keeps whose [Snapshot] has the given ID,
// as its Trim does if it has one. A FixedPool has nothing to let go of. TrimByID returns
// false if there is no such pool, or none any more.
func TrimByID(id uint64) bool {
	pools.mu.Lock()
	i, found := slices.BinarySearchFunc(pools.all, id, func(r registration, id uint64) int {
		return cmp.Compare(r.id, id)
	})
	var pool weakPool
	if found {
		pool = pools.all[i].pool
	}
	pools.mu.Unlock() // trimming may take a garbage collection
	return found && pool.letGo()
}

// pools are those that have been used, but for some that are garbage.
var pools struct {
	mu   sync.Mutex
	all  []registration // by id
	last uint64         // ID given
	live int            // pools after the last sweep
}

type registration struct {
	id   uint64
	kind string
	pool weakPool
}

// A weakPool refers to a pool without keeping it alive.
type weakPool interface {
	read(*Snapshot) bool // false if the pool is garbage
	letGo() bool         // the same
	alive() bool
	value() any // the pool, or nil
}

type weakPoolOf[P any] struct {
	pool weak.Pointer[P]
	fill func(*P, *Snapshot)
	trim func(*P)
}

func (w weakPoolOf[P]) read(s *Snapshot) bool {
	p := w.pool.Value()
	if p == nil {
		return false
	}
	w.fill(p, s)
	return true
}

func (w weakPoolOf[P]) letGo() bool {
	p := w.pool.Value()
	if p == nil {
		return false
	}
	w.trim(p)
	return true
}

func (w weakPoolOf[P]) alive() bool { return w.pool.Value() != nil }

func (w weakPoolOf[P]) value() any {
	if p := w.pool.Value(); p != nil {
		return p
	}
	return nil
}

// eachPool calls f for each pool.
func eachPool(f func(any)) {
	pools.mu.Lock()
	defer pools.mu.Unlock()
	for _, r := range pools.all {
		if p := r.pool.value(); p != nil {
			f(p)
		}
	}
}

// register makes p, of the given kind, one of the pools. Its statistics are what
// fill says, and trim lets go of what it keeps; neither must refer to p.
func register[P any](p *P, kind string, fill func(*P, *Snapshot), trim func(*P)) {
	// go test keeps the results of tests, with the environment that they look at. What
	// init looks at it does not see.
	os.Getenv(checkVariable)

	w := weakPoolOf[P]{weak.Make(p), fill, trim}
	pools.mu.Lock()
	defer pools.mu.Unlock()
	// Of pools that are made and dropped all the time not more than half are
	// garbage here, though nobody may ever read.
	if len(pools.all) > 2*pools.live+16 {
		sweep()
	}
	pools.last++
	pools.all = append(pools.all, registration{pools.last, kind, w})
}

// sweep forgets the pools that are garbage. The caller holds the lock.
func sweep() {
	kept := pools.all[:0]
	for _, r := range pools.all {
		if r.pool.alive() {
			kept = append(kept, r)
		}
	}
	clear(pools.all[len(kept):])
	pools.all = kept
	pools.live = len(kept)
}

// kindOf names the kind of a Pool of T.
func kindOf[T any]() string { return "Pool[" + reflect.TypeFor[T]().String() + "]" }
