package legal

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/basin-go/basin"
)

var errShort = errors.New("short")

func PathFlag(n int, big bool) int {
	var b []byte
	if big {
		b = basin.Get(n)
	} else {
		b = make([]byte, n)
	}
	b[0] = 1
	c := int(b[0])
	if big {
		basin.Put(b)
	}
	return c
}

func PathPutFlag(r io.Reader) (int, error) {
	b := basin.Get(64)
	put := false
	n, err := r.Read(b)
	if err != nil {
		basin.Put(b)
		put = true
	}
	if !put {
		n = int(b[0])
		basin.Put(b)
	}
	return n, err
}

func PathNilAfter(r io.Reader, early bool) {
	b := basin.Get(64)
	defer func() {
		if b != nil {
			basin.Put(b)
		}
	}()
	r.Read(b)
	if early {
		basin.Put(b)
		b = nil
	}
}

func PathErrNil(r io.Reader) (n int, err error) {
	b := basin.Get(64)
	n, err = r.Read(b)
	if err != nil {
		basin.Put(b)
	}
	if err == nil {
		n = int(b[0])
		basin.Put(b)
	}
	return n, err
}

func PathReGet(in []io.Reader) (sum int) {
	b := basin.Get(64)
	for _, r := range in {
		if _, err := r.Read(b); err != nil {
			basin.Put(b)
			b = basin.Get(64)
		}
		sum += int(b[0])
	}
	basin.Put(b)
	return sum
}

func PathLoopEach(in []io.Reader) (sum int) {
	for _, r := range in {
		b := basin.Get(64)
		r.Read(b)
		sum += int(b[0])
		basin.Put(b)
	}
	return sum
}

func PathLoopOuterVariable(in []io.Reader) (sum int) {
	var b []byte
	for _, r := range in {
		b = basin.Get(64)
		r.Read(b)
		sum += int(b[0])
		basin.Put(b)
	}
	return sum
}

func PathBreak(in []io.Reader) byte {
	b := basin.Get(64)
	for _, r := range in {
		if _, err := r.Read(b); err != nil {
			break
		}
	}
	c := b[0]
	basin.Put(b)
	return c
}

func PathClosure(n int) int {
	b := basin.Get(64)
	defer func() { basin.Put(b) }()
	for len(b) < n {
		b = basin.Grow(b, 64)
		b = b[:cap(b)]
	}
	return len(b)
}

func PathSwitch(kind int, r io.Reader) (byte, error) {
	b := basin.Get(64)
	switch kind {
	case 0:
		basin.Put(b)
		return 0, errShort
	case 1:
		r.Read(b)
	default:
		r.Read(b[:8])
	}
	c := b[0]
	basin.Put(b)
	return c, nil
}

func PathPanics(n int) byte {
	b := basin.Get(64)
	if n > 64 {
		basin.Put(b)
		panic("too large")
	}
	c := b[0]
	basin.Put(b)
	return c
}

func PathGoto(r io.Reader) (byte, error) {
	b := basin.Get(64)
	var c byte
	_, err := r.Read(b)
	if err != nil {
		goto done
	}
	c = b[0]
done:
	basin.Put(b)
	return c, err
}

func PathDeferInLoop(in []io.Reader) {
	for _, r := range in {
		func() {
			b := basin.Get(64)
			defer basin.Put(b)
			r.Read(b)
		}()
	}
}

func PathSelect(in <-chan []byte, stop <-chan struct{}) {
	for {
		select {
		case b := <-in:
			_ = b[0]
			basin.Put(b)
		case <-stop:
			return
		}
	}
}

type writer struct {
	buf *bytes.Buffer
	w   io.Writer
}

// A field is put, taken anew and used.
func (w *writer) PathField(p []byte) error {
	if w.buf == nil {
		w.buf = getBuf()
	}
	w.buf.Write(p)
	if w.buf.Len() > 1024 {
		_, err := w.buf.WriteTo(w.w)
		putBuf(w.buf)
		w.buf = getBuf()
		return err
	}
	w.buf.WriteByte('\n')
	return nil
}

func (w *writer) Close() error {
	if w.buf == nil {
		return nil
	}
	_, err := w.buf.WriteTo(w.w)
	putBuf(w.buf)
	w.buf = nil
	return err
}

func (w *writer) PathDeferredClose(p []byte) error {
	defer w.Close()
	return w.PathField(p)
}

var once sync.Once

func PathOnce(r io.Reader) {
	b := basin.Get(64)
	var o sync.Once
	put := func() { o.Do(func() { basin.Put(b) }) }
	defer put()
	if _, err := r.Read(b); err != nil {
		put()
		return
	}
}

// A shadowed variable is another slice.
func PathShadow(n int) byte {
	b := basin.Get(n)
	{
		b := basin.Get(n)
		b[0] = 1
		basin.Put(b)
	}
	c := b[0]
	basin.Put(b)
	return c
}

func PathSwap(n int) byte {
	a, b := basin.Get(n), basin.Get(n)
	a, b = b, a
	basin.Put(a)
	c := b[0]
	basin.Put(b)
	return c
}

func PathPair(n int) {
	a, b := basin.Get(n), basin.Get(n)
	defer basin.Put(a)
	defer basin.Put(b)
	copy(a, b)
}

func PathSliceOf(n int) {
	all := make([][]byte, 0, n)
	for range n {
		all = append(all, basin.Get(64))
	}
	for i, b := range all {
		basin.Put(b)
		all[i] = nil
	}
}

func PathDeferArgument(n int) (sum int) {
	b := basin.Get(n)
	defer func(b []byte) { basin.Put(b) }(b)
	for _, c := range b {
		sum += int(c)
	}
	return sum
}

// The deferred put takes the slice before; what the variable names after the
// defer is put by itself.
func PathTwoOwners(n int) {
	b := basin.Get(n)
	defer basin.Put(b)
	b = basin.Get(2 * n)
	b[0] = 1
	basin.Put(b)
}

func PathRetry(do func([]byte) error) error {
	var err error
	for range 3 {
		b := basin.Get(64)
		err = do(b)
		basin.Put(b)
		if err == nil {
			break
		}
	}
	return err
}

func PathNamedResult(r io.Reader) (out []byte, err error) {
	b := basin.Get(64)
	defer func() {
		if err != nil {
			basin.Put(b)
			out = nil
		}
	}()
	if _, err = r.Read(b); err != nil {
		return nil, err
	}
	return b, nil
}

func PathRecover(r io.Reader) (out []byte, err error) {
	b := basin.Get(64)
	defer func() {
		if p := recover(); p != nil {
			basin.Put(b)
			out, err = nil, errShort
		}
	}()
	_, err = r.Read(b)
	return b, err
}

type table struct{ p *[64]byte }

type tables struct{ a, b, c table }

var arrays = sync.Pool{New: func() any { return new([64]byte) }}

// Each round has another table.
func PathEachField(old, new *tables) {
	for i := range 3 {
		var o, n *table
		switch i {
		case 0:
			o, n = &old.a, &new.a
		case 1:
			o, n = &old.b, &new.b
		case 2:
			o, n = &old.c, &new.c
		}
		if o.p != nil {
			arrays.Put(o.p)
		}
		o.p = n.p
	}
}

// A goroutine swaps the variables that it has captured, and puts what is left.
func PathSwapCaptured(in []byte, better func(dst, src []byte) bool, out chan<- []byte) {
	src, dst := basin.Get(64), basin.Get(64)
	copy(src, in)
	go func() {
		if !better(dst, src) {
			dst, src = src, dst
		}
		out <- dst
		basin.Put(src)
	}()
}

type request struct{ n, hb int }

var requests = sync.Pool{New: func() any { return new(request) }}

func (r *request) putIfDone() bool {
	if r != nil && r.n <= 0 {
		requests.Put(r)
		return true
	}
	return false
}

// What putIfDone returns says whether the request is still here.
func PathPutIfDone(r *request, all bool, forget func()) {
	if done := r.putIfDone(); done && all {
		forget()
	} else if !done && r.hb > 0 {
		r.hb--
	}
}

// The deferred Put has the array that was filled, which append has not left.
func PathFits(in []byte, pack func([]byte) []byte) []byte {
	b := basin.Get(len(in))[:0]
	defer basin.Put(b)
	c := append(b, in...)
	return pack(c)
}
