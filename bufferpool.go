package basin

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/uninit"
)

type BufferPool struct {
	InitialSize int
	MaxSize     int
	MaxIdle     int64

	state atomic.Pointer[bufferPool]
	start sync.Mutex
}

type bufferPool struct {
	engine  engine.Engine[*bufferSlot]
	class   atomic.Uintptr
	classes *sizeclass.Table
}

const faces = 16

type bufferSlot struct {
	base  []byte
	pool  *bufferPool
	class uint
	turn  uint
	out   bool
	faces [faces]Buffer
}

func (p *BufferPool) init() *bufferPool {
	p.start.Lock()
	defer p.start.Unlock()
	s := &bufferPool{classes: sizeclass.For(64, 4<<20)}
	s.engine.Init(engine.Config[*bufferSlot]{
		Classes: func() []engine.Class {
			classes := make([]engine.Class, s.classes.Len())
			for i := range classes {
				size := s.classes.Size(i) + int(unsafe.Sizeof(bufferSlot{}))
				classes[i] = engine.Class{Size: int64(size), Local: uint(min(max(localBytes/size, 1), engine.Slots))}
			}
			return classes
		},
		Bits:     sizeclass.Bits,
		MaxIdle:  64 << 20,
		IdleTime: DefaultIdleTime,
	})
	s.class.Store(uintptr(s.classes.Find(128).Index()))
	p.state.Store(s)
	return s
}

//go:nosplit
func (p *BufferPool) Get() *Buffer {
	if s := p.state.Load(); s != nil {
		i := uint(pin.Pin())<<sizeclass.Bits + uint(s.class.Load())
		if t := s.engine.Table(); i < uint(len(t)) {
			m := t[i].Load()
			if top := m.Len() - 1; top < engine.Slots {
				x := m.Pop(top, 0)
				pin.Unpin()
				if !x.out {
					x.out = true
					x.turn++
					b := &x.faces[x.turn%faces]
					b.buf = x.base
					return b
				}
				return p.get()
			}
		}
		pin.Unpin()
	}
	return p.get()
}

func (p *BufferPool) get() *Buffer {
	s := p.state.Load()
	if s == nil {
		s = p.init()
	}
	c := uint(s.class.Load())
	for {
		x, ok := s.engine.Get(c, 0)
		if !ok {
			break
		}
		if !x.out {
			x.out = true
			x.turn++
			b := &x.faces[x.turn%faces]
			b.buf = x.base
			return b
		}
	}
	x := &bufferSlot{base: uninit.Bytes(s.classes.Size(int(c)), s.classes.Size(int(c))), class: c, pool: s}
	for i := range x.faces {
		x.faces[i].home = x
	}
	x.out = true
	b := &x.faces[0]
	b.buf = x.base
	return b
}

//go:nosplit
func (p *BufferPool) Put(b *Buffer) {
	if x := b.home; x != nil && x.out && b == &x.faces[x.turn%faces] && x.turn%faces != 0 && !b.owned {
		b.buf, b.off, b.end, b.peak, b.lastRead = nil, 0, 0, 0, opInvalid
		s := x.pool
		x.out = false
		i := uint(pin.Pin())<<sizeclass.Bits + x.class
		if t := s.engine.Table(); i < uint(len(t)) {
			m := t[i].Load()
			if n := m.Len(); m.Room(n) {
				m.Push(n, x)
				pin.Unpin()
				return
			}
		}
		pin.Unpin()
		x.out = true
	}
	p.put(b)
}

func (p *BufferPool) put(b *Buffer) {
	x := b.home
	if x == nil {
		b.Free()
		return
	}
	if !(x.out && b == &x.faces[x.turn%faces]) {
		b.Free()
		return
	}
	b.Free()
	x.out = false
	x.pool.engine.Put(x.class, x)
}

var handles BufferPool

func GetBuffer() *Buffer  { return handles.Get() }
func PutBuffer(b *Buffer) { handles.Put(b) }
