package dev

import (
	"io"
	"sync"
	"unsafe"
)

// francoispqt/gojay#3: strings that are decoded point into the buffer of the decoder,
// which goes back to its pool.
type gojayDecoder struct {
	data   []byte
	cursor int
	length int
	r      io.Reader
}

var gojayPool = make2(16)

type decPool struct{ p sync.Pool }

func make2(n int) *decPool {
	return &decPool{sync.Pool{New: func() any { return &gojayDecoder{data: make([]byte, n)} }}}
}

func borrowDecoder(r io.Reader) *gojayDecoder {
	dec := gojayPool.p.Get().(*gojayDecoder)
	dec.r, dec.cursor, dec.length = r, 0, 0
	return dec
}

func (dec *gojayDecoder) release() { gojayPool.p.Put(dec) }

func (dec *gojayDecoder) str() (string, error) {
	n, err := dec.r.Read(dec.data)
	if err != nil {
		return "", err
	}
	dec.length = n
	start := dec.cursor
	for dec.cursor < dec.length && dec.data[dec.cursor] != '"' {
		dec.cursor++
	}
	d := dec.data[start:dec.cursor]
	return *(*string)(unsafe.Pointer(&d)), nil
}

func BugDecodeString(r io.Reader) (string, error) {
	dec := borrowDecoder(r)
	defer dec.release()
	s, err := dec.str()
	if err != nil {
		return "", err
	}
	return s, nil // BUG
}
