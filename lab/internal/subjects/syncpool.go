package subjects

import (
	"bytes"
	"sync"
	"unsafe"
)

// The usual ways to use sync.Pool.

func init() {
	Register(&Subject{
		Name: "sync.Pool of pointers", Kind: Standard, Source: "sync",
		About:   "the pointer that Get returned is kept and put back; a slice that is too short is replaced",
		Slices:  func() Slices { return new(syncPointers) },
		Buffers: func() Buffers { return newSyncBuffers() },
		Lists:   func() Lists { return newSyncListPointers() },
		Records: func() Records { return newSyncRecords() },
	}, &Subject{
		Name: "sync.Pool, fresh pointer", Kind: Standard, Source: "sync",
		About:  "the slice is passed around, and Put makes a new pointer to it",
		Slices: func() Slices { return new(syncFresh) },
		Lists:  func() Lists { return newSyncListFresh() },
	}, &Subject{
		Name: "sync.Pool of slices", Kind: Standard, Source: "sync",
		About:  "the slice itself is put, which allocates room for its header",
		Slices: func() Slices { return new(syncValues) },
		Lists:  func() Lists { return newSyncListValues() },
	}, &Subject{
		Name: "sync.Pool of *byte", Kind: Standard, Source: "sync",
		About:   "one size, bare pointers to its arrays: the least that a sync.Pool can cost",
		OneSize: func(size int) Slices { return newSyncRaw(size) },
	})
}

type syncPointers struct {
	pool   sync.Pool
	missed missCounter
}

func (p *syncPointers) Get(n int) Slice {
	by, _ := p.pool.Get().(*[]byte)
	if by == nil {
		by = new([]byte)
	}
	if cap(*by) < n {
		p.missed.Add(1)
		*by = make([]byte, n)
	}
	return Slice{(*by)[:n], by}
}

func (p *syncPointers) Put(s Slice)    { p.pool.Put(s.by) }
func (p *syncPointers) Misses() uint64 { return p.missed.Load() }

type syncFresh struct {
	pool   sync.Pool
	missed missCounter
}

func (p *syncFresh) Get(n int) Slice {
	if by, _ := p.pool.Get().(*[]byte); by != nil && cap(*by) >= n {
		return Slice{B: (*by)[:n]}
	}
	p.missed.Add(1)
	return Slice{B: make([]byte, n)}
}

func (p *syncFresh) Put(s Slice)    { p.pool.Put(&s.B) }
func (p *syncFresh) Misses() uint64 { return p.missed.Load() }

type syncValues struct {
	pool   sync.Pool
	missed missCounter
}

func (p *syncValues) Get(n int) Slice {
	if b, _ := p.pool.Get().([]byte); cap(b) >= n {
		return Slice{B: b[:n]}
	}
	p.missed.Add(1)
	return Slice{B: make([]byte, n)}
}

func (p *syncValues) Put(s Slice)    { p.pool.Put(s.B) } //lint:ignore SA6002 the allocation is measured
func (p *syncValues) Misses() uint64 { return p.missed.Load() }

type syncRaw struct {
	pool   sync.Pool
	size   int
	missed missCounter
}

func newSyncRaw(size int) *syncRaw {
	p := &syncRaw{size: size}
	p.pool.New = func() any {
		p.missed.Add(1)
		return unsafe.SliceData(make([]byte, size))
	}
	return p
}

// Get is sound because each pointer in the pool has the first byte of an array
// of p.size bytes.
func (p *syncRaw) Get(n int) Slice {
	return Slice{B: unsafe.Slice(p.pool.Get().(*byte), p.size)[:n]}
}

func (p *syncRaw) Put(s Slice)    { p.pool.Put(unsafe.SliceData(s.B)) }
func (p *syncRaw) Misses() uint64 { return p.missed.Load() }

type syncBuffers struct {
	pool   sync.Pool
	missed missCounter
}

func newSyncBuffers() *syncBuffers {
	p := new(syncBuffers)
	p.pool.New = func() any {
		p.missed.Add(1)
		return new(bytes.Buffer)
	}
	return p
}

func (p *syncBuffers) Get() Buffer { return p.pool.Get().(*bytes.Buffer) }
func (p *syncBuffers) Put(b Buffer) {
	x := asBytesBuffer(b)
	x.Reset()
	p.pool.Put(x)
}
func (p *syncBuffers) Misses() uint64 { return p.missed.Load() }

type syncListPointers struct{ sync.Pool }

func newSyncListPointers() *syncListPointers {
	return &syncListPointers{sync.Pool{New: func() any { l := newList(); return &l }}}
}

func (p *syncListPointers) Get() List {
	by := p.Pool.Get().(*[]Item)
	return List{*by, by}
}

func (p *syncListPointers) Put(l List) {
	*l.by = l.Items[:0]
	p.Pool.Put(l.by)
}

type syncListFresh struct{ sync.Pool }

func newSyncListFresh() *syncListFresh {
	return &syncListFresh{sync.Pool{New: func() any { l := newList(); return &l }}}
}

func (p *syncListFresh) Get() List { return List{Items: *p.Pool.Get().(*[]Item)} }

func (p *syncListFresh) Put(l List) {
	items := l.Items[:0]
	p.Pool.Put(&items)
}

type syncListValues struct{ sync.Pool }

func newSyncListValues() *syncListValues {
	return &syncListValues{sync.Pool{New: func() any { return newList() }}}
}

func (p *syncListValues) Get() List  { return List{Items: p.Pool.Get().([]Item)} }
func (p *syncListValues) Put(l List) { p.Pool.Put(l.Items[:0]) } //lint:ignore SA6002 the allocation is measured

type syncRecords struct{ sync.Pool }

func newSyncRecords() *syncRecords {
	return &syncRecords{sync.Pool{New: func() any { return newRecord() }}}
}

func (p *syncRecords) Get() *Record  { return p.Pool.Get().(*Record) }
func (p *syncRecords) Put(r *Record) { p.Pool.Put(r) }
