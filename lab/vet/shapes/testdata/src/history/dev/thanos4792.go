package dev

import "sync"

// thanos-io/thanos#4792: what is in use is counted down after the slice was put, by
// its capacity.
type bucketedBytes struct {
	buckets   []sync.Pool
	sizes     []int
	maxTotal  uint64
	usedTotal uint64
	mtx       sync.Mutex
}

func (p *bucketedBytes) BugPut4792(b *[]byte) {
	if b == nil {
		return
	}
	for i, bktSize := range p.sizes {
		if cap(*b) > bktSize {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mtx.Lock()
	defer p.mtx.Unlock()
	sz := uint64(cap(*b)) // BUG
	if sz >= p.usedTotal {
		p.usedTotal = 0
	} else {
		p.usedTotal -= sz
	}
}

func (p *bucketedBytes) fixedPut4792(b *[]byte) {
	if b == nil {
		return
	}
	sz := uint64(cap(*b))
	for i, bktSize := range p.sizes {
		if cap(*b) > bktSize {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mtx.Lock()
	defer p.mtx.Unlock()
	p.usedTotal -= min(sz, p.usedTotal)
}
