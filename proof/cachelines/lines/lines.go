//go:build go1.25

// Package lines simulates the private caches of Ps. Instrumented code calls its functions for each
// access to memory, and they count how often a cache line moves from one P to another. See
// proof/cachelines.
package lines

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// P is the P that runs the current operation.
var P int

// Now is the simulated time.
var Now time.Duration

// MaxP is the largest number of Ps: one for each bit of a set.
const MaxP = 64

// Counts counts since the last ResetCounts.
type Counts struct {
	Accesses  int            // of memory, stacks excepted
	Transfers int            // of a line from one P's cache to another's
	Hottest   int            // transfers of the line that had most
	At        map[string]int // transfers by file and line of the code
}

// A Result has the figures of one workload, for one operation: a Get and a Put.
type Result struct {
	Workload                     string
	Ps                           int
	Accesses, Transfers, Hottest float64 // as in Counts
	At                           map[string]float64
}

var (
	accesses int
	at       map[stack]int   // transfers by the functions called
	of       map[uintptr]int // transfers by line
	shift    uint

	caches map[uintptr]line // of unlimited size; nil for no simulation

	top uintptr // the upper end of the simulation's stack
)

// A stack has the innermost calls: some functions of this file, and the one that uses the memory.
type stack [4]uintptr

type line struct {
	ps       uint64 // those that have it
	lost     uint64 // those that had it until another P wrote to it
	modified bool   // differs from memory; one P has it
}

// Run calls f on a stack that never moves. Accesses to it do not count: a simulation runs all Ps on
// one stack, which real Ps would not share. The garbage collector must be off.
func Run(f func()) {
	deep(1 << 10)
	above(f)
}

// deep makes the stack as large as n frames of a KiB.
//
//go:noinline
func deep(n int) (sum byte) {
	var room [1 << 10]byte
	if n > 0 {
		room[n%len(room)] = deep(n - 1)
	}
	for _, b := range room {
		sum += b
	}
	return sum
}

//go:noinline
func above(f func()) {
	var here byte
	top = uintptr(unsafe.Pointer(&here))
	f()
	if top != uintptr(unsafe.Pointer(&here)) {
		panic("the stack has moved")
	}
}

// Start begins to simulate caches, which are empty. Their lines have 1<<bits bytes.
func Start(bits uint) {
	shift = bits
	caches = make(map[uintptr]line)
	ResetCounts()
}

// Stop ends the simulation. Accesses no longer count.
func Stop() { caches = nil }

// ResetCounts begins to count from zero.
func ResetCounts() { accesses, at, of = 0, make(map[stack]int), make(map[uintptr]int) }

// Counted returns the counts.
func Counted() Counts {
	c := Counts{Accesses: accesses, At: make(map[string]int)}
	for _, n := range of {
		c.Transfers += n
		c.Hottest = max(c.Hottest, n)
	}
	for calls, n := range at {
		frames := runtime.CallersFrames(calls[:])
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); f.File != self {
				c.At[fmt.Sprintf("%s:%d", f.File, f.Line)] += n
				break
			}
		}
	}
	return c
}

// R notes that *p is read, and returns p.
func R[T any](p *T) *T {
	access(unsafe.Pointer(p), unsafe.Sizeof(*p), false)
	return p
}

// W notes that *p is written, and perhaps read, and returns p.
func W[T any](p *T) *T {
	access(unsafe.Pointer(p), unsafe.Sizeof(*p), true)
	return p
}

// All notes that the elements of s are read, and returns s.
func All[S ~[]T, T any](s S) S {
	elements(s, false)
	return s
}

// Clear is clear for slices.
func Clear[S ~[]T, T any](s S) {
	elements(s, true)
	clear(s)
}

// Copy is copy for two slices.
func Copy[S ~[]T, T any](dst S, src []T) int {
	n := min(len(dst), len(src))
	elements(dst[:n], true)
	elements(src[:n], false)
	return copy(dst, src)
}

// Append is append.
func Append[S ~[]T, T any](s S, items ...T) S {
	elements(items, false)
	n := len(s)
	if n+len(items) > cap(s) {
		elements(s, false)
		s = append(s, items...)
		elements(s, true)
		return s
	}
	s = append(s, items...)
	elements(s[n:], true)
	return s
}

func elements[T any](s []T, write bool) {
	if len(s) > 0 {
		access(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0]), write)
	}
}

// access moves the lines of size bytes at p into the cache of P. It counts a line that another P has
// modified, or has taken away since P had it, and a write to a line that other Ps have. The first
// read of an unmodified line does not count: code that only reads scales.
//
//go:noinline
func access(p unsafe.Pointer, size uintptr, write bool) {
	var here byte
	if caches == nil || size == 0 || uintptr(p) >= uintptr(unsafe.Pointer(&here)) && uintptr(p) <= top {
		return
	}
	accesses++
	me := uint64(1) << P
	for i := uintptr(p) >> shift; i <= (uintptr(p)+size-1)>>shift; i++ {
		l := caches[i]
		switch others := l.ps &^ me; {
		case write:
			if others != 0 {
				transfer(i)
			}
			l = line{me, l.lost&^me | others, true}
		case l.ps&me == 0:
			if l.modified || l.lost&me != 0 {
				transfer(i)
			}
			l = line{l.ps | me, l.lost &^ me, false}
		}
		caches[i] = l
	}
}

// transfer counts a transfer of a line.
func transfer(line uintptr) {
	of[line]++
	var calls stack
	runtime.Callers(3, calls[:]) // from the caller of access on
	at[calls]++
}

// self is the name of this file.
var self = func() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}()
