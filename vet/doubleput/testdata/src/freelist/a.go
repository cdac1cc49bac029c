// Package freelist has slices and channels that are used as pools.
package freelist

import (
	"errors"
	"math/big"
	"sync"
)

type leaky chan []byte

var buffersPool = make(freeBuffers, 100)

type freeBuffers chan []byte

func (c freeBuffers) borrow() []byte {
	var b []byte
	select {
	case b = <-c:
	default:
		b = make([]byte, 512)
	}
	return b[:512]
}

func (c freeBuffers) giveBack(b []byte) {
	if cap(b) != 512 {
		return
	}
	select {
	case c <- b:
	default:
	}
}

func read(src func([]byte) error) error {
	b := buffersPool.borrow()
	defer buffersPool.giveBack(b)
	if err := src(b); err != nil {
		buffersPool.giveBack(b) // want `double Put: the deferred buffersPool.giveBack\(b\) puts b once more; remove this Put`
		return err
	}
	return nil
}

func legalRead(src func([]byte) error) error {
	b := buffersPool.borrow()
	if err := src(b); err != nil {
		buffersPool.giveBack(b)
		return err
	}
	buffersPool.giveBack(b)
	return nil
}

// A queue is no free list, as its name says.
func (c leaky) next() []byte {
	select {
	case b := <-c:
		return b
	default:
		return make([]byte, 1)
	}
}

func (c leaky) offer(b []byte) {
	select {
	case c <- b:
	default:
	}
}

func legalQueue(c leaky) byte {
	b := c.next()
	c.offer(b)
	c.offer(b)
	return b[0]
}

type ints struct {
	mu   sync.Mutex
	pool []*big.Int
}

func (p *ints) get() *big.Int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.pool); n > 0 {
		v := p.pool[n-1]
		p.pool = p.pool[:n-1]
		return v
	}
	return new(big.Int)
}

func (p *ints) put(v *big.Int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pool = append(p.pool, v)
}

func exp(p *ints, base, exp *big.Int) *big.Int {
	r := p.get()
	if exp.BitLen() > 256 {
		p.put(exp)
	} else {
		r.Exp(base, exp, nil)
	}
	p.put(exp) // want `double Put: p.put\(exp\) already put exp`
	return r
}

func legalExp(p *ints, base, exp *big.Int) (*big.Int, error) {
	r := p.get()
	if exp.BitLen() > 256 {
		p.put(r)
		return nil, errors.New("too large")
	}
	r.Exp(base, exp, nil)
	p.put(exp)
	return r, nil
}

// A stack has the same methods, but it makes nothing new.
type stack struct{ poolOrder []*big.Int }

func (s *stack) pop() *big.Int {
	v := s.poolOrder[len(s.poolOrder)-1]
	s.poolOrder = s.poolOrder[:len(s.poolOrder)-1]
	return v
}

func (s *stack) push(v *big.Int) { s.poolOrder = append(s.poolOrder, v) }

func legalStack(s *stack) int {
	v := s.pop()
	s.push(v)
	s.push(v)
	return v.Sign()
}

// The connections of a pool stay in the list while they are used.
type conn struct{ n int }

type connPool struct{ pool []*conn }

func (p *connPool) any() *conn {
	if len(p.pool) == 0 {
		return new(conn)
	}
	return p.pool[0]
}

func (p *connPool) add(c *conn) { p.pool = append(p.pool, c) }

func legalConn(p *connPool) int {
	c := p.any()
	p.add(c)
	return c.n
}
