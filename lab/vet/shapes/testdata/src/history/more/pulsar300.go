package more

import "sync"

// apache/pulsar-client-go#300: what waits for its receipt, to be sent again, is put when it is written.
type wireBuffer struct{ data []byte }

type wireConn struct {
	requests chan *wireBuffer
	buffers  sync.Pool
	write    func([]byte)
}

func (c *wireConn) get() *wireBuffer {
	b := c.buffers.Get().(*wireBuffer)
	b.data = b.data[:0]
	return b
}

func (c *wireConn) run() {
	for b := range c.requests {
		c.write(b.data)
		c.buffers.Put(b)
	}
}

type pendingItem struct {
	batch *wireBuffer
	seq   uint64
}

type wireProducer struct {
	conn    *wireConn
	pending []*pendingItem
}

func (p *wireProducer) BugFlush(seq uint64, fill func(*wireBuffer)) {
	b := p.conn.get()
	fill(b)
	p.pending = append(p.pending, &pendingItem{batch: b, seq: seq}) // BUG
	p.conn.requests <- b
}

func (p *wireProducer) reconnected() {
	for _, i := range p.pending {
		p.conn.requests <- i.batch
	}
}
