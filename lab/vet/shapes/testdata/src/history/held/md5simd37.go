package held

import "sync"

// minio/md5-simd#37: New where Get is meant.
type blockInput struct {
	uid uint64
	msg []byte
}

type md5Server struct {
	newInput chan blockInput
	buffers  *sync.Pool
	uid      uint64
}

func newMD5Server() *md5Server {
	s := &md5Server{newInput: make(chan blockInput, 16)}
	s.buffers = &sync.Pool{New: func() any { return make([]byte, 32<<10) }}
	return s
}

func (s *md5Server) BugSum37(parts [][]byte) (n int) {
	for _, p := range parts {
		buf := s.buffers.New().([]byte) // BUG
		n += copy(buf, p)
		s.newInput <- blockInput{s.uid, buf}
	}
	return n
}

func (s *md5Server) process() {
	for in := range s.newInput {
		s.uid += uint64(len(in.msg))
		s.buffers.Put(in.msg)
	}
}
