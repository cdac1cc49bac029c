// Package parts has slices in fields of pooled structs, and parts of lists.
package parts

import (
	"net"
	"sync"
)

type stream struct {
	out net.Conn
	buf []byte
	err error
}

func (s *stream) Buffer() []byte { return s.buf }

func (s *stream) write(v string) {
	if s.err == nil {
		s.buf = append(s.buf, v...)
	}
}

var streams = sync.Pool{New: func() any { return new(stream) }}

func borrow() *stream { return streams.Get().(*stream) }

func giveBack(s *stream) {
	s.out, s.err = nil, nil
	s.buf = s.buf[:0]
	streams.Put(s)
}

func legalGiveBack(s *stream) {
	s.out, s.err = nil, nil
	s.buf = nil
	streams.Put(s)
}

func encode(v string) ([]byte, error) {
	s := borrow()
	defer giveBack(s)
	s.write(v)
	if s.err != nil {
		return nil, s.err
	}
	return s.Buffer(), nil // want `returned after Put: the result points into s, which the deferred giveBack\(s\) puts; return a copy`
}

func legalEncode(v string) ([]byte, error) {
	s := borrow()
	defer giveBack(s)
	s.write(v)
	return append([]byte(nil), s.Buffer()...), s.err
}

// The next user gets a stream without this memory.
func legalGiven(v string) []byte {
	s := borrow()
	defer legalGiveBack(s)
	s.write(v)
	return s.Buffer()
}

var chunks = sync.Pool{New: func() any { b := make([]byte, 2048); return &b }}

type session struct {
	pending []*[]byte
	conn    net.Conn
}

func (s *session) flush(q []*[]byte) error {
	for i, c := range q {
		_, err := s.conn.Write(*c)
		chunks.Put(c)
		if err != nil {
			s.pending = append(q[i:], s.pending...) // want `kept after Put: this part of the list begins with c, which chunks.Put\(c\) has put`
			return err
		}
	}
	return nil
}

func (s *session) legalFlush(q []*[]byte) error {
	for i, c := range q {
		if _, err := s.conn.Write(*c); err != nil {
			s.pending = append(q[i:], s.pending...)
			return err
		}
		chunks.Put(c)
	}
	return nil
}

func (s *session) legalRest(q []*[]byte) error {
	for i, c := range q {
		_, err := s.conn.Write(*c)
		chunks.Put(c)
		if err != nil {
			s.pending = append(q[i+1:], s.pending...)
			return err
		}
	}
	return nil
}

func (s *session) legalReplaced(q []*[]byte) error {
	for i, c := range q {
		_, err := s.conn.Write(*c)
		chunks.Put(c)
		if err != nil {
			q[i] = chunks.Get().(*[]byte)
			s.pending = append(q[i:], s.pending...)
			return err
		}
	}
	return nil
}
