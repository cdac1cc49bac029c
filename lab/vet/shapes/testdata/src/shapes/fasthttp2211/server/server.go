package server

import (
	"bufio"
	"io"
	"sync"
)

type Server struct{ readers, writers sync.Pool }

func (s *Server) AcquireReader(r io.Reader) *bufio.Reader {
	if v := s.readers.Get(); v != nil {
		br := v.(*bufio.Reader)
		br.Reset(r)
		return br
	}
	return bufio.NewReader(r)
}

func (s *Server) ReleaseReader(br *bufio.Reader) { s.readers.Put(br) }

func (s *Server) AcquireWriter(w io.Writer) *bufio.Writer {
	if v := s.writers.Get(); v != nil {
		bw := v.(*bufio.Writer)
		bw.Reset(w)
		return bw
	}
	return bufio.NewWriter(w)
}

func (s *Server) ReleaseWriter(bw *bufio.Writer) { s.writers.Put(bw) }

// Hijack serves the connection and releases br.
func (s *Server) Hijack(c io.ReadWriter, br *bufio.Reader) {
	br.Peek(1)
	s.ReleaseReader(br)
}

// Flush flushes bw and releases it.
func (s *Server) Flush(bw *bufio.Writer) error {
	err := bw.Flush()
	s.ReleaseWriter(bw)
	return err
}
