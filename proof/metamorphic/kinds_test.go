//go:build go1.25

package metamorphic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/testenv"
)

// kinds lists all operations.
var kinds = []*kind{
	{name: "Get", weight: 8, run: getSlice},
	{name: "Put", weight: 6, run: putSlice},
	{name: "Forget", weight: 2, run: forgetSlice},
	{name: "Adopt", weight: 3, run: adopt},
	{name: "Adopt a part", weight: 1, run: adoptPart},
	{name: "Append", weight: 5, run: appendTo},
	{name: "ReadAll", weight: 2, run: readAll},
	{name: "forget", weight: 1, run: forget},
	{name: "Put of nothing", weight: 1, run: putNothing},
	{name: "bad Grow", weight: 1, run: growNegative},
	{name: "GetContext", weight: 2, run: getContext},
	{name: "TryGet", weight: 3, run: tryGet},
	{name: "Acquire", weight: 3, run: acquire},
	{name: "view", weight: 5, run: viewGet},
	{name: "Reservation.Release", weight: 2, run: releaseReservation},
	{name: "Trim", weight: 1, run: trim},
	{name: "Stats", weight: 1, run: stats},
	{name: "collect", weight: 1, run: collect},
	{name: "bursts", weight: 1, run: burst},

	{name: "Buffer", weight: 8, run: getBuffer},
	{name: "BytePool.NewBuffer", weight: 3, run: newBuffer},
	{name: "method", weight: 20, run: bufferMethod},
	{name: "PutBuffer", weight: 3, run: putBuffer},
	{name: "Detach", weight: 2, run: detach},
	{name: "NewShared", weight: 1, run: newShared},
	{name: "Retain", weight: 3, run: retain},
	{name: "Release", weight: 2, run: release},

	{name: "StdBufferPool.Get", weight: 3, run: getStd},
	{name: "StdBufferPool write", weight: 4, run: writeStd},
	{name: "StdBufferPool.Put", weight: 2, run: putStd},
	{name: "FixedPool.Get", weight: 3, run: getFixed},
	{name: "FixedPool.Put", weight: 3, run: putFixed},
	{name: "Pool.Get", weight: 5, run: getValue},
	{name: "Pool.Put", weight: 4, run: putValue},
	{name: "Pool that panics", weight: 1, run: panickingPool},
	{name: "Pool with a Size that panics", weight: 1, run: panickingSized},
	{name: "basinio", weight: 1, run: readersAndWriters},
	{name: "bad settings", weight: 1, run: badSettings},

	{name: "Scope", weight: 3, run: openScope},
	{name: "Scope.Get", weight: 12, run: scopeBytes},
	{name: "Scope values", weight: 5, run: scopeValues},
	{name: "Scope.Child", weight: 3, run: scopeChild},
	{name: "Scope.Defer", weight: 2, run: scopeDefer},
	{name: "Scope.Room", weight: 2, run: scopeRoom},
	{name: "Scope.End", weight: 2, run: endScope},
	{name: "look at a Scope", weight: 1, run: scopeLook},

	{name: "Scope after End", weight: 1, hostile: true, run: scopeLate},
	{name: "put foreign", weight: 2, hostile: true, run: putForeign},
	{name: "put part", weight: 2, hostile: true, run: putPart},
	{name: "PutBuffer twice", weight: 2, hostile: true, run: putBufferTwice},
	{name: "FixedPool.Put of others", weight: 2, hostile: true, run: putFixedBad},
	{name: "Shared misused", weight: 1, hostile: true, run: sharedMisuse},

	{name: "hand over", weight: 6, main: true, run: handOver},
	{name: "basincheck.Set", weight: 3, main: true, run: setChecking},
	{name: "GOMAXPROCS", weight: 1, main: true, run: setProcs},
	{name: "SetDefault", weight: 1, main: true, run: setDefault},
	{name: "Append", weight: 1, main: true, run: snapshots},
	{name: "Verify", weight: 1, main: true, run: verify},
	{name: "collect and Trim", weight: 1, main: true, run: collectAndTrim},
}

// length decodes a length: mostly small, sometimes at the edge of a class, zero, or negative.
func length(x int) int {
	switch y := x / 8; x % 8 {
	case 0, 1, 2:
		return y % 300
	case 3:
		return y % 5000
	case 4:
		return y % 70_000
	case 5:
		return 64<<(y%10) + y/16%3 - 1
	case 6:
		return y%120 - 10
	default:
		return y % 1000
	}
}

// pool chooses a byte pool. In tight programs only Buffers use the default pool. How much of it
// they hold depends on the learning of their pools, and so do refusals.
func (w *worker) pool(x int) int {
	if w.p.tight {
		return 1 + x%(len(w.bytes)-1)
	}
	return x % len(w.bytes)
}

// room reports whether a pool has room for n bytes, so that a Get does not wait. A program with
// ceilings has a single goroutine, so the room is still there afterwards.
func (w *worker) room(pool, n int) bool {
	if !w.p.tight || n <= 0 {
		return true
	}
	w.say("if b, ok := p[%d].TryGet(%d); ok { p[%d].Put(b) }", pool, n, pool)
	b, ok := w.bytes[pool].TryGet(n)
	if ok {
		w.got(pool, n, b)
		w.giving(pool, b)
		w.bytes[pool].Put(b)
	}
	return ok || n > tight // larger than the ceiling: does not wait either
}

func getSlice(w *worker, o op) string {
	k, pool, n := o.a%slots, w.pool(o.b), length(o.c)
	w.free(k)
	p := w.bytes[pool]
	src := pattern(o.index+1, max(n, 0))
	var b []byte
	wantLen, contents := max(n, 0), []byte(nil)
	call := func(format string, args ...any) {
		w.say("s[%d][%d] = p[%d].%s", w.g, k, pool, fmt.Sprintf(format, args...))
	}
	switch o.a / slots % 8 {
	case 0, 1, 2:
		call("Get(%d)", n)
		b = p.Get(n)
	case 3:
		call("GetZeroed(%d)", n)
		b = p.GetZeroed(n)
		contents = make([]byte, wantLen)
	case 4:
		call("Get(%d)[:0]", n)
		b = p.Get(n)[:0]
		wantLen = 0
	case 5:
		if o.b/64%3 == 0 {
			n, wantLen, src = 0, 0, nil
		}
		call("Append(nil, pattern(%d, %d)...)", o.index+1, len(src))
		b = p.Append(nil, src...)
		contents = src
	case 6:
		call("Append(p[%d].Get(%d)[:0], pattern(%d, %d)...)", pool, n, o.index+1, len(src))
		b = p.Append(p.Get(n)[:0], src...)
		contents = src
	case 7:
		call("Sized(%d).Get()", n)
		b = p.Sized(n).Get()
	}
	if len(b) != wantLen {
		w.fail("has length %d, want %d", len(b), wantLen)
	}
	if contents != nil && !bytes.Equal(b, contents) {
		w.fail("has %s, want %s", sum(b), sum(contents))
	}
	if w.c.zero && pool > 0 && contents == nil && len(bytes.Trim(b[:cap(b)], "\x00")) > 0 {
		w.fail("a slice of a pool that clears them is not zero")
	}
	w.got(pool, n, b)
	result := fmt.Sprint(len(b), " ", w.capacity(pool, b))
	if cap(b) > 0 {
		w.hold(k, pool, b)
	}
	return result
}

func putSlice(w *worker, o op) string {
	k := o.a % slots
	s := &w.slices[k]
	if s.b != nil {
		if o.b%4 == 0 {
			b, pool := w.whole(k), s.pool
			w.say("p[%d].Sized(%d).Put(s[%d][%d])", pool, len(b), w.g, k)
			w.giving(pool, b)
			*s = slice{}
			w.bytes[pool].Sized(len(b)).Put(b)
			return "put"
		}
		w.whole(k)
		s.b = s.b[:o.c%(cap(s.b)+1)] // any length
	}
	w.free(k)
	return "put"
}

// forgetSlice leaves a slice to the collector, which counts as a Put. Its contents stay.
func forgetSlice(w *worker, o op) string {
	k := o.a % slots
	s := w.slices[k]
	if s.b == nil {
		return "nothing"
	}
	b := w.whole(k)
	w.slices[k] = slice{}
	w.giving(s.pool, b)
	w.say("p[%d].Forget(s[%d][%d])", s.pool, w.g, k)
	want := bytes.Clone(b)
	w.bytes[s.pool].Forget(b)
	runtime.Gosched()
	if !bytes.Equal(b, want) {
		w.fail("a forgotten slice has changed")
	}
	return "forgotten"
}

// page returns n bytes with the pattern of a seed. The first byte's address is a multiple of 8
// KiB, plus off.
func page(off, n, seed int) []byte {
	b := make([]byte, off+n+8192)
	begin := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))&8191) + off
	b = b[begin : begin+n : begin+n]
	copy(b, pattern(seed, n))
	return b
}

// adopt puts a slice of foreign origin into a pool, in one of several ways.
func adopt(w *worker, o op) string {
	pool := w.pool(o.b)
	s, a := w.specs[pool], w.account(pool)
	off, n := []int{0, 0, 64, 192, 1, 63, 100, 4097}[o.a/slots%8], max(length(o.c), 0)
	if pool == 0 || testenv.ASan { // a foreign slice may look misaligned there
		off = 0
	}
	if o.a%6 == 0 && s.maxSize < 1<<20 {
		n = s.maxSize + o.c%70 - 40
	}
	if off%64 == 0 && n > 0 && n%64 == 0 {
		n++ // otherwise it could look like the pool's own
	}
	result := "adopted"
	switch {
	case n == 0:
		a.empty.Add(1)
		result = "empty"
	case n > s.maxSize:
		a.large.Add(1)
		result = "too large"
	case n < s.minSize:
		a.small.Add(1)
		result = "too small"
	case n-(-off&63) < s.minSize:
		a.misaligned.Add(1)
		result = "misaligned"
	default:
		a.adopted.Add(1)
	}
	b, kept := page(off, n, o.index), false
	switch how := o.b / 8 % 2; {
	case !s.adopts || how == 0:
		w.say("p[%d].Adopt(page(%d, %d, %d))", pool, off, n, o.index)
		kept = w.bytes[pool].Adopt(b)
	default:
		w.say("p[%d].Put(page(%d, %d, %d))", pool, off, n, o.index)
		w.bytes[pool].Put(b)
	}
	if kept && result != "adopted" {
		w.fail("%d bytes from %d on are kept", n, off)
	}
	return result // MaxIdle decides whether it is kept
}

// adoptPart puts a part of an outstanding slice into a pool. Checks drop it if they know the
// slice.
func adoptPart(w *worker, o op) string {
	k, to := o.a%slots, 1+o.b%(len(w.bytes)-1)
	s := &w.slices[k]
	if s.b == nil {
		return "none"
	}
	b, pool := w.whole(k), s.pool
	b = b[:cap(b)]
	if s.vague || !w.own(pool, cap(b)) || pool == 0 || len(b) < 128 || w.p.tight {
		return "none that it can be done with"
	}
	cut, text := 1+o.c%31*2, "" // no slice of a pool begins at an odd address or has an odd capacity
	part := b[cut:]
	if o.c/31%2 == 0 {
		text = fmt.Sprintf("p[%d].Adopt(s[%d][%d][:cap(s[%d][%d])][%d:])", to, w.g, k, w.g, k, cut)
	} else {
		part = b[: len(b)-cut : len(b)-cut]
		text = fmt.Sprintf("p[%d].Adopt(s[%d][%d][:%d:%d])", to, w.g, k, len(part), len(part))
	}
	if len(part) < w.specs[to].minSize {
		return "too small to be adopted"
	}
	own, other := w.account(pool), w.account(to)
	own.lost.Add(1)
	own.lostBytes.Add(int64(cap(b)))
	*s = slice{}
	w.say("%s\ns[%d][%d] = nil", text, w.g, k)
	if len(part) > w.specs[to].maxSize {
		other.large.Add(1)
	} else {
		other.either.Add(1)
	}
	if kept := w.bytes[to].Adopt(part); kept && len(part) > w.specs[to].maxSize {
		w.fail("a part of %d bytes is kept", len(part))
	}
	return "a part is adopted"
}

func appendTo(w *worker, o op) string {
	k := o.a % slots
	s := &w.slices[k]
	if s.b == nil {
		w.say("s[%d][%d] = nil", w.g, k)
		s.pool = w.pool(o.b)
	}
	if s.b != nil && (s.vague || !w.own(s.pool, cap(s.b))) {
		return "the capacity depends on the ceiling, or on others"
	}
	old := s.b
	if old != nil {
		old = w.whole(k)
		old = old[:o.b/8%(cap(old)+1)]
		w.say("s[%d][%d] = s[%d][%d][:%d]", w.g, k, w.g, k, len(old))
	}
	n := max(length(o.c), 0)
	if n > 10_000 {
		n %= 10_000
	}
	if cap(old) > 100_000 {
		n = min(n, cap(old)-len(old))
	}
	pool := s.pool
	src := pattern(o.index+1, n)
	self := o.b%5 == 0 && n <= len(old)
	if self {
		src = old[len(old)-n:]
	}
	want := append(bytes.Clone(old), src...)
	var b []byte
	switch o.a / slots % 3 {
	case 0:
		if self {
			w.say("s[%d][%d] = p[%d].Append(s[%d][%d], s[%d][%d][%d:]...)", w.g, k, pool, w.g, k, w.g, k, len(old)-n)
		} else {
			w.say("s[%d][%d] = p[%d].Append(s[%d][%d], pattern(%d, %d)...)", w.g, k, pool, w.g, k, o.index+1, n)
		}
		b = w.bytes[pool].Append(old, src...)
	case 1:
		w.say("s[%d][%d] = p[%d].AppendString(s[%d][%d], string(pattern(%d, %d)))", w.g, k, pool, w.g, k, o.index+1, n)
		b = w.bytes[pool].AppendString(old, string(src))
	default:
		src = bytes.Clone(src)
		w.say("s[%d][%d] = append(p[%d].Grow(s[%d][%d], %d), pattern(%d, %d)...)", w.g, k, pool, w.g, k, n, o.index+1, n)
		b = w.bytes[pool].Grow(old, n)
		if cap(b)-len(b) < n {
			w.fail("Grow(%d) has room for %d", n, cap(b)-len(b))
		}
		b = append(b, src...)
	}
	if !bytes.Equal(b, want) {
		w.fail("has %s, want %s", sum(b), sum(want))
	}
	if len(old)+n > cap(old) {
		w.got(pool, max(len(old)+n, 2*cap(old)), b)
		if cap(old) > 0 {
			w.giving(pool, old)
		}
	}
	result := fmt.Sprint(sum(b), " ", w.capacity(pool, b))
	w.slices[k] = slice{}
	if cap(b) > 0 {
		w.slices[k] = slice{b: b, pool: pool, seed: o.index, vague: w.vague(pool)}
		w.say("fill(s[%d][%d], %d)", w.g, k, o.index)
		copy(b[:cap(b)], pattern(o.index, cap(b)))
	}
	return result
}

// A reader lies, fails, or returns little at a time.
type reader struct {
	data []byte
	step int
	err  error // at the end
	lie  int   // count that it returns at the end instead
	dull bool  // reads nothing forever, at the end
	seed int   // of data
}

func (r *reader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		switch {
		case r.lie != 0:
			return r.lie, nil
		case r.dull:
			return 0, nil
		}
		return 0, r.err
	}
	n := copy(p, r.data[:min(len(r.data), r.step)])
	r.data = r.data[n:]
	return n, nil
}

func (r *reader) String() string {
	err := "io.EOF"
	if r.err == errRead {
		err = "errRead"
	}
	return fmt.Sprintf("&reader{pattern(%d, %d), %d, %s, %d, %v}", r.seed, len(r.data), r.step, err, r.lie, r.dull)
}

var errRead = errors.New("the reader's error")

// aReader returns a reader of the pattern of a seed.
func aReader(x, seed, n int) *reader {
	data := pattern(seed, n)
	r := &reader{data: data, step: 1 + x/8%5000, err: io.EOF, seed: seed}
	if len(data)/r.step > 1000 {
		r.step = len(data)/1000 + 1
	}
	switch x % 8 {
	case 0:
		r.err = errRead
	case 1:
		r.lie = -1
	case 2:
		r.lie = 1 << 30
	case 3:
		r.dull = true
	}
	return r
}

func readAll(w *worker, o op) string {
	k, pool := o.a%slots, w.pool(o.b)
	w.free(k)
	n := max(length(o.c), 0)
	data := pattern(o.index+1, n)
	in := aReader(o.a/slots, o.index+1, n)
	w.account(pool).inexact.Store(true)
	w.say("try(func() { s[%d][%d], _ = p[%d].ReadAll(%v) })", w.g, k, pool, in)
	var b []byte
	var err error
	panicked := panics(func() { b, err = w.bytes[pool].ReadAll(in) })
	if err == nil && panicked == "" && !bytes.Equal(b, data) {
		w.fail("ReadAll of %s has %s", sum(data), sum(b))
	}
	if (err != nil || panicked != "") && b != nil {
		w.fail("ReadAll that fails with %v returns data", err)
	}
	if errors.Is(err, basin.ErrLimit) && w.p.tight {
		return w.refusal(err)
	}
	result := fmt.Sprint(sum(b), " ", err, " ", panicked)
	vague := w.p.goroutines > 1 || w.vague(pool) // the pool learns from concurrent requests in any order
	if !vague {
		result += " " + w.capacity(pool, b)
	}
	if cap(b) > 0 {
		w.hold(k, pool, b)
		w.slices[k].vague = vague
	}
	return result
}

// panics calls f and returns the value of its panic, in words.
func panics(f func()) (with string) {
	defer func() {
		if x := recover(); x != nil {
			with = fmt.Sprintf("panic: %v", x)
		}
	}()
	f()
	return ""
}

// A sink hides the ReadFrom of a bytes.Buffer.
type sink struct{ w io.Writer }

func (s sink) Write(p []byte) (int, error) { return s.w.Write(p) }

func forget(w *worker, o op) string {
	k := o.a % slots
	s := &w.slices[k]
	if s.b == nil {
		return "nothing"
	}
	b := w.whole(k)
	if !w.own(s.pool, cap(b)) || s.pool == 0 || w.p.tight {
		w.free(k) // a ceiling would count it, rounded up, and until the collector finds it
		return "put"
	}
	w.forgot.Add(1)
	a := w.account(s.pool)
	a.lost.Add(1)
	a.lostBytes.Add(int64(cap(b)))
	w.say("s[%d][%d] = nil", w.g, k)
	*s = slice{}
	return "forgotten"
}

func putNothing(w *worker, o op) string {
	pool := w.pool(o.b)
	w.say("p[%d].Put(nil)\np[%d].Put([]byte{})", pool, pool)
	w.bytes[pool].Put(nil)
	w.bytes[pool].Put([]byte{})
	w.account(pool).empty.Add(2)
	return "dropped"
}

func growNegative(w *worker, o op) string {
	pool := w.pool(o.b)
	w.say("try(func() { p[%d].Grow(nil, -1) })", pool)
	with := panics(func() { w.bytes[pool].Grow(nil, -1) })
	if with == "" {
		w.fail("Grow by -1 does not panic")
	}
	return with
}

func getContext(w *worker, o op) string {
	k, pool, n := o.a%slots, w.pool(o.b), length(o.c)
	w.free(k)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	switch o.a / slots % 4 {
	case 0:
		cancel(nil)
		w.say("p[%d].GetContext(canceled, %d)", pool, n)
		b, err := w.bytes[pool].GetContext(ctx, n)
		if b != nil || !errors.Is(err, context.Canceled) {
			w.fail("GetContext of a context that is done returns %d bytes, %v", len(b), err)
		}
		return fmt.Sprint(err)
	case 1:
		w.say("try(func() { p[%d].GetContext(nil, %d) })", pool, n)
		with := panics(func() { w.bytes[pool].GetContext(nil, n) }) //lint:ignore SA1012 it is bad
		if with == "" {
			w.fail("GetContext with a nil context does not panic")
		}
		return with
	}
	if !w.room(pool, n) {
		return "no room"
	}
	w.say("s[%d][%d], _ = p[%d].GetContext(context.Background(), %d)", w.g, k, pool, n)
	b, err := w.bytes[pool].GetContext(ctx, n)
	if err != nil {
		if !errors.Is(err, basin.ErrLimit) || !w.p.tight {
			w.fail("GetContext(%d): %v", n, err)
		}
		return w.refusal(err)
	}
	if len(b) != max(n, 0) {
		w.fail("has length %d, want %d", len(b), max(n, 0))
	}
	w.got(pool, n, b)
	result := fmt.Sprint(len(b), " ", w.capacity(pool, b))
	if cap(b) > 0 {
		w.hold(k, pool, b)
	}
	return result
}

func tryGet(w *worker, o op) string {
	k, pool, n := o.a%slots, w.pool(o.b), length(o.c)
	w.free(k)
	w.say("s[%d][%d], _ = p[%d].TryGet(%d)", w.g, k, pool, n)
	b, ok := w.bytes[pool].TryGet(n)
	if !ok {
		if b != nil || !w.p.tight {
			w.fail("TryGet(%d) is refused", n)
		}
		return "refused"
	}
	w.got(pool, n, b)
	result := fmt.Sprint(len(b), " ", w.capacity(pool, b))
	if cap(b) > 0 {
		w.hold(k, pool, b)
	}
	return result
}

func trim(w *worker, o op) string {
	switch x := o.a % 2; {
	case x == 0:
		pool := w.pool(o.b)
		w.say("p[%d].Trim()", pool)
		w.bytes[pool].Trim()
	default:
		pool := o.b % len(w.world.values)
		w.say("vp[%d].trim()", pool)
		w.world.values[pool].trim()
	}
	return "trimmed"
}

// stats checks statistics while other goroutines work.
func stats(w *worker, o op) string {
	pool := w.pool(o.b)
	w.say("p[%d].Stats()", pool)
	s := w.bytes[pool].Stats()
	switch {
	case s.Gets != s.Hits+s.Misses+s.Outside:
		w.fail("Gets is not Hits + Misses + Outside: %+v", s)
	case s.Drops.Total() != sumDrops(s.Drops):
		w.fail("Drops is not the sum: %+v", s)
	case s.Bytes.Idle < 0:
		w.fail("negative: %+v", s)
	}
	for _, c := range s.Classes {
		if c.Puts > c.Gets && pool > 0 {
			w.fail("more puts than gets: %+v", c)
		}
	}
	return "looked"
}

func collect(w *worker, o op) string {
	if o.a%4 > 0 {
		return "not now"
	}
	w.say("runtime.GC()")
	runtime.GC()
	return "collected"
}

// burst takes many slices of one size and puts them all, which fills magazines.
func burst(w *worker, o op) string {
	pool, n, count := w.pool(o.b), 1+o.c%2000, 1+o.a%70
	if w.p.tight {
		return "no room"
	}
	w.say("burst(p[%d], %d, %d)", pool, n, count)
	all := make([][]byte, count)
	for i := range all {
		all[i] = w.bytes[pool].Get(n)
		w.got(pool, n, all[i])
		copy(all[i], pattern(o.index+i, n))
	}
	for i, b := range all {
		if !bytes.Equal(b, pattern(o.index+i, n)) {
			w.fail("slice %d of a burst has been written to by others", i)
		}
		w.giving(pool, b)
		w.bytes[pool].Put(b)
	}
	return "burst"
}

func getBuffer(w *worker, o op) string {
	k := o.a % slots
	w.freeBuffer(k)
	b := buffer{pool: plain}
	init := pattern(o.index, o.c%200)
	switch x := o.b % (4 + 4*len(w.world.buffers)); x {
	case 0:
		w.say("b[%d][%d] = new(basin.Buffer)", w.g, k)
		b.b = new(basin.Buffer)
	case 1:
		w.say("b[%d][%d] = basin.NewBuffer(bytes.Clone(pattern(%d, %d)))", w.g, k, o.index, len(init))
		b.b = basin.NewBuffer(bytes.Clone(init))
		b.want.Write(init)
	case 2:
		w.say("b[%d][%d] = basin.NewBuffer([]byte(string(pattern(%d, %d))))", w.g, k, o.index, len(init))
		b.b = basin.NewBuffer([]byte(string(init)))
		b.want.Write(init)
	case 3:
		w.say("b[%d][%d] = basin.NewSmallBuffer()", w.g, k)
		b.b = basin.NewSmallBuffer()
	default:
		b.pool = x % len(w.world.buffers)
		w.say("b[%d][%d] = bp[%d].Get()", w.g, k, b.pool)
		b.b = w.world.buffers[b.pool].Get()
		w.bufferGets[b.pool].Add(1)
	}
	w.buffers[k] = b
	if b.b.Len() != b.want.Len() {
		w.fail("a new Buffer has %d bytes", b.b.Len())
	}
	return sum(b.b.Bytes())
}

// newBuffer makes a Buffer that grows through a byte pool, or through a view of it.
func newBuffer(w *worker, o op) string {
	k, pool := o.a%slots, 1+o.b%(len(w.bytes)-1)
	w.freeBuffer(k)
	w.account(pool).inexact.Store(true)
	b := buffer{pool: plain, of: pool}
	if res := w.reservations[o.c%slots]; o.c/slots%2 == 0 && res != nil {
		w.say("b[%d][%d] = view(r[%d][%d], p[%d]).NewBuffer()", w.g, k, w.g, o.c%slots, pool)
		b.b = w.view(res, pool).NewBuffer()
	} else {
		w.say("b[%d][%d] = bytesOf(p[%d]).NewBuffer()", w.g, k, pool)
		b.b = w.real[pool].NewBuffer()
	}
	w.buffers[k] = b
	return "made"
}

// refusal returns an error of a limit in words that are the same in each run.
func (w *worker) refusal(err error) string { return strings.ReplaceAll(err.Error(), w.name, "") }

// acquire reserves memory, without waiting: its context carries an empty reservation.
func acquire(w *worker, o op) string {
	k, n := o.a%slots, int64(length(o.b))
	w.freeReservation(k)
	w.say("r[%d][%d], _ = limit.Acquire(none.Context(context.Background()), %d)", w.g, k, n)
	res, err := w.limit.Acquire(w.none.Context(context.Background()), n)
	if err != nil {
		if n >= 0 && !(w.p.tight && errors.Is(err, basin.ErrLimit)) {
			w.fail("Acquire of %d: %v", n, err)
		}
		return w.refusal(err)
	}
	w.reservations[k] = res
	return "reserved"
}

func releaseReservation(w *worker, o op) string {
	if !w.freeReservation(o.a % slots) {
		return "none"
	}
	return "released"
}

// freeReservation releases the reservation in slot k, and reports whether there was one.
func (w *worker) freeReservation(k int) bool {
	res := w.reservations[k]
	if res == nil {
		return false
	}
	w.say("r[%d][%d].Release()\nr[%d][%d] = nil", w.g, k, w.g, k)
	w.reservations[k] = nil
	res.Release()
	res.Release() // does nothing
	return true
}

// view returns a view of a pool, or if the pool has no limit, the pool.
func (w *worker) view(res *basin.Reservation, pool int) *basin.BytePool {
	if w.real[pool].Limit == nil {
		return w.real[pool]
	}
	return res.Pool(w.real[pool])
}

// viewGet gets a slice from a view, which goes back into the pool.
func viewGet(w *worker, o op) string {
	k, from, pool, n := o.a%slots, o.a/slots%slots, 1+o.b%(len(w.bytes)-1), length(o.c)
	res := w.reservations[from]
	if res == nil {
		return "no reservation"
	}
	w.free(k)
	v := w.view(res, pool)
	var b []byte
	ok := true
	switch o.b / 64 % 4 {
	case 0:
		w.say("s[%d][%d] = view(r[%d][%d], p[%d]).Get(%d)", w.g, k, w.g, from, pool, n)
		b = v.Get(n)
	case 1:
		w.say("s[%d][%d], _ = view(r[%d][%d], p[%d]).GetContext(context.Background(), %d)", w.g, k, w.g, from, pool, n)
		var err error
		b, err = v.GetContext(context.Background(), n)
		ok = err == nil
	case 2:
		w.say("s[%d][%d], _ = p[%d].GetContext(r[%d][%d].Context(context.Background()), %d)", w.g, k, pool, w.g, from, n)
		var err error
		b, err = w.real[pool].GetContext(res.Context(context.Background()), n)
		ok = err == nil
	default:
		w.say("s[%d][%d], _ = view(r[%d][%d], p[%d]).TryGet(%d)", w.g, k, w.g, from, pool, n)
		b, ok = v.TryGet(n)
	}
	if !ok {
		if b != nil || !w.p.tight {
			w.fail("a view refuses %d bytes", n)
		}
		return "refused"
	}
	w.got(pool, n, b)
	result := fmt.Sprint(len(b), " ", w.capacity(pool, b))
	if cap(b) > 0 {
		w.hold(k, pool, b)
	}
	return result
}

func putBuffer(w *worker, o op) string {
	w.freeBuffer(o.a % slots)
	return "put"
}

// bufferMethod calls the same method of a Buffer and of a bytes.Buffer.
func bufferMethod(w *worker, o op) string {
	k := o.a % slots
	x := &w.buffers[k]
	if x.b == nil {
		return "none"
	}
	b, want := x.b, &x.want
	n := max(length(o.c), 0)
	if want.Len() > 200_000 {
		want.Reset()
		b.Reset()
	}
	var does string
	var got, ref func() string
	// both sets the two calls, with their text.
	both := func(text string, g, r func() string) { does, got, ref = text, g, r }
	how := o.a / slots % 25
	if x.of > 0 && w.p.tight && (how >= 19 && how <= 23 || how > 23 && o.b%3 > 0) {
		how = 0 // these combine calls, which may be refused
	}
	switch how {
	case 0, 1, 2:
		src := pattern(o.index, n)
		both(fmt.Sprintf("Write(pattern(%d, %d))", o.index, n),
			func() string { return fmt.Sprint(b.Write(src)) },
			func() string { return fmt.Sprint(want.Write(src)) })
	case 3:
		src := string(text(o.b, n))
		both(fmt.Sprintf("WriteString(string(pattern(%d, %d)))", o.index, n),
			func() string { return fmt.Sprint(b.WriteString(src)) },
			func() string { return fmt.Sprint(want.WriteString(src)) })
	case 4:
		both(fmt.Sprintf("WriteByte(%d)", o.b%256),
			func() string { return fmt.Sprint(b.WriteByte(byte(o.b))) },
			func() string { return fmt.Sprint(want.WriteByte(byte(o.b))) })
	case 5:
		r := rune(o.b%(utf8.MaxRune+100)) - 50
		both(fmt.Sprintf("WriteRune(%d)", r),
			func() string { return fmt.Sprint(b.WriteRune(r)) },
			func() string { return fmt.Sprint(want.WriteRune(r)) })
	case 6, 7:
		// Readers that claim to have read more than the room break bytes.Buffer.
		how := o.b
		if how%8 == 2 || how%8 == 3 {
			how++
		}
		if how%8 == 3 {
			how++
		}
		both(fmt.Sprintf("ReadFrom(%v)", aReader(how, o.index, n)),
			func() string { return readFrom(b, aReader(how, o.index, n)) },
			func() string { return readFrom(want, aReader(how, o.index, n)) })
	case 8:
		both("WriteTo(w)",
			func() string { var out bytes.Buffer; return words(b.WriteTo(sink{&out})) + sum(out.Bytes()) },
			func() string { var out bytes.Buffer; return words(want.WriteTo(sink{&out})) + sum(out.Bytes()) })
	case 9:
		both(fmt.Sprintf("Read(make([]byte, %d))", n),
			func() string { p := make([]byte, n); return fmt.Sprint(b.Read(p)) + sum(p) },
			func() string { p := make([]byte, n); return fmt.Sprint(want.Read(p)) + sum(p) })
	case 10:
		both("ReadByte()"+unreads(o, w.g, k, "UnreadByte"),
			func() string { c, err := b.ReadByte(); return fmt.Sprint(c, err, unread(o, err, b.UnreadByte)) },
			func() string { c, err := want.ReadByte(); return fmt.Sprint(c, err, unread(o, err, want.UnreadByte)) })
	case 11:
		both("ReadRune()"+unreads(o, w.g, k, "UnreadRune"),
			func() string { c, n, err := b.ReadRune(); return fmt.Sprint(c, n, err, unread(o, err, b.UnreadRune)) },
			func() string {
				c, n, err := want.ReadRune()
				return fmt.Sprint(c, n, err, unread(o, err, want.UnreadRune))
			})
	case 12:
		both(fmt.Sprintf("ReadBytes(%d)", byte(o.b)),
			func() string { p, err := b.ReadBytes(byte(o.b)); return fmt.Sprint(sum(p), err) },
			func() string { p, err := want.ReadBytes(byte(o.b)); return fmt.Sprint(sum(p), err) })
	case 13:
		both("ReadString('\\n')",
			func() string { p, err := b.ReadString('\n'); return fmt.Sprint(sum([]byte(p)), err) },
			func() string { p, err := want.ReadString('\n'); return fmt.Sprint(sum([]byte(p)), err) })
	case 14:
		both(fmt.Sprintf("Next(%d)", n),
			func() string { return sum(b.Next(n)) },
			func() string { return sum(want.Next(n)) })
	case 15:
		both(fmt.Sprintf("Peek(%d)", n),
			func() string { p, err := b.Peek(n); return fmt.Sprint(sum(p), err) },
			func() string {
				p := want.Bytes()
				if n > len(p) {
					return fmt.Sprint(sum(p), io.EOF)
				}
				return fmt.Sprint(sum(p[:n]), nil)
			})
	case 16:
		n := o.b%(want.Len()+3) - 1 // now and then out of range
		both(fmt.Sprintf("Truncate(%d)", n),
			func() string { return panics(func() { b.Truncate(n) }) },
			func() string { return panics(func() { want.Truncate(n) }) })
	case 17:
		both("Reset()",
			func() string { b.Reset(); return "" },
			func() string { want.Reset(); return "" })
	case 18:
		n := length(o.c)
		both(fmt.Sprintf("Grow(%d)", n),
			func() string { return panics(func() { b.Grow(n) }) },
			func() string { return panics(func() { want.Grow(n) }) })
	case 19:
		part := want.Len() > 0 && o.b%2 == 0
		src := pattern(o.index, n)
		at := 0
		if part {
			at = o.b / 2 % want.Len()
			src = bytes.Clone(want.Bytes()[at:])
		}
		text := fmt.Sprintf("Reset(); b[%d][%d].Write(pattern(%d, %d))", w.g, k, o.index, n)
		switch {
		case part:
			text = fmt.Sprintf("Write(func(b *basin.Buffer) []byte { p := b.Bytes()[%d:]; b.Reset(); return p }(b[%d][%d]))", at, w.g, k)
		case o.b%4 == 1:
			text = fmt.Sprintf("Reset(); b[%d][%d].WriteString(string(pattern(%d, %d)))", w.g, k, o.index, n)
		}
		both(text,
			func() string {
				if part {
					own := b.Bytes()[at:]
					b.Reset()
					b.Write(own)
				} else if b.Reset(); o.b%4 == 1 {
					b.WriteString(string(src))
				} else {
					b.Write(src)
				}
				return ""
			},
			func() string { want.Reset(); want.Write(src); return "" })
	case 20:
		both("Bytes()",
			func() string { var c basin.Buffer; c.Write(b.Bytes()); s := sum(c.Bytes()); c.Free(); return s },
			func() string { return sum(want.Bytes()) })
	case 21:
		both("Bytes()",
			func() string { p := make([]byte, n); return fmt.Sprint(copy(p, b.Bytes()), sum(p)) },
			func() string { p := make([]byte, n); return fmt.Sprint(copy(p, want.Bytes()), sum(p)) })
	case 22:
		both("String()",
			func() string { return sum([]byte(b.String())) + sum(b.Bytes()) },
			func() string { return sum(want.Bytes()) + sum(want.Bytes()) })
	case 23:
		// As a user of AvailableBuffer does.
		src := pattern(o.index, n)
		both(fmt.Sprintf("Write(append(b[%d][%d].AvailableBuffer(), pattern(%d, %d)...))", w.g, k, o.index, n),
			func() string { return fmt.Sprint(b.Write(append(b.AvailableBuffer(), src...))) },
			func() string { return fmt.Sprint(want.Write(src)) })
	default:
		if o.b%3 > 0 {
			// Writes a part of the Buffer's own contents, which growing moves.
			at := o.b % (want.Len() + 1)
			both(fmt.Sprintf("Write(b[%d][%d].Bytes()[%d:])", w.g, k, at),
				func() string { return fmt.Sprint(b.Write(b.Bytes()[at:])) },
				func() string { return fmt.Sprint(want.Write(bytes.Clone(want.Bytes()[at:]))) })
			break
		}
		both("Free()",
			func() string { b.Free(); return "" },
			func() string { want.Reset(); return "" })
	}
	if strings.HasPrefix(does, "Truncate") || strings.HasPrefix(does, "Grow") || strings.HasPrefix(does, "ReadFrom") {
		w.say("try(func() { b[%d][%d].%s })", w.g, k, does)
	} else {
		unused := ""
		if does == "String()" { // which go vet reports
			unused = "_ = "
		}
		w.say("%sb[%d][%d].%s", unused, w.g, k, does)
	}
	g := got()
	if x.of > 0 && w.p.tight && strings.Contains(g, basin.ErrLimit.Error()[:7]) {
		return w.refusedMethod(k, g, how == 6 || how == 7)
	}
	r := ref()
	if g != r {
		w.fail("b[%d][%d].%s: %s, want %s", w.g, k, does, g, r)
	}
	w.sameBuffer(k)
	if b.Len() != want.Len() {
		w.fail("b[%d][%d].Len() is %d, want %d", w.g, k, b.Len(), want.Len())
	}
	return g
}

// refusedMethod checks the Buffer in slot k after a write that a limit has refused: nothing has changed, but for
// complete reads if more is set.
func (w *worker) refusedMethod(k int, result string, more bool) string {
	x := &w.buffers[k]
	got, want := x.b.Bytes(), x.want.Bytes()
	if !bytes.HasPrefix(got, want) || !more && len(got) != len(want) {
		w.fail("after a refused write, a Buffer has %s, before %s", sum(got), sum(want))
	}
	x.want = *bytes.NewBuffer(bytes.Clone(got))
	return strings.ReplaceAll(result, w.name, "")
}

// readFrom returns the results of ReadFrom in words, which may be a panic.
func readFrom(b io.ReaderFrom, r io.Reader) (result string) {
	with := panics(func() { result = words(b.ReadFrom(r)) })
	return result + with
}

// words returns a number and an error in words.
func words(n int64, err error) string { return fmt.Sprint(n, err) }

// unreads returns the text of a call of unread.
func unreads(o op, g, k int, method string) string {
	if o.b%2 == 0 {
		return ""
	}
	return fmt.Sprintf("\nb[%d][%d].%s()", g, k, method)
}

// unread calls f right after a successful read, if the operation says so.
func unread(o op, err error, f func() error) error {
	if err != nil || o.b%2 == 0 {
		return nil
	}
	return f()
}

func detach(w *worker, o op) string {
	k, to := o.a%slots, o.b%slots
	x := &w.buffers[k]
	if x.b == nil {
		return "none"
	}
	w.free(to)
	w.sameBuffer(k)
	w.say("s[%d][%d] = b[%d][%d].Detach()", w.g, to, w.g, k)
	b := x.b.Detach()
	if !bytes.Equal(b, x.want.Bytes()) {
		w.fail("Detach has %s, want %s", sum(b), sum(x.want.Bytes()))
	}
	if x.b.Len() != 0 {
		w.fail("after Detach there are %d bytes", x.b.Len())
	}
	x.want.Reset()
	if cap(b) > 0 {
		w.hold(to, x.of, b)
		w.slices[to].vague = true
	}
	return sum(b)
}

// readRef checks the contents of a Shared.
func (w *worker) readRef(k int) string {
	s := w.shared[k]
	if got := s.s.Bytes(); !bytes.Equal(got, s.want) || cap(got) != len(got) {
		w.fail("the Shared has %s, capacity %d, want %s", sum(got), cap(got), sum(s.want))
	}
	return sum(s.want)
}

func newShared(w *worker, o op) string {
	k, to := o.a%slots, o.b%slots
	s := &w.slices[k]
	if s.b == nil {
		return "none"
	}
	w.freeShared(to)
	b, pool := w.whole(k), s.pool
	*s = slice{}
	if pool == 0 {
		w.say("sh[%d][%d] = basin.Default().NewShared(s[%d][%d])", w.g, to, w.g, k)
		w.shared[to] = sharedRef{basin.Default().NewShared(b), bytes.Clone(b)}
	} else {
		w.say("sh[%d][%d] = bytesOf(p[%d]).NewShared(s[%d][%d])", w.g, to, pool, w.g, k)
		w.giving(pool, b) // by the last Release
		w.shared[to] = sharedRef{w.real[pool].NewShared(b), bytes.Clone(b)}
	}
	return w.readRef(to)
}

func retain(w *worker, o op) string {
	k, to := o.a%slots, o.b%slots
	if w.shared[k].s == nil || k == to {
		return "none"
	}
	w.freeShared(to)
	w.say("sh[%d][%d] = sh[%d][%d].Retain()", w.g, to, w.g, k)
	w.shared[to] = sharedRef{w.shared[k].s.Retain(), w.shared[k].want}
	return w.readRef(to)
}

func release(w *worker, o op) string {
	w.freeShared(o.a % slots)
	return "released"
}

func getStd(w *worker, o op) string {
	k, pool := o.a%slots, o.b%len(w.world.std)
	w.freeStd(k)
	w.say("sb[%d][%d] = sp[%d].Get()", w.g, k, pool)
	b := w.world.std[pool].Get()
	w.stdGets[pool].Add(1)
	if b.Len() != 0 {
		w.fail("a bytes.Buffer from the pool has %d bytes", b.Len())
	}
	w.std[k] = stdBuffer{b: b, pool: pool}
	return "got"
}

func writeStd(w *worker, o op) string {
	k := o.a % slots
	x := &w.std[k]
	if x.b == nil {
		return "none"
	}
	n := max(length(o.c), 0)
	switch o.b % 4 {
	case 0:
		w.say("sb[%d][%d].Reset()", w.g, k)
		x.b.Reset()
		x.want = nil
	case 1:
		w.say("sb[%d][%d].Next(%d)", w.g, k, n)
		x.b.Next(n)
		x.want = x.want[min(n, len(x.want)):]
	default:
		w.say("sb[%d][%d].Write(pattern(%d, %d))", w.g, k, o.index, n)
		x.b.Write(pattern(o.index, n))
		x.want = append(x.want, pattern(o.index, n)...)
	}
	if !bytes.Equal(x.b.Bytes(), x.want) {
		w.fail("the bytes.Buffer has %s, want %s", sum(x.b.Bytes()), sum(x.want))
	}
	return sum(x.want)
}

func putStd(w *worker, o op) string {
	w.freeStd(o.a % slots)
	return "put"
}

func getFixed(w *worker, o op) string {
	k, pool := o.a%slots, o.b%len(w.world.fixed)
	w.freeFixed(k)
	p := w.world.fixed[pool]
	var b []byte
	var ok bool
	var err error
	switch o.c % 4 {
	case 0, 1:
		w.say("f[%d][%d] = fp[%d].Get()", w.g, k, pool)
		b, ok = p.Get(), true
	case 2:
		w.say("f[%d][%d], _ = fp[%d].TryGet()", w.g, k, pool)
		b, ok = p.TryGet()
	default:
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if p.Stats().Items.Idle == 0 || o.a/slots%2 == 0 {
			w.say("f[%d][%d], _ = fp[%d].GetContext(canceled)", w.g, k, pool)
			cancel()
		} else {
			w.say("f[%d][%d], _ = fp[%d].GetContext(context.Background())", w.g, k, pool)
		}
		if b, err = p.GetContext(ctx); err == nil {
			ok = true
		}
	}
	if !ok {
		if b != nil {
			w.fail("a refused request has a buffer")
		}
		return fmt.Sprint("refused ", err)
	}
	w.fixedGets[pool].Add(1)
	if size := fixedSizes[pool]; len(b) != size || cap(b) != size {
		w.fail("a buffer of %d has length %d and capacity %d", size, len(b), cap(b))
	}
	if w.c.zero && len(bytes.Trim(b, "\x00")) > 0 {
		w.fail("a buffer of a pool that clears them is not zero")
	}
	copy(b, pattern(o.index, len(b)))
	w.fixed[k] = fixedBuffer{b, pool, o.index}
	return "got"
}

func putFixed(w *worker, o op) string {
	w.freeFixed(o.a % slots)
	return "put"
}

func getValue(w *worker, o op) string {
	k, pool := o.a%slots, o.b%len(w.world.values)
	w.freeValue(k)
	w.say("v[%d][%d] = vp[%d].get()", w.g, k, pool)
	v := w.world.values[pool].get()
	w.valueGets[pool].Add(1)
	if !v.fresh() {
		w.fail("a value of Pool[%s] is not as Reset leaves it: %+v", w.world.values[pool].typ(), v)
	}
	v.mark(o.index + 1)
	w.values[k] = held{v, pool, o.index + 1}
	return "got"
}

func putValue(w *worker, o op) string {
	w.freeValue(o.a % slots)
	return "put"
}

// panickingPool has a New or a Reset that panics, once.
func panickingPool(w *worker, o op) string {
	bad := true
	p := &basin.Pool[*cell]{
		New: func() *cell {
			if bad && o.a%2 == 0 {
				panic("New")
			}
			return new(cell)
		},
		Reset: func(c *cell) *cell {
			if bad {
				panic("Reset")
			}
			return c
		},
	}
	w.say("// A Pool whose New or Reset panics.")
	var c *cell
	first := panics(func() { c = p.Get() })
	bad = first == ""
	second := panics(func() {
		if c != nil {
			p.Put(c)
		}
	})
	bad = false
	if c == nil {
		c = p.Get()
	}
	p.Put(c)
	s := p.Stats()
	if s.Gets != 1 || s.Puts != 1 || s.Items.InUse != 0 {
		w.fail("a call that panics is counted: %+v", s)
	}
	return first + second + fmt.Sprint(s.Gets, s.Puts)
}

// panickingSized has a Make, a Used or a Size that panics, once.
func panickingSized(w *worker, o op) string {
	bad := []string{"Make", "Used", "Size"}[o.a%3]
	call := func(name string) {
		if bad == name {
			bad = ""
			panic(name)
		}
	}
	p := &basin.Pool[*[]byte]{
		Make: func(size int) *[]byte { call("Make"); b := make([]byte, 0, size); return &b },
		Used: func(b *[]byte) int { call("Used"); return len(*b) },
		Size: func(b *[]byte) int { call("Size"); return cap(*b) },
	}
	if o.b%2 == 0 { // with a Reset, Used is called first, and at each Put
		p.Reset = func(b *[]byte) *[]byte { *b = (*b)[:0]; return b }
	}
	w.say("// A Pool whose Make, Used or Size panics.")
	var b *[]byte
	first := panics(func() { b = p.Get() })
	if b == nil {
		b = p.Get()
	}
	second := panics(func() { p.Put(b) })
	if second != "" {
		p.Put(b)
	}
	s := p.Stats()
	if s.Gets != 1 || s.Puts != 1 || s.Items.InUse != 0 || bad != "" {
		w.fail("a call that panics is counted: %+v", s)
	}
	return first + second + fmt.Sprint(s.Gets, s.Puts)
}

func readersAndWriters(w *worker, o op) string {
	n := max(length(o.c), 0)
	data := pattern(o.index, n)
	w.say("// a Reader and a Writer of basinio, of %d bytes.", n)
	pool := &basin.BytePool{Zero: true} // its buffers do not pass to other Readers, which would leave one in use
	r := &basinio.Reader{Pool: pool}
	r.Reset(&reader{data: data, step: 1 + o.a%5000, err: io.EOF})
	var out bytes.Buffer
	to := &basinio.Writer{Pool: pool}
	to.Reset(&out)
	_, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{r})
	flush := to.Flush()
	r.Reset(nil)
	to.Reset(nil)
	if !bytes.Equal(out.Bytes(), data) {
		w.fail("has %s, want %s", sum(out.Bytes()), sum(data))
	}
	if n := pool.Stats().Items.InUse; n != 0 {
		w.fail("%d buffers in use", n)
	}
	return fmt.Sprint(err, flush)
}

func badSettings(w *worker, o op) string {
	bad := []func(){
		func() { (&basin.BytePool{MinSize: -1}).Get(1) },
		func() { (&basin.BytePool{MaxSize: 100, MinSize: 200}).Put(nil) },
		func() { (&basin.BytePool{MaxIdle: -2}).TryGet(1) },
		func() { (&basin.BytePool{MaxInUse: 1 << 62}).Stats() },
		func() { (&basin.FixedPool{Count: 0, Size: 1}).Get() },
		func() { (&basin.FixedPool{Count: math.MaxInt, Size: 2}).Put(nil) },
		func() { new(basin.Pool[int]).Put(1); (&basin.Pool[int]{MaxItems: -2}).Get() },
		func() { (&basin.BufferPool{InitialSize: -1}).Get() },
		func() { (&basin.StdBufferPool{MaxSize: 1, InitialSize: 2}).Get() },
		func() { (&basin.StdBufferPool{MaxIdle: basin.KeepNone - 1}).Get() },
		func() { (&basin.Pool[*[]byte]{MaxSize: 1}).Get() },
		func() { (&basin.Pool[*[]byte]{Size: new(sizes).size, MaxSize: -1}).Get() },
		func() { (&basin.Pool[*[]byte]{Size: new(sizes).size, Make: func(int) *[]byte { return nil }}).Put(nil) },
		func() { basincheck.Set(basincheck.Settings{Level: 77}) },
	}
	i := o.a % len(bad)
	w.say("// Bad setting %d.", i)
	with := panics(bad[i])
	if with == "" {
		w.fail("a bad setting does not panic")
	}
	return numbers.ReplaceAllString(with, "N") // numbers depend on the size of an int
}

// Misuse. Pools must drop it, count it and go on, at each level of checks.

func putForeign(w *worker, o op) string {
	pool := w.pool(o.b)
	n := 1 + o.c%5000
	if n%64 == 0 {
		n++
	}
	if o.a%3 == 0 {
		n = w.specs[pool].maxSize + 1 + o.c%2000
		if n > 1<<20 {
			n = 33
		}
	}
	w.say("p[%d].Put(make([]byte, %d))", pool, n)
	b := make([]byte, n)
	b = b[:n:n]
	w.giving(pool, b)
	w.bytes[pool].Put(b)
	return "dropped"
}

func putPart(w *worker, o op) string {
	k := o.a % slots
	s := &w.slices[k]
	if s.b == nil {
		return "none"
	}
	b, pool := w.whole(k), s.pool
	b = b[:cap(b)]
	if s.vague || !w.own(pool, cap(b)) || pool == 0 || cap(b) < w.specs[pool].minSize+1 || cap(b) < 128 || w.p.tight {
		return "none that it can be done with"
	}
	a := w.account(pool)
	a.lost.Add(1)
	a.lostBytes.Add(int64(cap(b)))
	w.forgot.Add(1)
	*s = slice{}
	smallest := w.specs[pool].minSize
	var part []byte
	if n := smallest + 1 + o.c%(len(b)-smallest-1); o.b%2 == 0 || n%2 == 0 {
		if n%2 == 0 {
			n++
		}
		if n >= len(b) {
			n = len(b) - 1
		}
		w.say("p[%d].Put(s[%d][%d][:%d:%d])", pool, w.g, k, n, n)
		part = b[:n:n]
	} else {
		w.say("p[%d].Put(s[%d][%d][%d:])", pool, w.g, k, len(b)-n)
		part = b[len(b)-n:]
	}
	w.giving(pool, part)
	w.bytes[pool].Put(part)
	return "dropped"
}

func putBufferTwice(w *worker, o op) string {
	k := o.a % slots
	x := &w.buffers[k]
	if x.b == nil || x.pool == plain {
		return "none"
	}
	b, pool := x.b, x.pool
	w.freeBuffer(k)
	w.say("bp[%d].Put(b[%d][%d])", pool, w.g, k)
	w.world.buffers[pool].Put(b)
	return "put twice"
}

func putFixedBad(w *worker, o op) string {
	k := o.a % slots
	f := w.fixed[k]
	p, size := w.world.fixed[o.b%len(w.world.fixed)], fixedSizes[o.b%len(fixedSizes)]
	switch {
	case o.c%3 == 0 || f.b == nil:
		w.say("fp[%d].Put(make([]byte, %d))", o.b%len(w.world.fixed), size)
		p.Put(make([]byte, size))
	case o.c%3 == 1 || w.p.goroutines > 1: // another goroutine may have got it by then
		w.say("fp[%d].Put(f[%d][%d][1:])", f.pool, w.g, k)
		w.world.fixed[f.pool].Put(f.b[1:])
	default:
		w.freeFixed(k)
		w.say("fp[%d].Put(f[%d][%d])", f.pool, w.g, k)
		w.world.fixed[f.pool].Put(f.b)
	}
	return "put"
}

func sharedMisuse(w *worker, o op) string {
	s := basin.Default().NewShared(bytes.Clone(pattern(o.index, 99)))
	w.say("// A Shared that is used after its last Release.")
	s.Release()
	return strings.Join([]string{
		panics(func() { s.Release() }),
		panics(func() { s.Retain() }),
		panics(func() { s.Bytes() }),
	}, ", ")
}

// Operations while no other goroutine runs.

// handOver moves objects of one goroutine to another.
func handOver(w *worker, o op) string {
	from, to := w.workers[o.a%len(w.workers)], w.workers[o.b%len(w.workers)]
	if from == to {
		return "to itself"
	}
	k, l := o.c%slots, o.c/slots%slots
	w.say("swap(%d, %d, %d, %d)", from.g, k, to.g, l)
	from.slices[k], to.slices[l] = to.slices[l], from.slices[k]
	from.buffers[k], to.buffers[l] = to.buffers[l], from.buffers[k]
	from.std[k], to.std[l] = to.std[l], from.std[k]
	from.fixed[k], to.fixed[l] = to.fixed[l], from.fixed[k]
	from.values[k], to.values[l] = to.values[l], from.values[k]
	from.shared[k], to.shared[l] = to.shared[l], from.shared[k]
	from.reservations[k], to.reservations[l] = to.reservations[l], from.reservations[k]
	from.scopes[k], to.scopes[l] = to.scopes[l], from.scopes[k]
	from.ended[k], to.ended[l] = to.ended[l], from.ended[k]
	return "handed over"
}

func setChecking(w *worker, o op) string {
	if w.c.beside {
		return "set"
	}
	w.say("%s", checkingSource(levelOf(w.c, w.level)))
	w.setLevel(w.level)
	w.level++
	return "set"
}

func setProcs(w *worker, o op) string {
	w.say("runtime.GOMAXPROCS(%d)", w.c.procs[w.procs%len(w.c.procs)])
	w.c.setProcsAt(w.procs)
	w.procs++
	return "set"
}

func setDefault(w *worker, o op) string {
	if o.a%2 == 0 {
		w.say("basin.SetDefault(nil)")
		basin.SetDefault(nil)
	} else {
		w.say("basin.SetDefault(other)")
		basin.SetDefault(w.other)
	}
	return "set"
}

func snapshots(w *worker, o op) string {
	w.say("basinexport.Append(nil)")
	w.listed(func(name string, n int) {
		if n > 1 {
			w.fail("basinexport.Append has %d of the pool %s", n, name)
		}
	})
	return "listed"
}

func verify(w *worker, o op) string {
	w.say("basincheck.Verify()")
	basincheck.Verify()
	return "verified"
}

func collectAndTrim(w *worker, o op) string {
	w.say("runtime.GC()\nfor _, p := range p[1:] { p.Trim() }\nfor _, p := range vp { p.trim() }")
	runtime.GC()
	for _, p := range w.bytes[1:] {
		p.Trim()
		if s := p.Stats(); s.Bytes.Idle != 0 {
			w.fail("%d bytes are idle after Trim", s.Bytes.Idle)
		}
	}
	for _, p := range w.world.values {
		p.trim()
		if s := p.stats(); s.Items.Idle != 0 {
			w.fail("%d values are idle after Trim", s.Items.Idle)
		}
	}
	return "trimmed"
}
