//go:build go1.25

package model_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/testenv"
)

// FuzzModel decodes its input into the settings of a pool and operations on it. After each
// operation it compares the pool with a model: a stack of addresses for each size class.
//
// The pool has a single P, so a class has a single magazine and the order of reuse is
// determined: Get returns the item that was put last, and reclaim releases the one that was put
// first.
func FuzzModel(f *testing.F) {
	pooltest.Reuses(f)
	procs := runtime.GOMAXPROCS(1)
	f.Cleanup(func() { runtime.GOMAXPROCS(procs) })
	f.Cleanup(gccycle.SuspendOverdue()) // the model decides when collections happen
	seeds := uint64(60)
	if testenv.Race {
		seeds = 15
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 100+r.IntN(700))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	for _, script := range [][]byte{
		{},
		// All that magazines do: bursts of one size into a large pool.
		{0, 0, 0, 0, 0, opBurst, 0, 64, 39, opBurst, 0, 64, 39, opCollect, opBurst, 0, 64, 39, opCollect, opCollect, opBurst, 0, 64, 39, opTrim, opBurst, 0, 64, 39},
		// The same in pools that keep hardly anything, keep nothing, and clear.
		{0, 0, 4, 0, 0, opBurst, 0, 64, 39, opBurst, 0, 200, 39, opCollect, opBurst, 0, 64, 39, opTrim},
		{0, 0, 1, 0, 0, opBurst, 0, 64, 39, opBurst, 0, 200, 39, opCollect, opBurst, 0, 64, 39, opTrim},
		{0, 0, 0, 0, 1, opBurst, 0, 64, 39, opBurst, 0, 200, 39, opCollect, opBurst, 0, 64, 39, opTrim},
		// Each collection releases everything.
		{0, 0, 0, 1, 0, opBurst, 0, 64, 39, opCollect, opBurst, 0, 64, 39, opCollect, opCollect, opCollect, opBurst, 0, 64, 39},
		// Put twice, at once and after collections.
		{0, 0, 0, 0, 0, opGet, 0, 64, opPutTwice, 0, 0, opGet, 0, 64, opPutTwice, 0, 1, opGet, 0, 64, opPutTwice, 0, 2, opGet, 0, 64, opPutTwice, 0, 3},
		// One class is evicted for another.
		{0, 0, 6, 2, 0, opBurst, 0, 255, 39, opCollect, opCollect, opCollect, opBurst, 3, 20, 5, opBurst, 3, 21, 5, opBurst, 2, 20, 39},
		// Growth through all classes of a small range and beyond.
		{1, 3, 0, 0, 0, opGet, 0, 1, opAppend, 0, 0, 255, opAppend, 0, 1, 255, opGrow, 0, 2, 255, opAppendString, 0, 2, 255, opAppend, 0, 3, 3, opPut, 0, 0},
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		m := newModel(t, data)
		for len(m.input) > 0 && m.steps < 400 {
			m.step()
			m.compare()
		}
		m.end()
	})
}

// The operations of the input; other bytes are taken modulo ops.
const (
	opGet = iota
	opGetZeroed
	opPut
	opPutTwice
	opPutNothing
	opPutForeign
	opPutPart
	opClip
	opForget
	opAppend
	opAppendString
	opGrow
	opGrowNegative
	opSized
	opBurst
	opTrim
	opCollect
	opGet2 // repeated, so that there are slices for the other operations
	opGet3
	opPut2
	ops
)

// maxModelBytes is the most memory that the model holds, and about the size of the largest
// slice.
const maxModelBytes = 1 << 20

// noise is the content of slices, each from a different offset.
var noise = func() []byte {
	b := make([]byte, 2*maxModelBytes)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}()

// A heldSlice is an outstanding slice.
type heldSlice struct {
	b     []byte
	noise int    // offset in noise of the content of b's array
	array extent // the memory that nobody else may have, even if b is only a part of it
}

// An extent is the address and size of an array. It does not keep the array alive.
type extent struct {
	addr uintptr
	size int
}

func extentOf(b []byte) extent {
	return extent{uintptr(unsafe.Pointer(unsafe.SliceData(b))), cap(b)}
}

func (e extent) overlaps(o extent) bool {
	return e.addr < o.addr+uintptr(o.size) && o.addr < e.addr+uintptr(e.size)
}

type model struct {
	t      *testing.T
	input  []byte
	steps  int
	cycles int
	log    []string // log of operations

	pool   *basin.BytePool
	config pooltest.Config // with defaults filled in
	sizes  []int

	held   []heldSlice
	bytes  int // outstanding
	idle   [][]extent
	want   basin.Stats
	class  []basin.ClassStats // for each of sizes
	lent   []int              // for each of sizes, requests without an item of that size since one missed
	serial int                // number of slices held so far
}

func newModel(t *testing.T, data []byte) *model {
	m := &model{t: t, input: data}
	c := pooltest.Config{
		MinSize:  pick(m, 0, 1, 64, 65, 100, 4096, 5000, 40_000),
		MaxSize:  pick(m, 0, 64, 1000, 1024, 32<<10, 40<<10, 100_000, 1<<20),
		MaxIdle:  pick[int64](m, 0, 1, 63, 64, 4096, 10_000, 20_000, 64<<10, 1<<20),
		IdleTime: pick(m, 0, time.Nanosecond, time.Millisecond, time.Hour),
		Zero:     pick(m, false, true, false),
		MaxFit:   pick(m, 0, 1, 2, 4, 100, math.MaxInt),
	}
	if c.MaxSize != 0 {
		c.MaxSize = max(c.MaxSize, c.MinSize)
	}
	m.note("pool %+v", c)
	m.pool = c.Pool()
	if c.MaxSize == 0 {
		c.MaxSize = basin.DefaultMaxSize
	}
	if c.MaxIdle == 0 {
		c.MaxIdle = basin.DefaultMaxIdle
	}
	if c.MaxFit == 0 {
		c.MaxFit = basin.DefaultMaxFit
	}
	m.config = c
	table := sizeclass.For(c.MinSize, c.MaxSize)
	for i := range table.Len() {
		m.sizes = append(m.sizes, table.Size(i))
		m.class = append(m.class, basin.ClassStats{Size: table.Size(i)})
		m.lent = append(m.lent, 0)
	}
	m.idle = make([][]extent, len(m.sizes))
	m.want.Bytes.MaxIdle = c.MaxIdle
	m.compare()
	return m
}

func (m *model) note(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }

func (m *model) fatalf(format string, args ...any) {
	m.t.Helper()
	for _, line := range m.log {
		m.t.Log(line)
	}
	m.t.Fatalf(format, args...)
}

// next returns the next byte of the input, or zero after its end.
func (m *model) next() int {
	if len(m.input) == 0 {
		return 0
	}
	b := m.input[0]
	m.input = m.input[1:]
	return int(b)
}

func pick[T any](m *model, from ...T) T { return from[m.next()%len(from)] }

// length decodes a length: any size, with small ones most frequent, or the edge of a class.
func (m *model) length() int {
	how, n := m.next(), m.next()
	switch how % 8 {
	case 0, 1, 2:
		return n
	case 3:
		return n * 16
	case 4:
		return n * 255
	case 5:
		return -n
	default:
		return min(m.sizes[n%len(m.sizes)]+how/8%3-1, maxModelBytes)
	}
}

// borrows notes a request for class c that finds no slice of its own.
func (m *model) borrows(c int) { m.lent[c]++ }

// mayMiss reports whether class c may get a slice of its own although larger ones, up to last, are idle: other requests
// have found none of their own since that happened. The pool counts them by samples, so the model does not know how many
// it takes.
func (m *model) mayMiss(c, last int) bool {
	for k := c + 1; k <= last; k++ {
		if len(m.idle[k]) > 0 {
			lent := m.lent[c]
			m.lent[c] = 0
			return lent > 0
		}
	}
	m.borrows(c)
	return false
}

// lastFit returns the last class that may serve requests for class c.
func (m *model) lastFit(c int) int {
	most := float64(m.config.MaxFit) * float64(m.sizes[c])
	if m.config.MaxFit > 1 {
		most = max(most, 1024)
	}
	last := c
	for last+1 < len(m.sizes) && float64(m.sizes[last+1]) <= most {
		last++
	}
	return last
}

// find returns the class for n bytes, or the number of classes if there is none.
func (m *model) find(n int) int {
	for c, size := range m.sizes {
		if n <= size {
			return c
		}
	}
	return len(m.sizes)
}

func (m *model) step() {
	m.steps++
	op := m.next() % ops
	switch op {
	case opGet, opGet2, opGet3:
		n := m.length()
		m.got("Get", m.pool.Get(n), n, n, 0)
	case opGetZeroed:
		n := m.length()
		b := m.pool.GetZeroed(n)
		if !pooltest.IsZero(b) {
			m.fatalf("GetZeroed(%d) is not zero", n)
		}
		m.got("GetZeroed", b, n, n, 0)
	case opSized:
		n := m.length()
		m.got("Sized.Get", m.pool.Sized(n).Get(), n, n, 0)
	case opPut, opPut2:
		if h, ok := m.take(); ok {
			m.put(h.b[:m.next()*cap(h.b)/255])
		}
	case opPutTwice:
		if h, ok := m.take(); ok {
			m.putTwice(h.b, m.next())
		}
	case opPutNothing:
		m.put(nil)
		m.put([]byte{})
		if len(m.held) > 0 { // the array is still outstanding
			m.put(m.held[0].b[:0:0])
		}
	case opPutForeign:
		n := max(m.length(), 0)
		b := make([]byte, n)
		if from := m.next(); n > 0 && from%2 == 0 {
			b = b[from%n:]
		}
		m.put(b)
	case opPutPart:
		if h, ok := m.take(); ok {
			m.put(m.part(h).b)
		}
	case opClip:
		if h, ok := m.take(); ok {
			h = m.part(h)
			m.note("keep %d bytes at %#x", cap(h.b), extentOf(h.b).addr)
			m.held = append(m.held, h)
			m.bytes += h.array.size
		}
	case opForget:
		if h, ok := m.take(); ok {
			m.note("forget %#x", h.array.addr)
		}

	case opAppend, opAppendString, opGrow:
		if h, ok := m.take(); ok {
			m.grow(op, h)
		}
	case opGrowNegative:
		func() {
			defer func() {
				if recover() == nil {
					m.fatalf("Grow by -1 does not panic")
				}
			}()
			m.pool.Grow(nil, -1)
		}()

	case opBurst:
		m.burst(m.length(), m.next()%40)
	case opTrim:
		m.note("Trim")
		m.pool.Trim()
		if s := m.pool.Stats(); s.Bytes.Idle != 0 {
			m.fatalf("%d bytes are idle after Trim", s.Bytes.Idle)
		}
	case opCollect:
		m.collect()
	}
}

// got notes a request for n bytes, and its result: a slice of the given length, whose first
// written bytes are in use. It keeps the slice.
func (m *model) got(how string, b []byte, n, length, written int) {
	m.t.Helper()
	m.note("%s(%d) = %d bytes of %d at %#x", how, n, len(b), cap(b), extentOf(b).addr)
	if len(b) != max(length, 0) {
		m.fatalf("%s(%d) has length %d", how, n, len(b))
	}
	if h, ok := m.gain(b, n, written); ok {
		m.keep(h)
	}
	for m.bytes > maxModelBytes {
		h, _ := m.take()
		m.put(h.b)
	}
}

// gain checks the slice b that a request for n bytes returned. Its first written bytes are in
// use.
func (m *model) gain(b []byte, n, written int) (h heldSlice, ok bool) {
	m.t.Helper()
	if n <= 0 {
		if cap(b) != 0 {
			m.fatalf("a request for %d bytes has %d", n, cap(b))
		}
		return h, false
	}
	array := extentOf(b)
	m.want.Gets++
	m.want.AskedBytes += uint64(n)
	m.want.HandedOutBytes += uint64(cap(b))
	c := m.find(n)
	if c == len(m.sizes) {
		if cap(b) != n {
			m.fatalf("a request for %d bytes, beyond the largest class, has %d", n, cap(b))
		}
		m.want.Outside++
		m.want.OutsideBytes += uint64(n)
		m.want.OutsideInUse.Items++
		m.want.OutsideInUse.Bytes += int64(n)
	} else {
		own, last := c, m.lastFit(c)
		c = m.find(cap(b))
		if cap(b) != m.sizes[c] || c < own || c > last {
			m.fatalf("a request for %d bytes has a capacity of %d, want a class from %d to %d", n, cap(b), m.sizes[own], m.sizes[last])
		}
		s := &m.class[c]
		s.Gets++
		s.AskedBytes += uint64(n)
		s.HandedOutBytes += uint64(cap(b))
		// The pool's count says whether this was a hit; the model checks that it could be one.
		if idle := m.idle[c]; m.hits(c) > s.Hits {
			if len(idle) == 0 || idle[len(idle)-1] != array {
				m.fatalf("the array of %d at %#x is reused, but the array put last is of %x", cap(b), array.addr, idle)
			}
			m.idle[c] = idle[:len(idle)-1]
			if c != own {
				m.borrows(own)
				if m.forget(); len(m.idle[own]) > 0 {
					m.fatalf("a request for %d bytes gets an array of %d, but %d of its class are idle", n, cap(b), len(m.idle[own]))
				}
			}
			m.want.Hits++
			s.Hits++
		} else {
			m.forget() // reclaim may have released it just before
			if c != own {
				m.fatalf("a request for %d bytes gets a new array of %d", n, cap(b))
			}
			if own < last && m.mayMiss(own, last) {
				last = own // then it gets one of its own class, whatever else is idle
			}
			for k := own; k <= last; k++ {
				if len(m.idle[k]) > 0 {
					m.fatalf("a request for %d bytes gets a new array, but %d of %d are idle", n, len(m.idle[k]), m.sizes[k])
				}
			}
			m.want.Misses++
			s.Misses++
		}
	}
	for _, h := range m.held {
		if h.array.overlaps(array) {
			m.fatalf("the array of %d at %#x is handed out, but that of %d at %#x is in use", cap(b), array.addr, h.array.size, h.array.addr)
		}
	}
	m.forget() // memory that was released may have any use by now
	for _, class := range m.idle {
		for _, idle := range class {
			if idle.overlaps(array) {
				m.fatalf("the array of %d at %#x is handed out, but that of %d at %#x is idle", cap(b), array.addr, idle.size, idle.addr)
			}
		}
	}
	if rest := b[:cap(b)][written:]; m.config.Zero && !pooltest.IsZero(rest) {
		m.fatalf("a slice of %d at %#x, of a pool that clears them, is not zero", cap(b), array.addr)
	}
	return heldSlice{b: b, array: array}, true
}

// hits returns the pool's hits for class c.
func (m *model) hits(c int) uint64 {
	for _, s := range m.pool.Stats().Classes {
		if s.Size == m.sizes[c] {
			return s.Hits
		}
	}
	return 0
}

// keep fills the array of h and holds it.
func (m *model) keep(h heldSlice) {
	m.serial++
	h.noise = m.serial * 131 % (len(noise) / 4)
	copy(h.b[:cap(h.b)], noise[h.noise:])
	m.held = append(m.held, h)
	m.bytes += h.array.size
}

// take removes a held slice, which the input chooses.
func (m *model) take() (h heldSlice, ok bool) {
	if len(m.held) == 0 {
		return h, false
	}
	i, last := m.next()%len(m.held), len(m.held)-1
	h = m.held[i]
	m.held[i] = m.held[last]
	m.held = m.held[:last]
	m.bytes -= h.array.size
	return h, true
}

// part replaces h by a part of it.
func (m *model) part(h heldSlice) heldSlice {
	k := m.next()
	switch b := h.b[:cap(h.b)]; {
	case len(b) == 0:
	case k%4 == 0: // as many bytes as a class, at the beginning
		k = min(m.sizes[k/4%len(m.sizes)], len(b))
		h.b = b[:k:k]
	case k%4 == 1: // and at the end
		k = max(len(b)-m.sizes[k/4%len(m.sizes)], 0)
		h.b = b[k:]
		h.noise += k
	case k%4 == 2:
		k = k * len(b) / 255
		h.b = b[:k:k]
	default:
		k = k * len(b) / 256
		h.b = b[k:]
		h.noise += k
	}
	return h
}

// offered counts a put of b. It returns b's class if b may be one of the pool's slices.
func (m *model) offered(b []byte) (c int, ok bool) {
	a, smallest := extentOf(b), m.sizes[0]
	c = m.find(cap(b))
	drop := func(n *uint64) (int, bool) {
		*n++
		return 0, false
	}
	switch {
	case cap(b) == 0:
		return drop(&m.want.Drops.Empty)
	case c == len(m.sizes):
		out := &m.want.OutsideInUse
		out.Items, out.Bytes = max(0, out.Items-1), max(0, out.Bytes-int64(cap(b)))
		return drop(&m.want.Drops.Large)
	case cap(b) < smallest:
		return drop(&m.want.Drops.Small)
	case cap(b) != m.sizes[c]:
		return drop(&m.want.Drops.Foreign)
	case a.addr%uintptr(min(a.size&-a.size, 8<<10)) != 0:
		return drop(&m.want.Drops.Misaligned)
	}
	m.want.Puts++
	m.class[c].Puts++
	return c, true
}

// put puts b, which nobody uses any more and which may be any slice. It reports whether b was
// kept.
func (m *model) put(b []byte) bool {
	m.t.Helper()
	full := m.pool.Stats().Drops.Full
	m.pool.Put(b)
	return m.offer("Put", b, m.pool.Stats().Drops.Full == full)
}

// offer checks a put. The pool must have kept b if b may be one of its slices and there was
// room.
func (m *model) offer(how string, b []byte, kept bool) bool {
	m.t.Helper()
	m.note("%s of %d bytes at %#x, kept: %v", how, cap(b), extentOf(b).addr, kept)
	c, ok := m.offered(b)
	if !ok {
		return false
	}
	if kept {
		m.idle[c] = append(m.idle[c], extentOf(b))
		return true
	}
	m.want.Drops.Full++
	m.class[c].Full++
	// There may be no room because half of MaxIdle is reserved for magazines, which move half
	// of their items at a time. There is no other reason.
	idle := int64(0)
	for c, size := range m.sizes {
		idle += int64(len(m.idle[c]) * size)
	}
	if idle+m.config.MaxIdle/2+14*int64(cap(b)) <= m.config.MaxIdle {
		m.fatalf("a slice of capacity %d is refused with %d of %d bytes idle", cap(b), idle, m.config.MaxIdle)
	}
	return false
}

// putTwice puts b twice, with collections in between. The pool must notice, unless it has
// released b in the meantime.
func (m *model) putTwice(b []byte, how int) {
	m.t.Helper()
	if !m.put(b) {
		return
	}
	for range how % 4 {
		m.collect()
	}
	m.compare()
	c := m.find(cap(b))
	if len(m.idle[c]) == 0 {
		return // it has been released
	}
	var kept bool
	double := m.pool.Stats().Drops.Double
	if how/4%2 == 0 {
		kept = pooltest.Kept(m.pool, b)
	} else {
		m.pool.Put(b)
		kept = m.pool.Stats().Drops.Double == double
	}
	m.note("%#x again, kept: %v", extentOf(b).addr, kept)
	if kept {
		m.fatalf("a slice of capacity %d at %#x is put twice, and the pool does not notice", cap(b), extentOf(b).addr)
	}
	m.want.Drops.Double++
	m.class[c].Double++
}

// grow appends to h, or makes room for an append.
func (m *model) grow(op int, h heldSlice) {
	m.t.Helper()
	b := h.b[:m.next()*cap(h.b)/255]
	add := max(m.length(), 0)
	if max(2*cap(b), len(b)+add) > maxModelBytes {
		add = cap(b) - len(b)
	}
	want := append(bytes.Clone(b), noise[:add]...)
	var grown []byte
	switch op {
	case opAppend:
		grown = m.pool.Append(b, noise[:add]...)
	case opAppendString:
		grown = m.pool.AppendString(b, string(noise[:add]))
	default:
		grown = m.pool.Grow(b, add)
		if len(grown) != len(b) || cap(grown)-len(grown) < add {
			m.fatalf("Grow(%d) of %d bytes has %d, and room for %d", add, len(b), len(grown), cap(grown)-len(grown))
		}
		grown = append(grown, noise[:add]...)
	}
	m.note("append %d bytes to %d of %d at %#x: %d at %#x", add, len(b), cap(b), extentOf(b).addr, cap(grown), extentOf(grown).addr)
	if !bytes.Equal(grown, want) {
		m.fatalf("appending %d bytes to %d makes other bytes", add, len(b))
	}
	if add <= cap(b)-len(b) {
		if extentOf(grown) != extentOf(b) {
			m.fatalf("a slice with room for %d bytes moves when %d are appended", cap(b)-len(b), add)
		}
		m.held = append(m.held, h)
		m.bytes += h.array.size
		copy(h.b[:cap(h.b)], noise[h.noise:]) // restores the content
		return
	}
	// h has a new array, and the old one was put after the new one existed.
	m.held = append(m.held, h)
	moved, _ := m.gain(grown, max(len(b)+add, 2*cap(b)), len(grown))
	m.held = m.held[:len(m.held)-1]
	if cap(b) > 0 {
		full := m.pool.Stats().Drops.Full
		m.offer("its Put", b, full == m.want.Drops.Full)
	}
	if moved.b == nil {
		m.fatalf("appending %d bytes to %d gives nothing", add, len(b))
	}
	m.keep(moved)
}

// burst gets count slices at once and then puts them all. That fills magazines, and moves
// halves of them to the depot and back.
func (m *model) burst(n, count int) {
	m.t.Helper()
	count = min(count, maxModelBytes/max(n, 64))
	first := len(m.held)
	for range count {
		b := m.pool.Get(n)
		m.note("Get(%d) = %d bytes of %d at %#x", n, len(b), cap(b), extentOf(b).addr)
		if h, ok := m.gain(b, n, 0); ok {
			m.keep(h)
		}
	}
	m.compare()
	for _, h := range m.held[first:] {
		m.bytes -= h.array.size
		m.put(h.b)
	}
	m.held = m.held[:first]
}

// collect runs the collector, and returns when the pool's work for the collection is done.
func (m *model) collect() {
	if m.cycles++; m.cycles > 12 { // collections take longer than all other operations
		return
	}
	m.note("collect")
	var done atomic.Bool
	// Hooks are called in the order of their registration, so the pool's comes first.
	gccycle.Register(func(gccycle.Pressure) bool {
		done.Store(true)
		return false
	})
	for runtime.GC(); ; runtime.GC() {
		// Hooks run on another goroutine of the same P. If they have not run after many turns, the collection has
		// missed the pool's sentinel. Each collection may begin another round, so none is made earlier.
		for range 1 << 20 {
			if done.Load() {
				return
			}
			runtime.Gosched()
		}
	}
}

// forget removes the slices that the pool says it has released from the model: of each class
// those that were put first.
func (m *model) forget() {
	m.t.Helper()
	for _, s := range m.pool.Stats().Classes {
		c := m.find(s.Size)
		gone := s.Trimmed - m.class[c].Trimmed
		if gone > uint64(len(m.idle[c])) {
			m.fatalf("class %d: %d slices were released, of %d", s.Size, gone, len(m.idle[c]))
		}
		m.idle[c] = m.idle[c][gone:]
		m.class[c].Trimmed = s.Trimmed
	}
}

// compare compares the pool with the model.
func (m *model) compare() {
	m.t.Helper()
	m.forget()
	got := m.pool.Stats()
	want := got // for figures that the model does not have
	want.Gets, want.Hits, want.Misses, want.Outside = m.want.Gets, m.want.Hits, m.want.Misses, m.want.Outside
	want.Puts, want.Drops = m.want.Puts, m.want.Drops
	want.AskedBytes, want.HandedOutBytes, want.OutsideBytes = m.want.AskedBytes, m.want.HandedOutBytes, m.want.OutsideBytes
	want.OutsideInUse = m.want.OutsideInUse
	want.Items = basin.Holdings{InUse: want.OutsideInUse.Items}
	want.Bytes = basin.Holdings{InUse: want.OutsideInUse.Bytes, MaxIdle: m.config.MaxIdle}
	want.Classes = nil
	for c, s := range m.class {
		s.Items = basin.Holdings{InUse: max(int64(s.Gets-s.Puts), 0), Idle: int64(len(m.idle[c]))}
		s.Bytes = basin.Holdings{InUse: s.Items.InUse * int64(s.Size), Idle: s.Items.Idle * int64(s.Size)}
		want.Items.InUse += s.Items.InUse
		want.Items.Idle += s.Items.Idle
		want.Bytes.InUse += s.Bytes.InUse
		want.Bytes.Idle += s.Bytes.Idle
		if s.Gets+s.Puts+s.Double > 0 {
			want.Classes = append(want.Classes, s)
		}
	}
	if !reflect.DeepEqual(got, want) {
		m.fatalf("the pool counts\n%+v, the model\n%+v", got, want)
	}
	if got.Bytes.Idle > got.Bytes.MaxIdle || got.Bytes.InUse < 0 || got.PeakInUse.Bytes < got.Bytes.InUse || got.Gets != got.Hits+got.Misses+got.Outside {
		m.fatalf("impossible: %+v", got)
	}
	for _, h := range m.held {
		if a := h.b[:cap(h.b)]; !bytes.Equal(a, noise[h.noise:][:len(a)]) {
			m.fatalf("the slice of %d at %#x has been written to", h.array.size, h.array.addr)
		}
	}
}

// end puts everything back.
func (m *model) end() {
	for len(m.held) > 0 {
		h, _ := m.take()
		m.put(h.b)
		m.compare()
	}
	m.note("Trim at the end")
	m.pool.Trim()
	m.compare()
	if s := m.pool.Stats(); s.Bytes.Idle != 0 {
		m.fatalf("%d bytes are idle in the end", s.Bytes.Idle)
	}
	// All of MaxIdle must be available again. If part of the budget was lost, a put is refused
	// too early.
	if n := int(m.config.MaxIdle / int64(m.sizes[0])); n <= 320 {
		m.burst(m.sizes[0], n)
		m.compare()
	}
}
