package a

import (
	"fmt"
	"io"

	"github.com/basin-go/basin"
)

// In each of these the deferred Put is reported, and not mended: a function literal
// might put what somebody else has, or run what the program does not expect.

func namedResult(p []byte) (b []byte) {
	b = basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return append([]byte(nil), b...)
}

func otherMemory(dst, p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b = dst
}

func cutOfOther(out, p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b = out[:0]
}

func tuple(p []byte, f func() ([]byte, error)) (err error) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b, err = f()
	return err
}

func ranged(all [][]byte) (n int) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, 1)
	for _, b = range all {
		n += len(b)
	}
	return n
}

func received(c chan []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, 1)
	select {
	case b = <-c:
	default:
	}
}

func returned(p []byte) []byte {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return b
}

func returnedGrown(p []byte) []byte {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return append(b, p...)
}

type holder struct{ b []byte }

func stored(h *holder, p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	h.b = b
}

func aliased(p []byte) []byte {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	c := b[1:]
	return c
}

func literal(p []byte) holder {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return holder{b}
}

func sent(c chan []byte, p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	c <- b
}

func passed(w io.Writer, p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	w.Write(b) // may keep it, whatever io.Writer says
}

func address(p []byte) *byte {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return &b[0]
}

func addressBefore(p []byte, set func(*[]byte)) {
	b := basin.Get(8)
	set(&b)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
}

func captured(p []byte) func() int {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	return func() int { return len(b) }
}

func later(p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	defer fmt.Println(b)
	go fmt.Println(b)
}

func front(p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b = b[1:]
}

func clipped(p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b = b[:1:1]
}

func builtin(p []byte) {
	b := basin.Get(8)
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	b = append(b, p...) // of no pool
}

func wrapper(p []byte) {
	b := basin.Get(8)
	defer release(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
}

func release(b []byte) {
	recover()
	basin.Put(b)
}

func shortened(p []byte) {
	b := basin.Get(8)
	defer basin.Put(b[:0]) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
}

func otherPool(p []byte) {
	b := bytePool.Get(8)
	defer bytePool.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
}

func defaultPool(p []byte) {
	b := basin.Get(8)
	defer basin.Default().Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
}

var changing = &basin.BytePool{}

func init() { changing = nil }

func changed(p []byte) {
	b := changing.Get(8)
	defer changing.Put(b) // want `changing.Append may put it first`
	b = changing.Append(b, p...)
}

type fields struct{ pool *basin.BytePool }

func (f *fields) field(p []byte) {
	b := f.pool.Get(8)
	defer f.pool.Put(b) // want `f.pool.Append may put it first`
	b = f.pool.Append(b, p...)
	f.pool = nil
}

var pools [2]basin.BytePool

func index(p []byte) {
	i := 0
	b := pools[i].Get(8)
	defer pools[i].Put(b) // want `Append may put it first`
	b = pools[i].Append(b, p...)
	i++
}

func looped(all [][]byte) {
	for _, p := range all {
		b := basin.Get(8)
		defer basin.Put(b) // want `basin.Append may put it first`
		b = basin.Append(b, p...)
	}
}

func jumps(p []byte) {
	b := basin.Get(8)
again:
	defer basin.Put(b) // want `basin.Append may put it first`
	b = basin.Append(b, p...)
	if len(b) < 100 {
		goto again
	}
}

func cutAtOnce(n int, in []byte) {
	b := basin.Get(n)
	defer basin.Put(b)
	b = b[:0:n] // as make has it: what is appended beyond is no memory of the pool
	for range in {
		b = append(b, in...)
	}
	io.Discard.Write(b)
}

func cutLater(n int, in []byte) {
	b := basin.Get(n)
	defer basin.Put(b) // want `append may move it`
	io.Discard.Write(b)
	b = b[:0:n]
	for range in {
		b = append(b, in...)
	}
	io.Discard.Write(b)
}
