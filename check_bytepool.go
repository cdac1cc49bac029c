package basin

import (
	"slices"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A switchable is a pool that can leave its fast path.
type switchable interface {
	// setChecked makes all calls of the pool take its slow path, if it does anything
	// there at this level, or else the fast one.
	setChecked(CheckLevel)
	// collected reports whether nobody has the pool any more.
	collected() bool
}

// addStarted adds a pool that begins to be used. The caller holds the lock of checking.
func addStarted(p switchable) {
	p.setChecked(checking.now.Level)
	if n := len(checking.started); n == cap(checking.started) {
		checking.started = slices.DeleteFunc(checking.started, switchable.collected)
	}
	checking.started = append(checking.started, p)
}

// eachStarted calls f for all pools in use. The caller holds the lock of checking.
func eachStarted(f func(switchable)) {
	for _, p := range checking.started {
		f(p)
	}
}

// bytePoolSwitch is a BytePool that is not kept alive.
type bytePoolSwitch struct{ weak.Pointer[BytePool] }

func (w bytePoolSwitch) collected() bool { return w.Value() == nil }

func (w bytePoolSwitch) setChecked(level CheckLevel) {
	p := w.Value()
	if p == nil {
		return
	}
	t := p.sizes.Load()
	if level != CheckOff {
		t = sizeclass.Nothing
	}
	p.gets.Store(t)
	if !p.config.Zero && p.ceiling == nil {
		p.puts.Store(t)
	}
}

// started makes p ready for use.
func (p *BytePool) started() {
	checking.mu.Lock()
	defer checking.mu.Unlock()
	p.sizes.Store(sizeclass.For(p.config.MinSize, p.config.MaxSize))
	p.bornUnder = tracker.Load()
	addStarted(bytePoolSwitch{weak.Make(p)})
}

// owner returns who p is for records.
func (p *BytePool) owner() *check.Owner {
	if p.ceiling != nil {
		p = p.ceiling.pool
	}
	return ownerOf(&p.checkOwner, p.config.Name)
}

// ownerOf returns the owner in at, made if need be.
func ownerOf(at *atomic.Pointer[check.Owner], name string) *check.Owner {
	if o := at.Load(); o != nil {
		return o
	}
	at.CompareAndSwap(nil, &check.Owner{Name: name})
	return at.Load()
}

// checkedCounts counts the checked slices of one class.
type checkedCounts struct {
	gets, puts, double, asked atomic.Uint64
}

// counts returns the counts of all classes.
func (p *BytePool) counts() []checkedCounts {
	if c := p.checked.Load(); c != nil {
		return *c
	}
	c := make([]checkedCounts, p.classes().Len())
	p.checked.CompareAndSwap(nil, &c)
	return *p.checked.Load()
}

// checkedGet is pooled for what t is to track.
func (p *BytePool) checkedGet(t *check.Tracker, n int, c sizeclass.Class) []byte {
	counts := &p.counts()[c.Index()]
	counts.gets.Add(1)
	counts.asked.Add(uint64(n))
	return t.Array(p.owner(), c.Size(), p.allocate)[:n]
}

// checkedPlain is outside for slices that a ceiling does not count, so that they are
// known when they are put.
func (p *BytePool) checkedPlain(t *check.Tracker, n int) []byte {
	p.classes()
	b := t.Array(p.owner(), n|1, p.allocate)
	t.Exempt(unsafe.SliceData(b))
	p.oversize.Add(1)
	p.oversizeBytes.Add(uint64(n))
	return b[:n]
}

// checkedPut is recycle for what t knows of. It reports whether that is all there is to do.
func (p *BytePool) checkedPut(t *check.Tracker, x *byte, capacity int) (verdict engine.Verdict, own, done bool) {
	if capacity == 0 || capacity > p.classes().Largest() { // is dropped, as documented
		return 0, false, false
	}
	what, f := t.Put(p.owner(), x, capacity)
	switch {
	case what == check.Accepted:
		c := p.classes().Find(capacity)
		if c.Size() != capacity { // what ceilings do not count
			return 0, false, false
		}
		p.counts()[c.Index()].puts.Add(1)
		return engine.Kept, true, true
	case f.Kind == check.DoublePut:
		p.counts()[p.classes().Find(capacity).Index()].double.Add(1)
		found(f)
		return engine.Double, true, true
	case what == check.Rejected:
		p.drops[dropForeign].Add(1)
		found(f)
		return 0, false, true
	case !t.Full():
		return 0, false, false
	}
	f = t.Inside(p.owner(), x, capacity)
	verdict, own = p.keep(x, capacity)
	if f.Kind != check.ForeignPut || !own || p.bornUnder == t {
		found(f)
	} // else it may be out from before
	return verdict, own, true
}

// unjudged tells the tracker that b need not be put back.
func unjudged(b []byte) {
	if t := tracker.Load(); t != nil {
		t.Exempt(unsafe.SliceData(b))
	}
}
