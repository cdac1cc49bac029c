package dev

import (
	"encoding/binary"
	"errors"
	"sync"
	"unsafe"
)

// prometheus/prometheus#16946: labels are strings that point into the buffer of a
// scrape, which is used for the next one.
type label struct{ Name, Value string }

func yoloString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

type labelDecoder struct {
	in  []byte
	pos int
}

func (d *labelDecoder) next() (string, error) {
	n, w := binary.Uvarint(d.in[d.pos:])
	if w <= 0 || d.pos+w+int(n) > len(d.in) {
		return "", errors.New("invalid label")
	}
	d.pos += w
	s := yoloString(d.in[d.pos : d.pos+int(n)])
	d.pos += int(n)
	return s, nil
}

var scrapeBufs = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func BugFirstLabel(read func([]byte) ([]byte, error)) (l label, err error) {
	buf := scrapeBufs.Get().(*[]byte)
	defer scrapeBufs.Put(buf)
	*buf, err = read((*buf)[:0])
	if err != nil {
		return label{}, err
	}
	d := labelDecoder{in: *buf}
	if l.Name, err = d.next(); err != nil {
		return label{}, err
	}
	l.Value, err = d.next()
	return l, err // BUG
}
