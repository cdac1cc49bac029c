package dev

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// thriftrw/thriftrw-go#510: a list is read lazily, with a reader that has been returned.
type streamReader struct {
	reader io.Reader
	buffer [8]byte
}

var streamReaders = sync.Pool{New: func() any { return &streamReader{} }}

func borrowStreamReader(r io.Reader) *streamReader {
	sr := streamReaders.Get().(*streamReader)
	sr.reader = r
	return sr
}

func returnStreamReader(sr *streamReader) {
	sr.reader = nil
	streamReaders.Put(sr)
}

func (sr *streamReader) int32() (int32, error) {
	_, err := io.ReadFull(sr.reader, sr.buffer[:4])
	return int32(binary.BigEndian.Uint32(sr.buffer[:4])), err
}

type lazyList struct {
	count int32
	each  func(func(int32) error) error
}

func BugReadList(r io.Reader) (*lazyList, error) {
	sr := borrowStreamReader(r)
	defer returnStreamReader(sr)
	n, err := sr.int32()
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, errors.New("negative length")
	}
	each := func(f func(int32) error) error {
		for range n {
			v, err := sr.int32()
			if err != nil {
				return err
			}
			if err := f(v); err != nil {
				return err
			}
		}
		return nil
	}
	return &lazyList{n, each}, nil // BUG
}
