//go:build go1.25

package basin

import (
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// A home says which pool has handed out an array. L identifies the pool.
type home[L comparable] struct {
	pool   L
	class  uint               // of the array in that pool
	object weak.Pointer[byte] // of the array; zero for guarded memory, which never dies
	shared bool               // another pool has adopted a part of the array; its user may hold the rest
}

// homes has the homes of arrays by address. An array that dies may leave its address to another one before
// its cleanup runs. Therefore an address has one home, of the latest array there, and a cleanup removes a home
// only if it is of the same object.
type homes[L comparable] struct {
	used   atomic.Bool // there was a home
	shards [64]homeShard[L]
}

type homeShard[L comparable] struct {
	sync.Mutex
	at map[uintptr]home[L]
}

// lock returns the shard of address a, locked.
func (h *homes[L]) lock(a uintptr) *homeShard[L] {
	s := &h.shards[uint64(a)*0x9e3779b97f4a7c15>>58]
	s.Lock()
	return s
}

// add notes that the array at x is of a pool, in a class there. object is a weak pointer to x, or zero for
// guarded memory. If the address was the home of an array that has died since, add returns that home.
func (h *homes[L]) add(x *byte, object weak.Pointer[byte], pool L, class uint) (before home[L], dead bool) {
	if !h.used.Load() {
		h.used.Store(true)
	}
	a := uintptr(unsafe.Pointer(x))
	s := h.lock(a)
	defer s.Unlock()
	if s.at == nil {
		s.at = make(map[uintptr]home[L])
	}
	before = s.at[a]
	s.at[a] = home[L]{pool: pool, class: class, object: object}
	return before, before.object != (weak.Pointer[byte]{}) && before.object != object
}

// dead calls f for each array that has died and has a home. f must not use h.
func (h *homes[L]) dead(f func(a uintptr, of home[L])) {
	for i := range h.shards {
		s := &h.shards[i]
		s.Lock()
		for a, of := range s.at {
			if of.object != (weak.Pointer[byte]{}) && of.object.Value() == nil {
				f(a, of)
			}
		}
		s.Unlock()
	}
}

// remove ends the home of the array at address a, of a class in a pool. The array must be alive.
func (h *homes[L]) remove(a uintptr, pool L, class uint) {
	s := h.lock(a)
	defer s.Unlock()
	if of := s.at[a]; of.pool == pool && of.class == class {
		delete(s.at, a)
	}
}

// died ends the home of the array that object was, at address a.
func (h *homes[L]) died(a uintptr, object weak.Pointer[byte]) {
	s := h.lock(a)
	defer s.Unlock()
	if s.at[a].object == object {
		delete(s.at, a)
	}
}

// share notes that another pool has adopted a part of the array at x.
func (h *homes[L]) share(x *byte) {
	a := uintptr(unsafe.Pointer(x))
	s := h.lock(a)
	defer s.Unlock()
	if of, ok := s.at[a]; ok {
		of.shared = true
		s.at[a] = of
	}
}

// find returns the home of the array that begins at x.
func (h *homes[L]) find(x *byte) (of home[L], ok bool) {
	if x == nil || !h.used.Load() {
		return of, false
	}
	a := uintptr(unsafe.Pointer(x))
	s := h.lock(a)
	of, ok = s.at[a]
	s.Unlock()
	if ok && of.object != (weak.Pointer[byte]{}) && of.object != weak.Make(x) {
		return home[L]{}, false // the array at this address has died
	}
	return of, ok
}
