package dev

import (
	"io"
	"sync"
	"sync/atomic"
)

// jaegertracing/jaeger#884: the size of a buffer is added up after the buffer was put.
type readBuf struct {
	bytes []byte
	n     int
}

type udpServer struct {
	dataChan  chan *readBuf
	maxPacket int
	queueSize atomic.Int64
	dropped   atomic.Int64
	readBufs  *sync.Pool
	transport io.Reader
	serving   atomic.Bool
}

func (s *udpServer) BugServe() {
	for s.serving.Load() {
		b := s.readBufs.Get().(*readBuf)
		n, err := s.transport.Read(b.bytes)
		if err == nil {
			b.n = n
			select {
			case s.dataChan <- b:
				s.queueSize.Add(1)
			default:
				s.readBufs.Put(b)
				s.dropped.Add(int64(b.n)) // BUG
			}
		} else {
			s.readBufs.Put(b)
		}
	}
}

func (s *udpServer) fixedServe() {
	for s.serving.Load() {
		b := s.readBufs.Get().(*readBuf)
		n, err := s.transport.Read(b.bytes)
		if err == nil {
			b.n = n
			select {
			case s.dataChan <- b:
				s.queueSize.Add(1)
			default:
				s.dropped.Add(int64(n))
				s.readBufs.Put(b)
			}
		} else {
			s.readBufs.Put(b)
		}
	}
}
