package a

import (
	"bufio"
	"os"
	"sync"
)

var lineReaders = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

type segment struct {
	name string
	f    *os.File
	r    *bufio.Reader
}

func openSegment(name string) (*segment, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &segment{name: name, f: f, r: lineReaders.Get().(*bufio.Reader)}
	s.r.Reset(f)
	return s, nil
}

func (s *segment) close() {
	s.f.Close()
	lineReaders.Put(s.r)
	s.f = nil
}

type work struct {
	n    byte
	done func()
}

// The function literal needs the name only, not the reader that the segment had.
func legalOwnerInLiteral(name string) (*work, error) {
	s, err := openSegment(name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	b, err := s.r.ReadByte()
	if err != nil {
		return nil, err
	}
	return &work{b, func() { os.Remove(s.name) }}, nil
}

func readerInLiteral(name string) (*work, error) {
	s, err := openSegment(name)
	if err != nil {
		return nil, err
	}
	defer lineReaders.Put(s.r)
	b, err := s.r.ReadByte()
	if err != nil {
		return nil, err
	}
	return &work{b, func() { s.r.ReadByte() }}, nil // want `returned after Put: the result points into s.r, which the deferred lineReaders.Put\(s.r\) puts; return a copy`
}
