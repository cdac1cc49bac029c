//go:build go1.25

// Package weaklist lists all pools of a program without keeping them alive.
//
// Touch it for the order, the sweeping and the locking of the list. The types of pools are the root
// package's.
package weaklist

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"weak"
)

// A List is a list of the pools that have been used and are not garbage, and possibly of some that
// are. The zero List is empty. All functions may be called from many goroutines at once.
type List struct {
	mu   sync.Mutex
	all  []entry // by id
	last uint64  // latest ID
	live int     // entries after the last sweep
}

type entry struct {
	id     uint64
	pool   pool
	reader any
}

// A pool is a weak reference to a pool of any type. Its methods return false or nil if the pool is
// garbage.
type pool interface {
	trim() bool
	value() any
}

type weakPool[P any] struct {
	at     weak.Pointer[P]
	trimOf func(*P)
}

func (w weakPool[P]) trim() bool {
	p := w.at.Value()
	if p != nil {
		w.trimOf(p)
	}
	return p != nil
}

func (w weakPool[P]) value() any {
	if p := w.at.Value(); p != nil {
		return p
	}
	return nil
}

// Add appends p to the list and sets its ID, which no other pool of the list has or had. reader is for Read, and may be
// nil. trim releases p's idle memory. Neither may refer to p.
func Add[P any](l *List, p *P, id *atomic.Uint64, reader any, trim func(*P)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Sweep if pools are made and dropped all the time, even if nobody calls Read. So at most about
	// half of the entries are garbage.
	if len(l.all) > 2*l.live+16 {
		l.all = slices.DeleteFunc(l.all, func(e entry) bool { return e.pool.value() == nil })
		l.live = len(l.all)
	}
	l.last++
	id.Store(l.last)
	l.all = append(l.all, entry{l.last, weakPool[P]{weak.Make(p), trim}, reader})
}

// Read appends an S for each pool of l to dst, in the order of their IDs, and returns the result. It
// overwrites the elements between the length and the capacity of dst without clearing them, so that
// they can be reused. read fills in the S of a pool that was added with the given reader. A List knows neither S nor read:
// the linker would keep all that makes statistics, in programs that have no use for them.
func Read[S any](l *List, dst []S, read func(pool, reader any, id uint64, s *S)) []S {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(e entry) bool {
		p := e.pool.value()
		if p == nil {
			return true
		}
		n := len(dst)
		if n < cap(dst) {
			dst = dst[:n+1]
		} else {
			var zero S
			dst = append(dst, zero)
		}
		read(p, e.reader, e.id, &dst[n])
		return false
	})
	return dst
}

// Trim makes the pool of the given ID release its idle memory. It returns false if there is no such
// pool, or no longer.
func (l *List) Trim(id uint64) bool {
	l.mu.Lock()
	i, found := slices.BinarySearchFunc(l.all, id, func(e entry, id uint64) int { return cmp.Compare(e.id, id) })
	var p pool
	if found {
		p = l.all[i].pool
	}
	l.mu.Unlock() // trimming may take a garbage collection
	return found && p.trim()
}

// Each calls f for each pool. f must not use the list.
func (l *List) Each(f func(pool any)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.all {
		if p := e.pool.value(); p != nil {
			f(p)
		}
	}
}

// A Readable is a List whose pools have an S as their statistics.
type Readable[S any] interface {
	// Read is [Read].
	Read(dst []S) []S

	// Trim is [List.Trim].
	Trim(id uint64) bool
}

// published is the argument of Publish.
var published any

// Publish makes l, a Readable, the list of all pools of the program. It must be called once, when the program
// starts.
func Publish(l any) { published = l }

// Published returns the argument of Publish.
func Published[S any]() Readable[S] { return published.(Readable[S]) }
