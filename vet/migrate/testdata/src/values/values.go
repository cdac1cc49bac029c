package values

import (
	"io"
	"sync"
)

const size = 32 * 1024

var pages = sync.Pool{New: func() any { return make([]byte, size) }} // want `pages becomes a basin.Pool\[\[\]byte\]`

var (
	pointers = sync.Pool{ // want `pointers becomes a basin.Pool\[\*\[\]byte\]`
		// Comment.
		New: func() interface{} {
			// A pointer, not to allocate at Put.
			b := make([]byte, 0, size)
			return &b
		},
	}
	wrapped = sync.Pool{New: func() any { b := make([]byte, size); return &b }} // want `wrapped becomes`
	large   = &sync.Pool{                                                       // want `large becomes`
		New: func() any { return make([]byte, 0, 16<<20) }, // sixteen
	}
	arrays = sync.Pool{New: func() any { return new([1500]byte) }} // want `arrays stays a sync.Pool: it holds pointers to arrays`
	unsure = sync.Pool{New: func() any { return new([]byte) }}     // want `unsure becomes`
)

func copyAll(dst io.Writer, src io.Reader) (int64, error) {
	buf := pages.Get().([]byte)
	defer pages.Put(buf)
	return io.CopyBuffer(dst, src, buf)
}

func add(in []byte) int {
	p := pointers.Get().(*[]byte)
	b := append((*p)[:0], in...)
	*p = b
	pointers.Put(p)
	x := large.Get().([]byte)
	large.Put(x[:0])
	large.Put(nil2())
	a := arrays.Get().(*[1500]byte)
	defer arrays.Put(a)
	return len(b)
}

func nil2() []byte { return nil }

func getBuf() *[]byte { return wrapped.Get().(*[]byte) }

func putBuf(b *[]byte) {
	if cap(*b) > 1<<20 {
		return
	}
	*b = (*b)[:cap(*b)]
	wrapped.Put(b)
}

func getUnsure() *[]byte  { return unsure.Get().(*[]byte) }
func putUnsure(b *[]byte) { unsure.Put(b) } // may be nil

type buffer []byte

var named = sync.Pool{New: func() any { return new(buffer) }} // want `named becomes a basin.Pool\[\*buffer\]`

func newBuffer() *buffer { return named.Get().(*buffer) }

func (b *buffer) free() {
	const max = 16 << 10
	if cap(*b) <= max {
		*b = (*b)[:0]
		named.Put(b)
	}
}

type reader struct {
	n    int
	bufs sync.Pool // want `bufs stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

var first = reader{n: 1, bufs: sync.Pool{New: func() any { return make([]byte, 10) }}}

func (r *reader) read() {
	r.bufs.Put(r.bufs.Get().([]byte))
}

var sometimes = sync.Pool{New: func() any { return new([]byte) }} // want `sometimes becomes a basin.Pool\[\*\[\]byte\]`

func putSometimes(some bool) {
	var b *[]byte
	defer func() { sometimes.Put(b) }() // may be nil
	if some {
		if b = sometimes.Get().(*[]byte); b == nil {
			b = new([]byte)
		}
	}
}

var replaced = sync.Pool{New: func() any { return new([]byte) }} // want `replaced becomes a basin.Pool\[\*\[\]byte\]`

func putReplaced(b *[]byte, again bool) {
	if again {
		b = replaced.Get().(*[]byte)
	}
	replaced.Put(b) // may be nil
}

var later = sync.Pool{New: func() any { return make([]byte, 10) }} // want `later becomes a basin.Pool\[\[\]byte\]`

func assertLater() int {
	v := later.Get()
	defer later.Put(v)
	return len(v.([]byte))
}
