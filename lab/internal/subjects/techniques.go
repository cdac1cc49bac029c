package subjects

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Techniques that many programs use and no module offers: implemented here, as small as
// elsewhere.

func init() {
	Register(&Subject{
		Name: "pow2 classes", Kind: Technique, Source: "as in github.com/fufuok/bytespool",
		About:  "a sync.Pool of bare pointers for each power of two",
		Slices: func() Slices { return newPow2() },
	}, &Subject{
		Name: "pow2 classes, statistics", Kind: Technique, Source: "as in github.com/fufuok/bytespool, which counts",
		About:  "the same with atomic counters of Gets, Puts and bytes",
		Slices: func() Slices { return &pow2Stats{pow2: newPow2()} },
	}, &Subject{
		Name: "two sync.Pools", Kind: Technique, Source: "as in github.com/colega/zeropool",
		About:   "one sync.Pool of pointers to slices, one of spare pointers; one size",
		OneSize: func(size int) Slices { return NewTwoPools(size) },
		Lists:   func() Lists { return new(twoListPools) },
	}, &Subject{
		Name: "two slots, mutex", Kind: Technique, Source: "the spare that a hand-written type keeps",
		About:  "two slices at most are kept, under a mutex; one too short is replaced",
		Slices: func() Slices { return new(twoSlots) },
	}, &Subject{
		Name: "stack, mutex", Kind: Technique, Source: "a free list",
		About:   "a slice of slices under a mutex, without a bound; one size",
		OneSize: func(size int) Slices { return &stack{size: size, limit: 1 << 30} },
		Fixed:   func(count, size int) Slices { return &stack{size: size, limit: count} },
		Lists:   func() Lists { return new(listStack) },
		Records: func() Records { return new(recordStack) },
	}, &Subject{
		Name: "channel", Kind: Technique, Source: "the leaky buffer of Effective Go",
		About:   "a buffered channel; one size",
		OneSize: func(size int) Slices { return NewChannel(bpoolCount, size, false) },
		Fixed:   func(count, size int) Slices { return NewChannel(count, size, false) },
		Records: func() Records { return make(recordChannel, bpoolCount) },
	}, &Subject{
		Name: "channel, clearing", Kind: Technique, Source: "the same, for data of many users",
		About:   "a buffered channel; Put clears the slice; one size",
		OneSize: func(size int) Slices { return NewChannel(bpoolCount, size, true) },
		Fixed:   func(count, size int) Slices { return NewChannel(count, size, true) },
	})
}

type pow2 struct {
	pools  [32]sync.Pool // of *byte, to arrays of 1<<i bytes
	missed missCounter
}

func newPow2() *pow2 {
	p := new(pow2)
	for i := range p.pools {
		p.pools[i].New = func() any {
			p.missed.Add(1)
			return unsafe.SliceData(make([]byte, 1<<i))
		}
	}
	return p
}

// Get is sound because each pointer in pool i has the first byte of an array of
// 1<<i bytes.
func (p *pow2) Get(n int) Slice {
	i := bits.Len(uint(max(n, 1) - 1))
	return Slice{B: unsafe.Slice(p.pools[i].Get().(*byte), 1<<i)[:n]}
}

func (p *pow2) Put(s Slice) {
	if c := cap(s.B); c&(c-1) == 0 {
		p.pools[bits.TrailingZeros(uint(c))].Put(unsafe.SliceData(s.B))
	}
}

func (p *pow2) Misses() uint64 { return p.missed.Load() }

type pow2Stats struct {
	*pow2
	gets, puts, inUse atomic.Int64
}

func (p *pow2Stats) Get(n int) Slice {
	s := p.pow2.Get(n)
	p.gets.Add(1)
	p.inUse.Add(int64(cap(s.B)))
	return s
}

func (p *pow2Stats) Put(s Slice) {
	p.puts.Add(1)
	p.inUse.Add(-int64(cap(s.B)))
	p.pow2.Put(s)
}

// TwoPools is one sync.Pool of pointers to slices of one size, and another of spare pointers.
type TwoPools struct {
	items, spare sync.Pool // of *[]byte
	size         int
	missed       missCounter
}

// NewTwoPools returns a TwoPools for slices of the given size.
func NewTwoPools(size int) *TwoPools { return &TwoPools{size: size} }

func (p *TwoPools) Get(n int) Slice {
	h, _ := p.items.Get().(*[]byte)
	if h == nil {
		p.missed.Add(1)
		return Slice{B: make([]byte, p.size)[:n]}
	}
	b := *h
	*h = nil
	p.spare.Put(h)
	return Slice{B: b[:n]}
}

func (p *TwoPools) Put(s Slice) {
	h, _ := p.spare.Get().(*[]byte)
	if h == nil {
		h = new([]byte)
	}
	*h = s.B
	p.items.Put(h)
}

func (p *TwoPools) Misses() uint64 { return p.missed.Load() }

type twoListPools struct{ items, spare sync.Pool } // of *[]Item

func (p *twoListPools) Get() List {
	h, _ := p.items.Get().(*[]Item)
	if h == nil {
		return List{Items: newList()}
	}
	l := *h
	*h = nil
	p.spare.Put(h)
	return List{Items: l}
}

func (p *twoListPools) Put(l List) {
	h, _ := p.spare.Get().(*[]Item)
	if h == nil {
		h = new([]Item)
	}
	*h = l.Items[:0]
	p.items.Put(h)
}

type twoSlots struct {
	mu     sync.Mutex
	slots  [2][]byte
	missed missCounter
}

func (p *twoSlots) Get(n int) Slice {
	p.mu.Lock()
	for i, b := range p.slots {
		if cap(b) >= n {
			p.slots[i] = nil
			p.mu.Unlock()
			return Slice{B: b[:n]}
		}
	}
	p.mu.Unlock()
	p.missed.Add(1)
	return Slice{B: make([]byte, n)}
}

func (p *twoSlots) Put(s Slice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, b := range p.slots {
		if cap(b) < cap(s.B) {
			p.slots[i] = s.B
			return
		}
	}
}

func (p *twoSlots) Misses() uint64 { return p.missed.Load() }

type stack struct {
	mu          sync.Mutex
	idle        [][]byte
	size, limit int
	missed      missCounter
}

func (p *stack) Get(n int) Slice {
	p.mu.Lock()
	if top := len(p.idle) - 1; top >= 0 {
		b := p.idle[top]
		p.idle[top] = nil
		p.idle = p.idle[:top]
		p.mu.Unlock()
		return Slice{B: b[:n]}
	}
	p.mu.Unlock()
	p.missed.Add(1)
	return Slice{B: make([]byte, p.size)[:n]}
}

func (p *stack) Put(s Slice) {
	p.mu.Lock()
	if len(p.idle) < p.limit {
		p.idle = append(p.idle, s.B)
	}
	p.mu.Unlock()
}

func (p *stack) Misses() uint64 { return p.missed.Load() }

type listStack struct {
	mu   sync.Mutex
	idle [][]Item
}

func (p *listStack) Get() List {
	p.mu.Lock()
	defer p.mu.Unlock()
	top := len(p.idle) - 1
	if top < 0 {
		return List{Items: newList()}
	}
	l := p.idle[top]
	p.idle[top] = nil
	p.idle = p.idle[:top]
	return List{Items: l}
}

func (p *listStack) Put(l List) {
	p.mu.Lock()
	p.idle = append(p.idle, l.Items[:0])
	p.mu.Unlock()
}

type recordStack struct {
	mu   sync.Mutex
	idle []*Record
}

func (p *recordStack) Get() *Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	top := len(p.idle) - 1
	if top < 0 {
		return newRecord()
	}
	r := p.idle[top]
	p.idle[top] = nil
	p.idle = p.idle[:top]
	return r
}

func (p *recordStack) Put(r *Record) {
	p.mu.Lock()
	p.idle = append(p.idle, r)
	p.mu.Unlock()
}

// Channel keeps slices of one size in a buffered channel.
type Channel struct {
	idle   chan []byte
	size   int
	clears bool
	missed missCounter
}

// NewChannel returns a Channel that keeps count slices of the given size. If clears is true, it
// clears them.
func NewChannel(count, size int, clears bool) *Channel {
	return &Channel{idle: make(chan []byte, count), size: size, clears: clears}
}

func (p *Channel) Get(n int) Slice {
	select {
	case b := <-p.idle:
		return Slice{B: b[:n]}
	default:
		p.missed.Add(1)
		return Slice{B: make([]byte, p.size)[:n]}
	}
}

func (p *Channel) Put(s Slice) {
	b := s.B[:cap(s.B)]
	if p.clears {
		clear(b)
	}
	select {
	case p.idle <- b:
	default:
	}
}

func (p *Channel) Misses() uint64 { return p.missed.Load() }

type recordChannel chan *Record

func (p recordChannel) Get() *Record {
	select {
	case r := <-p:
		return r
	default:
		return newRecord()
	}
}

func (p recordChannel) Put(r *Record) {
	select {
	case p <- r:
	default:
	}
}
