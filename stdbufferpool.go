package basin

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
)

// A StdBufferPool is a [BufferPool] of real [bytes.Buffer]s, for functions that
// insist on that type, such as [encoding/json.Indent]. The zero value is ready.
// All methods may be called from many goroutines at once. A StdBufferPool must not
// be copied, and its fields not be changed, after its first use, which panics if
// they contradict each other.
//
// A bytes.Buffer grows through the heap, and tells less of itself than a Buffer: a
// user who empties it before putting it back teaches the pool nothing, unless it
// had to grow. A bytes.Buffer that is used after it was put, or put twice, is
// shared with its next user; only the same one put twice in a row is
// recognised. Prefer a BufferPool wherever an io.Writer will do.
type StdBufferPool struct {
	// Name labels the pool in statistics.
	Name string

	// InitialSize is the capacity that buffers are handed out with, or zero for
	// the pool to learn it: see [BufferPool].
	InitialSize int

	// MaxSize is the largest capacity that the pool keeps: larger buffers are
	// left to the collector. While the pool learns, those that have grown
	// far beyond what is learned are, too. Zero means DefaultMaxSize, or
	// InitialSize if that is larger; at most 1 GiB.
	MaxSize int

	// MaxIdle is the ceiling, in bytes, on what the pool keeps while nobody
	// uses it. Zero means DefaultMaxIdle.
	MaxIdle int64

	_     noCopy
	start sync.Once
	idle  recycler[bytes.Buffer] // class by class, those with a capacity from that class to the next
	last  atomic.Uint32          // with an InitialSize: the class of the buffer put last

	misses, small, large atomic.Uint64 // buffers made, and put but not kept, for Stats

	learner

	checkOwner atomic.Pointer[check.Owner] // see check_buffer.go
}

// prepare makes p ready.
func (p *StdBufferPool) prepare() {
	p.InitialSize, p.MaxSize, p.MaxIdle = bufferLimits("StdBufferPool", p.InitialSize, p.MaxSize, p.MaxIdle)
	p.idle.init(p.MaxIdle, func() []engine.Class {
		// What costs a class is what its buffers are smaller than.
		classes := bufferEngineClasses(0)
		copy(classes, classes[1:])
		return classes
	})
	class := uint32(bufferClasses.Find(max(p.InitialSize, 1)).Index())
	p.class.Store(class)
	p.last.Store(class)
	register(p, "StdBufferPool", (*StdBufferPool).snapshot, func(p *StdBufferPool) { p.idle.engine.Trim() })
}

// Get returns an empty buffer, for the caller to use until [StdBufferPool.Put].
func (p *StdBufferPool) Get() *bytes.Buffer {
	p.start.Do(p.prepare)
	if t := tracker.Load(); t != nil && t.Pick() {
		return p.checkedGet(t)
	}
	class := uint(p.class.Load())
	if p.InitialSize > 0 {
		if b := p.idle.Get(uint(p.last.Load())); b != nil {
			return b
		}
	}
	if b := p.idle.Get(class); b != nil {
		return b
	}
	p.misses.Add(1)
	return bytes.NewBuffer(make([]byte, 0, bufferClasses.Size(int(class))))
}

// Put gives b back. The caller must not use b, or a slice of its contents, any
// more. Put does nothing if b is nil.
func (p *StdBufferPool) Put(b *bytes.Buffer) {
	p.start.Do(p.prepare)
	if b == nil {
		return
	}
	if p.InitialSize == 0 {
		p.sample(b)
	}
	if t := tracker.Load(); t != nil && check.Judges(t, b) && p.checkedPut(t, b) {
		return
	}
	wanted := p.class.Load()
	switch {
	case b.Cap() < bufferClasses.Size(int(wanted)):
		p.small.Add(1)
		return
	case b.Cap() > p.MaxSize:
		p.large.Add(1)
		return
	}
	class := uint32(bufferClasses.Find(b.Cap()).Index())
	if bufferClasses.Size(int(class)) > b.Cap() {
		class--
	}
	if p.InitialSize > 0 {
		p.last.Store(class)
	} else if class > wanted {
		p.large.Add(1)
		return // the next user would rather have it small
	}
	b.Reset()
	p.idle.Put(uint(class), b)
}

// sample learns from what the user of b has needed.
func (p *StdBufferPool) sample(b *bytes.Buffer) {
	grown := b.Cap() >= 2*bufferClasses.Size(int(p.class.Load())) // as bytes.Buffer does
	need := b.Cap() - b.Available()                               // what was read has been written before
	if need == 0 && grown {
		need = b.Cap()
	}
	if need > 0 {
		p.observe(need, p.MaxSize, 1, grown)
	}
}

// Stats returns the statistics of the pool. It has buffers by the largest size
// class that is not larger than their capacity, and idle bytes accordingly. It
// does not know how large the buffers are that are in use. Drops are Small if
// others need more than that, and Large if they are more than others need or than
// MaxSize.
func (p *StdBufferPool) Stats() Stats {
	var s Stats
	p.stats(&s)
	return s
}

// snapshot fills in s.
func (p *StdBufferPool) snapshot(s *Snapshot) {
	p.stats(&s.Stats)
	s.countItems()
	s.InUse = max(0, int64(s.Gets-s.Puts))
}

// stats fills in s, reusing its Classes.
func (p *StdBufferPool) stats(s *Stats) {
	p.start.Do(p.prepare)
	*s = Stats{
		Name: p.Name, MaxIdle: p.MaxIdle, Misuse: misusesOf(p.checkOwner.Load()),
		DropsBy: Drops{Small: p.small.Load(), Large: p.large.Load()},
		Classes: s.Classes[:0],
	}
	for i := range bufferClasses.Len() {
		e := p.idle.engine.Stats(uint(i))
		e.Misses = 0 // of a class, not of a Get, which may look at two
		s.add(bufferClasses.Size(i), e)
	}
	for i := range s.Classes { // what was got from one class may be put into another
		s.Classes[i].InUseBytes = 0
	}
	s.InUseBytes = 0
	s.Misses = p.misses.Load()
	s.Gets = s.Hits + s.Misses
	s.Puts += s.DropsBy.Small + s.DropsBy.Large
	s.Drops = s.DropsBy.sum()
}
