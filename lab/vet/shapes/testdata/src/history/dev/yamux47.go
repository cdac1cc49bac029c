package dev

import (
	"io"
	"sync"
)

// libp2p/go-yamux#47: a buffer is put without the front that has been read.
type segmented struct {
	mu   sync.Mutex
	cap  int
	b    [][]byte
	pool *sync.Pool
}

func (s *segmented) append(r io.Reader, n int) error {
	dst := s.pool.Get().([]byte)[:n]
	if _, err := io.ReadFull(r, dst); err != nil {
		s.pool.Put(dst)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, dst)
	return nil
}

func (s *segmented) BugRead47(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.b[0])
	if n == len(s.b[0]) {
		s.pool.Put(s.b[0])
		s.b[0] = nil
		s.b = s.b[1:]
	} else {
		rest := s.b[0][n:]
		s.b[0] = rest
		if s.cap == 0 {
			s.pool.Put(rest) // BUG
			s.b = nil
		}
	}
	return n, nil
}
