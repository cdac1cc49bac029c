//go:build go1.25

// Package caller names the place of a call in a few nanoseconds: it gives each call stack a small
// number. The stack itself is asked for when somebody wants to see it.
//
// Touch it for the cost of such a number, or the calls that a stack has.
package caller

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/callsite"
)

// A Site is the number of a call stack. Zero stands for unknown ones.
type Site uint32

const (
	// The near return addresses usually identify a Site. If all of these calls may be basin's and the
	// standard library's, the far ones do.
	near, far = 5, 40

	most = 48 // calls of a Site; an inlined call has no return address of its own

	// MaxSites is the most sites that are told apart. Each takes about 300 bytes, so that all of them
	// take 2.5 MiB.
	MaxSites = 1 << 13
)

// A table finds sites by hashes of return addresses. It has a power of two of entries, and at least
// half of them are empty. Entries are filled, but never changed.
type table struct {
	entries []entry
	shift   uint8 // a hash shifted right by shift is an index
}

type entry struct {
	key  atomic.Uint64 // a hash, or zero; stored after site
	site uint32
}

// deep stands for a Site that the near return addresses do not identify.
const deep = 1<<32 - 1

var (
	now  atomic.Pointer[table] // nil before the first Here, and if runtime.Callers is used each time
	full atomic.Bool           // no Site is added any more

	mu     sync.Mutex // guards the following, and changes of the table
	all    *table     // now, or the table for runtime.Callers
	used   int        // entries of all that are not empty
	stacks = [][]uintptr{nil}
	known  = make(map[string]Site) // by stack
)

// Here returns the Site of the call of the function that calls Here.
//
//go:noinline
func Here() Site {
	if t := now.Load(); t != nil {
		if s, ok := t.find(hash(near)); ok && s != deep {
			return Site(s)
		}
	}
	return there()
}

func (t *table) find(key uint64) (site uint32, ok bool) {
	for i := key >> (t.shift & 63); ; i++ {
		e := &t.entries[i&uint64(len(t.entries)-1)]
		switch e.key.Load() {
		case key:
			return e.site, true
		case 0:
			return 0, false
		}
	}
}

// there is the slow part of Here.
//
//go:noinline
func there() Site {
	t := now.Load()
	if t == nil {
		t = begin()
	}
	var pcs [most]uintptr
	var frames [2 + far]uintptr
	var calls, at []uintptr // at has the return addresses of calls that were not inlined
	if now.Load() != nil {
		at = frames[:walk(&frames[0], len(frames))]
		at = at[min(1, len(at)):] // without that of there
	} else {
		calls = pcs[:runtime.Callers(3, pcs[:])]
		at = calls
	}
	first, whole := hashOf(at[:min(near, len(at))]), hashOf(at[:min(far, len(at))])+1
	s, ok := t.find(first)
	if ok && s == deep {
		s, ok = t.find(whole)
	}
	if ok {
		return Site(s)
	}
	if full.Load() {
		return 0
	}
	if calls == nil {
		calls = pcs[:runtime.Callers(3, pcs[:])]
	}
	mu.Lock()
	defer mu.Unlock()
	if c := covered(calls, at, near); surelyOutside(c) {
		s := intern(c)
		fill(first, uint32(s))
		return s
	}
	fill(first, deep)
	s = uint32(intern(covered(calls, at, far)))
	fill(whole, s)
	return Site(s)
}

// begin returns the table, and makes it at the first call.
func begin() *table {
	mu.Lock()
	defer mu.Unlock()
	if all == nil {
		all = newTable(1 << 6)
		if walks && verified() {
			now.Store(all)
		}
	}
	return all
}

// verified reports whether walk agrees with runtime.Callers.
//
//go:noinline
func verified() bool { return verified1() }

//go:noinline
func verified1() bool {
	ok := verified2()
	return ok
}

//go:noinline
func verified2() bool {
	var frames, calls [3]uintptr
	n := walk(&frames[0], len(frames))
	return n == len(frames) && runtime.Callers(2, calls[:]) == n && frames == calls
}

// hashOf returns the result of hash for these return addresses.
func hashOf(at []uintptr) (h uint64) {
	for _, pc := range at {
		h = (h ^ uint64(pc)) * 0x9e3779b97f4a7c15
	}
	return h
}

// covered returns the calls of which at has the first n return addresses. Between two of them, calls
// may have others of calls that were inlined.
func covered(calls, at []uintptr, n int) []uintptr {
	if len(at) <= n {
		return calls
	}
	end := 0
	for _, pc := range at[:n] {
		if i := slices.Index(calls[end:], pc); i >= 0 {
			end += i + 1
		}
	}
	if i := slices.Index(calls[end:], at[n]); i >= 0 {
		return calls[:end+i]
	}
	return calls[:end]
}

// surelyOutside reports whether one of the calls is surely neither basin's nor the standard library's.
func surelyOutside(calls []uintptr) bool {
	if len(calls) == 0 {
		return false
	}
	frames := runtime.CallersFrames(slices.Clone(calls)) // or the array of calls would be on the heap
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if rest, basins := strings.CutPrefix(f.Function, "github.com/basin-go/basin"); basins {
			part, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
			if part == "lab" || part == "proof" {
				return true
			}
			continue
		}
		if callsite.Outside(f) {
			return true
		}
	}
	return false
}

// intern returns the Site of the stack, or zero if there are too many. The caller must hold the lock.
func intern(stack []uintptr) Site {
	key := make([]byte, 0, 8*most)
	for _, pc := range stack {
		key = binary.NativeEndian.AppendUint64(key, uint64(pc))
	}
	s, ok := known[string(key)]
	if !ok && len(stacks) < MaxSites {
		s = Site(len(stacks))
		stacks = append(stacks, slices.Clone(stack))
		known[string(key)] = s
	}
	return s
}

// fill adds a hash and its site to the table. The caller must hold the lock.
func fill(key uint64, site uint32) {
	if _, ok := all.find(key); ok || key == 0 || full.Load() { // another call was faster
		return
	}
	if 2*(used+1) > len(all.entries) {
		if used >= 2*MaxSites {
			full.Store(true)
			return
		}
		larger := newTable(2 * len(all.entries))
		for i := range all.entries {
			if e := &all.entries[i]; e.key.Load() != 0 {
				larger.add(e.key.Load(), e.site)
			}
		}
		if now.Load() != nil {
			now.Store(larger)
		}
		all = larger
	}
	all.add(key, site)
	used++
}

// newTable returns an empty table of n entries, a power of two.
func newTable(n int) *table {
	return &table{make([]entry, n), uint8(65 - bits.Len(uint(n)))}
}

func (t *table) add(key uint64, site uint32) {
	for i := key >> (t.shift & 63); ; i++ {
		if e := &t.entries[i&uint64(len(t.entries)-1)]; e.key.Load() == 0 {
			e.site = site
			e.key.Store(key)
			return
		}
	}
}

// Stack returns the calls of s in the form of runtime.Callers, or nil if they are unknown. The first
// ones are basin's. There may be calls beyond the last one.
func (s Site) Stack() []uintptr {
	mu.Lock()
	defer mu.Unlock()
	return stacks[s]
}
