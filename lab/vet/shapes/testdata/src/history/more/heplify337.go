package more

import (
	"net"
	"sync"
	"sync/atomic"
)

// sipcapture/heplify-server#337: the worker that receives the packets does not put them.
type packetServer struct {
	in     chan []byte
	out    chan *packet
	buffer *sync.Pool
	wg     sync.WaitGroup
	errs   atomic.Int64
}

type packet struct {
	proto int
	text  string
}

func newPacketServer() *packetServer {
	return &packetServer{
		in:     make(chan []byte, 100),
		out:    make(chan *packet, 100),
		buffer: &sync.Pool{New: func() any { return make([]byte, 8192) }},
	}
}

func decodePacket(b []byte) (*packet, error) { return &packet{int(b[0]), string(b[1:])}, nil }

func (s *packetServer) BugServe(c *net.UDPConn) {
	for {
		buf := s.buffer.Get().([]byte)
		n, err := c.Read(buf)
		if err != nil {
			s.buffer.Put(buf)
			return
		}
		s.in <- buf[:n] // BUG
	}
}

func (s *packetServer) work() {
	defer s.wg.Done()
	for msg := range s.in {
		p, err := decodePacket(msg)
		if err != nil {
			s.errs.Add(1)
			continue
		} else if p.proto == 0 {
			continue
		}
		select {
		case s.out <- p:
		default:
		}
	}
}
