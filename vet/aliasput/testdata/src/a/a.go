package a

import (
	"bufio"
	"bytes"
	"io"
	"sync"
	"unsafe"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func get() *bytes.Buffer  { return pool.Get().(*bytes.Buffer) }
func put(b *bytes.Buffer) { b.Reset(); pool.Put(b) }

func returned() []byte {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	return b.Bytes() // want `points into b, which the deferred pool.Put\(b\) puts`
}

func wrapped() []byte {
	b := get()
	defer put(b)
	return b.Bytes() // want `the result points into`
}

type page struct{ body []byte }

func inStruct() *page {
	b := get()
	p := &page{body: b.Bytes()}
	put(b)
	return p // want `the result points into`
}

func (p *page) stored() {
	b := get()
	p.body = b.Bytes() // want `the stored value points into`
	put(b)
}

func unsafeString() string {
	b := get()
	defer put(b)
	p := b.Bytes()
	return unsafe.String(&p[0], len(p)) // want `the result points into`
}

func reader() io.Reader {
	b := get()
	defer put(b)
	return bufio.NewReader(bytes.NewReader(b.Bytes())) // want `the result points into`
}

func sent(ch chan []byte) {
	b := get()
	defer put(b)
	ch <- b.Bytes() // want `another goroutine may still use`
}

func spawned(use func([]byte)) {
	b := get()
	defer put(b)
	go func() { // want `another goroutine may still use`
		use(b.Bytes())
	}()
}

func later() func() []byte {
	b := get()
	defer put(b)
	return func() []byte { return b.Bytes() } // want `the result points into`
}

func legalCopies() ([]byte, string, []byte, []byte) {
	b := get()
	defer put(b)
	dst := make([]byte, b.Len())
	copy(dst, b.Bytes())
	return bytes.Clone(b.Bytes()), string(b.Bytes()), append([]byte(nil), b.Bytes()...), dst
}

func legalLength() (int, byte) {
	b := get()
	defer put(b)
	p := b.Bytes()
	return len(p), p[0]
}

func legalOwner() ([]byte, func()) {
	b := get()
	return b.Bytes(), func() { put(b) }
}

func legalError(fail bool) ([]byte, error) {
	b := get()
	if fail {
		put(b)
		return nil, io.EOF
	}
	return b.Bytes(), nil
}

func legalWaits(use func([]byte)) {
	b := get()
	defer put(b)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		use(b.Bytes())
	}()
	wg.Wait()
}

func legalPutThere(use func([]byte)) {
	b := get()
	go func() {
		use(b.Bytes())
		put(b)
	}()
}

func (p *page) legalReplaced() {
	b := get()
	p.body = b.Bytes()
	p.body = nil
	put(b)
}

type scratch struct {
	buf []byte
	res []byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func reused() []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.buf = append(s.buf[:0], "text"...)
	return s.buf // want `the result points into`
}

func legalDetached() []byte {
	s := scratches.Get().(*scratch)
	s.buf = append(s.buf[:0], "text"...)
	b := s.buf
	s.buf = nil
	scratches.Put(s)
	return b
}

func legalResult() []byte {
	s := scratches.Get().(*scratch)
	s.res = make([]byte, 10)
	res := s.res
	scratches.Put(s)
	return res
}

func legalBesideError(w io.Writer) (b *bytes.Buffer, n int, err error) {
	b = get()
	if n, err = w.Write(b.Bytes()); err != nil {
		put(b)
		return
	}
	return
}

func besideError(w io.Writer) ([]byte, error) {
	b := get()
	defer put(b)
	if _, err := w.Write(b.Bytes()); err != nil {
		return b.Bytes(), err // want `the result points into`
	}
	return nil, nil
}

func besideNoError(w io.Writer) (b *bytes.Buffer, err error) {
	b = get()
	if _, err = w.Write(b.Bytes()); err == nil {
		put(b)
		return // want `returned|returns`
	}
	put(b)
	return nil, err
}
