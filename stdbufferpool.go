package basin

import (
	"bytes"
	"sync/atomic"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A StdBufferPool is a [BufferPool] of real [bytes.Buffer]s, for functions that
// insist on that type, such as [encoding/json.Indent]. The zero StdBufferPool is
// ready. Its first use reads its fields, which must not be changed from then on. If
// they contradict each other it panics and names the field; [StdBufferPool.Validate]
// says so earlier. A StdBufferPool must not be copied after its first use. All
// methods may be called from many goroutines at once.
//
// A bytes.Buffer grows through the heap, and tells less of itself than a Buffer: if a
// user empties it before Put, the pool learns nothing, unless it had to grow. A
// bytes.Buffer that is used after it was put, or put twice, is shared with its next
// user; only the same one put twice in a row is recognised. Prefer a BufferPool
// wherever an io.Writer will do.
type StdBufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the capacity that buffers are handed out with, or zero for
	// the pool to learn it: see [BufferPool].
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps, rounded up to a size class:
	// larger buffers are left to the collector. While the pool learns, so are those that have far outgrown the
	// learned size class. Zero means DefaultMaxSize, or InitialSize if that is
	// larger; at most math.MaxInt32.
	MaxSize int

	// MaxIdle is the ceiling, in bytes, on the idle memory that the pool keeps, as in
	// [BytePool]. Zero means what it means there.
	MaxIdle int64

	home   home
	table  engine.Table[*bytes.Buffer]
	engine engine.Engine[*bytes.Buffer]
	sizing sizing
	first  firstUse

	peak       peak
	id         atomic.Uint64               // see registry.go
	checkOwner atomic.Pointer[check.Owner] // see bufferpool_check.go
}

// Validate returns an error that names the first field that is negative, too large
// or in contradiction to another. The first use of the pool would panic with it.
func (p *StdBufferPool) Validate() error {
	_, err := p.complete()
	return err
}

func (p *StdBufferPool) complete() (settings, error) {
	return completeBuffers("StdBufferPool", p.Name, p.InitialSize, p.MaxSize, p.MaxIdle)
}

func (p *StdBufferPool) begin(s settings) {
	learns := s.minSize == 0
	p.sizing.begin(&p.home, s.minSize, s.maxSize, learns)
	p.engine.Init(&p.table, engine.Config[*bytes.Buffer]{
		Classes:  sizedClasses(learns),
		Bits:     sizeclass.Bits,
		MaxIdle:  s.maxIdle,
		Within:   s.within,
		IdleTime: DefaultIdleTime,
		Same:     func(a, b *bytes.Buffer) bool { return a == b },
	})
	startChecked(p, func() {
		register(p, &p.id, "StdBufferPool", (*StdBufferPool).stats, func(p *StdBufferPool) { p.engine.Trim() })
	})
}

// setChecked has Get and Put take the slow path while buffers are checked, or cleared.
func (p *StdBufferPool) setChecked(on bool) { p.engine.Hide(on || zeroing.Load()) }

func (p *StdBufferPool) setZeroing(checked bool) (trim func()) {
	p.setChecked(checked)
	return p.engine.Trim
}

// owner returns who p is for records.
func (p *StdBufferPool) owner() *check.Owner { return check.OwnerIn(&p.checkOwner, p.Name) }

// ready returns the settings of p, which is ready from then on.
func (p *StdBufferPool) ready() *settings { return p.first.of(p) }

// Get returns an empty buffer, for the caller to use until [StdBufferPool.Put].
//
//go:nosplit
func (p *StdBufferPool) Get() *bytes.Buffer {
	// As in BytePool.Get.
	_ = p.Name // a nil p has to panic here: while pinned that would end the process
	i := uint(pin.Pin())<<sizeclass.Bits | p.home.load().class()
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			b := m.Pop(top, 0)
			pin.Unpin()
			return b
		}
	}
	pin.Unpin()
	return p.get()
}

// get is the slow path of Get.
func (p *StdBufferPool) get() *bytes.Buffer {
	p.ready()
	w := p.home.load()
	size := p.sizing.wanted(w)
	if t := check.Current.Load(); t != nil {
		t.Sweep()
		if t.Pick() {
			p.engine.CountGet(w.class(), 0)
			return trackStd(t, p.owner(), size)
		}
	}
	if b, ok := sizedGet(&p.sizing, &p.engine, w.class()); ok {
		return b
	}
	return bytes.NewBuffer(make([]byte, 0, size))
}

// Put gives b back. The caller must not use b, or a slice of its contents, any more.
// If b is nil, Put does nothing.
//
//go:nosplit
func (p *StdBufferPool) Put(b *bytes.Buffer) {
	_ = p.Name // as in Get
	weight := uint32(1)
	if b != nil {
		i := uint(pin.Pin())
		if w := p.home.load(); w.is(b.Cap()) {
			i = i<<sizeclass.Bits | w.class()
			if p.table.Has(i) {
				m := p.table.Entry(i).Load()
				if n := m.Len(); m.Room(n) && m.Top(n) != b {
					if !m.Due() {
						b.Reset()
						m.Push(n, b)
						pin.Unpin()
						return
					}
					weight = engine.SampleEach
				}
			}
		}
		pin.Unpin()
	}
	p.put(b, weight)
}

// put is the slow path of Put. b counts for so many.
func (p *StdBufferPool) put(b *bytes.Buffer, weight uint32) {
	p.ready()
	if b == nil {
		return
	}
	if p.sizing.learned != nil {
		p.sizing.observe(&p.home, p.needed(b), weight)
	}
	if t := check.Current.Load(); t != nil && check.Judges(t, b) {
		switch releaseStd(t, p.owner(), b) {
		case check.Accepted:
			p.engine.CountPut(p.home.load().class())
			return
		case check.Rejected:
			return
		}
	}
	b.Reset()
	if zeroing.Load() {
		clear(stdArray(b))
	}
	if class, keep := p.sizing.sort(&p.home, b.Cap()); keep && !p.engine.Push(class, b) {
		p.engine.Put(class, b)
	}
}

// needed returns how many bytes the user of b has needed, or -1 if b does not tell.
func (p *StdBufferPool) needed(b *bytes.Buffer) int {
	n := b.Cap() - b.Available() // what was read has been written before
	switch {
	case n > 0:
		return n
	case b.Cap() >= 2*p.home.load().size(): // as bytes.Buffer grows
		return b.Cap()
	}
	return -1
}

// Stats returns the statistics of the pool. A buffer counts in the smallest size class
// that has room for its capacity, and its idle bytes are those of that class. Bytes in
// use are unknown. Drops.Small counts buffers below the size that Get hands out.
// Drops.Large counts buffers above MaxSize, and while the pool learns, those far above the
// size that was learned.
func (p *StdBufferPool) Stats() Stats {
	s := newStats(p.id.Load(), "StdBufferPool", nil)
	p.stats(&s)
	return s
}

// stats fills in s, which has ID and Kind. It appends to Classes.
func (p *StdBufferPool) stats(s *Stats) {
	config := p.first.settings(p)
	s.Name = config.name
	s.Misuse = basincheck.Counts(p.checkOwner.Load().Counts())
	sizedStats(&p.sizing, s, &p.engine)
	s.Bytes.MaxIdle = config.maxIdle
	s.PeakInUse = p.peak.see(s)
}
