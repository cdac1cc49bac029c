//go:build go1.25

package basin

import (
	"bytes"
	"time"
	"unsafe"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A StdBufferPool is a [BufferPool] of real [bytes.Buffer]s, for functions that require that type,
// such as [encoding/json.Indent]. The zero StdBufferPool is ready. Its first use reads its fields,
// which must not change from then on. If they contradict each other, the first use panics with the
// name of the field; [Validate] finds this earlier. A StdBufferPool must not be
// copied after its first use. All methods may be called from many goroutines at once.
//
// A bytes.Buffer grows through the heap and reveals less than a Buffer: if its user empties it
// before Put, the pool learns nothing, unless the buffer had to grow. A bytes.Buffer that is used
// after Put, or put twice, is shared with its next user; Put recognises only the same buffer put
// twice in a row. Prefer a BufferPool wherever an io.Writer suffices.
type StdBufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the least capacity of buffers that are handed out, rounded up to a size class.
	// If it is zero, the pool learns the capacity: see [BufferPool].
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps, rounded up to a size class. Larger
	// buffers are left to the collector. If the pool learns, so are buffers far above the learned
	// size class. Zero means DefaultMaxSize, or InitialSize if that is larger. MaxSize is at most
	// math.MaxInt32.
	MaxSize int

	// MaxIdle is the limit, in bytes, on the idle memory that the pool keeps, as in [BytePool].
	// Zero has the same meaning as there.
	MaxIdle int64

	// IdleTime is the longest time that unneeded memory may stay idle, as in [BytePool]. Zero means
	// DefaultIdleTime.
	IdleTime time.Duration

	// Limit, if not nil, is a [Limit] that counts the memory of outstanding buffers. Their writes grow through the
	// heap, where no limit can refuse them. So a buffer counts as its capacity when it is handed out, or if that is
	// less, as the mean capacity of those put lately. Get goes beyond the limit. A buffer that is never put counts
	// for ever.
	Limit *Limit

	preferred preferredClass
	table     engine.Table[*bytes.Buffer]
	engine    engine.Engine[*bytes.Buffer]
	sizing    sizing
	base
	peak peak
}

func (p *StdBufferPool) complete() (settings, error) {
	s, err := completeBuffers("StdBufferPool", p.Name, p.InitialSize, p.MaxSize, p.MaxIdle, p.IdleTime)
	c := fieldCheck{kind: "StdBufferPool", err: err}
	c.limit(p.Limit)
	s.limit = p.Limit.overseen()
	return s, c.err
}

func (p *StdBufferPool) begin(s *settings) {
	learns := s.minSize == 0
	p.sizing.begin(&p.preferred, s.minSize, s.maxSize, learns, p.engine.Outstanding)
	p.sizing.tally = newTally("StdBufferPool", s)
	p.engine.Init(&p.table, s.maxIdle, s.within, engine.Config[*bytes.Buffer]{
		Classes:  sizedClasses(learns),
		Bits:     sizeclass.Bits,
		IdleTime: s.idleTime,
		MaxIdle:  s.follow(),
		Same:     func(a, b *bytes.Buffer) bool { return a == b },
		Hidden:   s.limit != nil,
	})
	startChecked(p, func() {
		register(p, &p.id, nil, func(p *StdBufferPool) { p.engine.Trim() })
	})
}

// setChecked turns the fast path off while buffers are checked or cleared.
func (p *StdBufferPool) setChecked(on bool) { p.engine.Hide(on || zeroing.Load()) }

func (p *StdBufferPool) follow(checked bool) (trim func()) {
	p.setChecked(checked)
	return p.engine.Trim
}

// Get returns an empty buffer, for the caller to use until [StdBufferPool.Put].
//
//go:nosplit
func (p *StdBufferPool) Get() *bytes.Buffer {
	// As in BytePool.Get.
	_ = p.Name // a nil p must panic here: a panic while pinned ends the process
	i := uint(pin.Pin())<<sizeclass.Bits | p.preferred.load().class()
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
	p.ready(p)
	b := p.obtain()
	p.sizing.tally.got(b.Cap())
	return b
}

// obtain is get without the tally.
func (p *StdBufferPool) obtain() *bytes.Buffer {
	w := p.preferred.load()
	size := p.sizing.wanted(w)
	if t := check.Current.Load(); t != nil {
		b, ok, picked := sample(t, &p.engine, w.class())
		if ok {
			return b
		}
		t.Sweep()
		if picked && t.Pay() {
			p.engine.CountGet(w.class(), 0)
			return trackStd(t, p.owner(p.Name), size)
		}
	}
	if b, _, ok := p.engine.Get(w.class(), 0, p.sizing.fit); ok {
		return b
	}
	return bytes.NewBuffer(make([]byte, 0, p.sizing.fresh(w)))
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
		if w := p.preferred.load(); w.is(b.Cap()) {
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

// put is the slow path of Put. weight is the number of Puts that b stands for.
func (p *StdBufferPool) put(b *bytes.Buffer, weight uint32) {
	p.ready(p)
	if b == nil {
		return
	}
	if p.sizing.learned != nil {
		if p.sizing.observe(&p.preferred, p.needed(b), weight) {
			letGo(&p.engine, &p.preferred)
		}
	}
	if t := check.Current.Load(); t != nil && check.Judges(t, b) {
		switch releaseStd(t, p.owner(p.Name), b) {
		case check.Accepted:
			p.sizing.tally.put(b.Cap())
			p.engine.CountChecked(p.preferred.load().class())
			return
		case check.Rejected:
			return
		}
	}
	defer p.sizing.tally.put(b.Cap())
	b.Reset()
	if zeroing.Load() {
		clear(stdArray(b))
	}
	class, keep := p.sizing.classify(&p.preferred, b.Cap())
	if keep && p.engine.Push(class, b) {
		return
	}
	if !keep || p.engine.Put(class, b) == engine.Full {
		stray(p.owner(p.Name), nil, false, unsafe.SliceData(stdArray(b)), b.Cap())
	}
}

// needed returns the number of bytes that the user of b needed, or -1 if b does not reveal that.
func (p *StdBufferPool) needed(b *bytes.Buffer) int {
	n := b.Cap() - b.Available() // bytes that were read have been written before
	switch {
	case n > 0:
		return n
	case b.Cap() >= 2*p.preferred.load().size(): // a bytes.Buffer that grows at least doubles
		return b.Cap()
	}
	return -1
}

// Stats returns the statistics of the pool. A buffer counts in the smallest size class that has
// room for its capacity, and its idle bytes are the size of that class. Bytes in use are unknown.
// Drops.Small counts buffers below the size that Get hands out. Drops.Large counts buffers above
// MaxSize, and while the pool learns, buffers far above the learned size.
func (p *StdBufferPool) Stats() Stats {
	var s Stats
	p.stats(p.id.Load(), &s)
	return s
}

// stats overwrites s with the statistics of the pool, whose ID is id. It reuses s.Classes.
func (p *StdBufferPool) stats(id uint64, s *Stats) {
	config := p.base.stats(p, "StdBufferPool", id, s)
	sizedStats(&p.sizing, s, &p.engine)
	if p.done.Load() != nil {
		p.sizing.tally.addTo(s)
	}
	s.Bytes.MaxIdle = config.currentMaxIdle()
	s.PeakInUse = p.peak.see(s)
}

// Checks
//
// A bytes.Buffer does not reveal reads after Put. Writes after Put damage its poison.

// trackStd returns a bytes.Buffer with a capacity of size that t tracks.
func trackStd(t *check.Tracker, o *check.Owner, size int) *bytes.Buffer {
	b := bytes.NewBuffer(make([]byte, 0, size))
	check.Object(t, o, b, size)
	return b
}

// releaseStd tells the tracker that b is put, and reports misuse.
func releaseStd(t *check.Tracker, o *check.Owner, b *bytes.Buffer) check.Verdict {
	verdict, f := check.Release(t, o, b, check.Care[bytes.Buffer]{
		Held: b.Cap(),
		Poison: func(b *bytes.Buffer) {
			b.Reset()
			check.Fill(stdArray(b))
		},
		Damage: func(b *bytes.Buffer) int {
			if b.Len() > 0 {
				return 0
			}
			return check.Damage(stdArray(b))
		},
	})
	if verdict == check.Rejected {
		misuse.Report(f)
	}
	return verdict
}

// stdArray returns all storage of b, which must be empty.
func stdArray(b *bytes.Buffer) []byte {
	free := b.AvailableBuffer()
	return free[:cap(free)]
}
