// The capacity of a slice is read after the inner pool has it.
package thanos4792

import (
	"sync"

	"github.com/basin-go/basin"
)

type Bytes struct {
	mu      sync.Mutex
	used    int
	sizes   []int
	buckets []sync.Pool
}

func (p *Bytes) BugPut(b *[]byte) {
	if b == nil {
		return
	}
	for i, size := range p.sizes {
		if cap(*b) > size {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mu.Lock()
	p.used -= cap(*b) // BUG
	p.mu.Unlock()
}

func BugLen(pool *sync.Pool, b *[]byte) int {
	pool.Put(b)
	return cap(*b) // BUG
}

func (p *Bytes) LegalPut(b *[]byte) {
	if b == nil {
		return
	}
	n := cap(*b)
	for i, size := range p.sizes {
		if cap(*b) > size {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mu.Lock()
	p.used -= n
	p.mu.Unlock()
}

// The header of the slice is the caller's own, not the pool's.
func LegalHeader(b []byte) int {
	basin.Put(b)
	return cap(b)
}

func (p *Bytes) LegalReturns(b *[]byte) {
	for i, size := range p.sizes {
		if cap(*b) == size {
			p.buckets[i].Put(b)
			return
		}
	}
	p.used -= cap(*b)
}
