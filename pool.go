package basin

import (
	"reflect"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A Pool keeps values of one type for reuse: pointers, slices, structs,
// interfaces. They are stored as they are, so neither Get nor Put allocates.
// The zero Pool is ready:
//
//	var headers basin.Pool[[]string]
//	var writers = basin.Pool[*gzip.Writer]{New: func() *gzip.Writer { return gzip.NewWriter(nil) }}
//
// The first use of a pool reads its fields, which must not be changed from then on.
// If MaxIdle or IdleTime is negative it panics and names the field; [Pool.Validate]
// says so earlier. A Pool must not be copied after its first use; go vet reports
// copies.
//
// Between Get and Put a value belongs to the caller, who may pass it on to
// another goroutine; after Put nobody may use what it refers to. A value
// that is never put back is collected as garbage and costs nothing but its
// reuse. A value that has never been in the pool may be put there.
//
// The pool does not refer to a value that has been taken. Putting the same value
// twice hands it out twice: two values that are equal need not be the same, so a Pool
// cannot tell. For pointers that New has made, checks report it.
//
// All methods may be called from many goroutines at once.
//
// # Values that hold arrays
//
// A value such as a *[]byte or a [*bytes.Buffer] keeps the array that its users have made it grow
// to. A pool with a Size bounds the bytes of these, lets giants go, and, with Used and
// Make, learns what new ones should have:
//
//	var lines = basin.Pool[*[]byte]{
//		Size:  func(b *[]byte) int { return cap(*b) },
//		Used:  func(b *[]byte) int { return len(*b) },
//		Make:  func(size int) *[]byte { b := make([]byte, 0, size); return &b },
//		Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
//	}
//
// The idea of a pool that holds values, not pointers to them, is that of
// github.com/colega/zeropool; that of learning from what users have needed, that of
// github.com/valyala/bytebufferpool.
type Pool[T any] struct {
	table engine.Table[T] // of the engine's magazines

	// Reset, if not nil, is applied to each value that is put, and the pool keeps the
	// value it returns. It is the place to clear what the next user must not see, and
	// to drop references that the pool should not keep alive:
	//
	//	func(b []byte) []byte { return b[:0] }
	//
	// If Reset panics, nothing has been put, and the value is still the caller's.
	Reset func(T) T

	// New makes a value when there is none to reuse. If New is nil, Get returns the
	// zero T instead. If New panics, nothing has been taken.
	New func() T

	// Size, if not nil, returns how many bytes a value keeps from the collector:
	// the capacity of its array. Each Put asks it once, after Reset, and its
	// answer holds until the value is handed out. A value of less than zero bytes
	// is not kept, so that is the answer for a nil pointer. If Size panics, nothing
	// has been put, and the value is the caller's still. Get returns a value of
	// any size, but prefers the size that was put last, or that was learned.
	Size func(T) int

	// MaxSize, in a pool with a Size, is the most bytes of a value that the pool
	// keeps, rounded up to a size class. Zero means DefaultMaxSize; at most
	// math.MaxInt32.
	MaxSize int

	// Used and Make, in a pool with a Size, have the pool learn how large values
	// should be: enough for 99 in 100 users, as in [BufferPool]. Used returns how
	// many bytes of a value its user has needed. Put asks it before Reset, of a
	// sample and of values that have grown; an answer of less than zero teaches
	// nothing. Make takes the place of New. It is told the size that was learned,
	// 64 bytes at first, and its value should have exactly that. The pool
	// keeps values from that size to four times as much, or 1 KiB if that is more.
	// If Used panics, nothing has been put; if Make panics, nothing has been
	// taken. A pool has both or neither.
	Used func(T) int
	Make func(size int) T

	// Name labels the pool in statistics.
	Name string

	// MaxIdle is the ceiling on what is idle in the pool: values, or bytes in a pool
	// with a Size. It holds at every moment and includes what is kept for each P. Zero
	// means DefaultMaxItems values, or as many bytes as in [BytePool]. The bytes of a
	// value are rounded up to a size class.
	MaxIdle int

	// IdleTime is how long values that nobody needs may stay idle, as in [BytePool].
	// Zero means DefaultIdleTime.
	IdleTime time.Duration

	home   home    // with a Size, as what follows
	sizing *sizing // made by the first use
	first  firstUse
	engine *engine.Engine[T] // made by the first use
	peak   *peak             // likewise

	id         atomic.Uint64               // see registry.go
	checkOwner atomic.Pointer[check.Owner] // see pool_check.go
}

// Validate returns an error that names the first field that is negative. The first
// use of the pool would panic with it.
func (p *Pool[T]) Validate() error {
	_, err := p.complete()
	return err
}

func (p *Pool[T]) complete() (settings, error) {
	c := fieldCheck{kind: "Pool"}
	s := settings{name: p.Name}
	if p.Size == nil {
		s.maxIdle = c.maxIdle(int64(p.MaxIdle), DefaultMaxItems)
	} else {
		c.idleBytes(&s, int64(p.MaxIdle))
	}
	switch {
	case p.Size != nil:
		s.maxSize = c.maxSize("", 0, "", p.MaxSize)
	case p.MaxSize != 0:
		c.refuse("MaxSize", p.MaxSize, "0 where Size is nil")
	case p.Used != nil:
		c.refuse("Used", "set", "nil where Size is nil")
	case p.Make != nil:
		c.refuse("Make", "set", "nil where Size is nil")
	}
	switch {
	case p.Used != nil && p.Make == nil:
		c.refuse("Make", "nil", "a function where Used is set")
	case p.Used == nil && p.Make != nil:
		c.refuse("Used", "nil", "a function where Make is set")
	case p.New != nil && p.Make != nil:
		c.refuse("New", "set", "nil where Make is set")
	}
	s.idleTime = c.idleTime(p.IdleTime)
	return s, c.err
}

// Get returns a value that was put before, or else a new one.
func (p *Pool[T]) Get() (x T) {
	// This and Put are written out flat, as in BytePool, and copy an x of unknown
	// size as few times as can be. They are not nosplit: their frame is as
	// large as T.
	_ = p.Name // a nil p has to panic here: while pinned that would end the process
	i := uint(pin.Pin())
	if p.Size != nil {
		i = i<<sizeclass.Bits | p.home.load().class()
	}
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			slot := m.Slot(top)
			x = *slot
			*slot = *new(T) // or the magazine would keep alive what the user drops
			m.Popped()
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	return p.get()
}

// Put gives x to the pool, after Reset. If MaxIdle has no room for x, it is
// dropped and counted. So is what Size says is less than zero bytes, larger than
// MaxSize, or not as large as was learned.
func (p *Pool[T]) Put(x T) {
	if p.Size != nil {
		p.putSized(x)
		return
	}
	if p.Reset != nil {
		if t := check.Current.Load(); t == nil {
			x = p.Reset(x)
		} else {
			x = p.reset(t, x)
		}
	}
	i := uint(pin.Pin())
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if n := m.Len(); m.Room(n) {
			*m.Slot(n) = x
			m.Pushed()
			pin.Unpin()
			return
		}
	}
	pin.Unpin()
	p.put(x)
}

// putSized is Put with a Size.
func (p *Pool[T]) putSized(x T) {
	used, weight := notAsked, uint32(1)
	if p.Reset != nil {
		if p.Used != nil {
			used = max(p.Used(x), nothing)
		}
		if t := check.Current.Load(); t == nil {
			x = p.Reset(x)
		} else {
			x = p.reset(t, x)
		}
	}
	size := p.Size(x)
	i := uint(pin.Pin())
	if w := p.home.load(); w.is(size) || p.Used == nil && w.has(size) {
		i = i<<sizeclass.Bits | w.class()
		if p.table.Has(i) {
			m := p.table.Entry(i).Load()
			if n := m.Len(); m.Room(n) {
				if !m.Due() {
					*m.Slot(n) = x
					m.Pushed()
					pin.Unpin()
					return
				}
				weight = engine.SampleEach
			}
		}
	}
	pin.Unpin()
	p.sort(x, size, used, weight)
}

// What there is in place of an answer of Used.
const (
	nothing  = -1 // it teaches nothing
	notAsked = -2
)

// sort is the slow path of putSized: x has size bytes, of which used have been, and counts for so many.
func (p *Pool[T]) sort(x T, size, used int, weight uint32) {
	e := p.ready()
	if p.Used != nil {
		if used == notAsked {
			used = p.Used(x)
		}
		p.sizing.observe(&p.home, used, weight)
	}
	if t := check.Current.Load(); t != nil && judged(t, e, p.home.load().class(), x) {
		return
	}
	if class, keep := p.sizing.sort(&p.home, size); keep && !e.Push(class, x) {
		e.Put(class, x)
	}
}

// put is the slow path of Put.
func (p *Pool[T]) put(x T) {
	e := p.ready()
	if t := check.Current.Load(); t != nil && judged(t, e, 0, x) {
		return
	}
	e.Put(0, x)
}

// reset is Reset while anything is checked.
func (p *Pool[T]) reset(t *check.Tracker, x T) T {
	kept := p.Reset(x)
	replaceValue(t, x, kept)
	return kept
}

// get is the slow path of Get.
func (p *Pool[T]) get() (x T) {
	e := p.ready()
	w := p.home.load() // of class 0 without a Size
	t := check.Current.Load()
	if t != nil && (t.Full() || p.makes() && pointers[T]() && t.Chance()) {
		return p.checkedGet(t, e, w)
	}
	var ok bool
	if p.Size == nil {
		x, ok = e.Get(0, 0)
	} else {
		x, ok = sizedGet(p.sizing, e, w.class())
	}
	if !ok && p.makes() {
		x = p.make(e, w)
	}
	if t != nil {
		passValue(t, p.owner(), x, !ok)
	}
	return x
}

// checkedGet is Get of what t is to track, which is new.
func (p *Pool[T]) checkedGet(t *check.Tracker, e *engine.Engine[T], w homeWord) (x T) {
	if p.makes() {
		x = p.new(w)
	}
	e.CountGet(w.class(), 0)
	trackValue(t, p.owner(), x)
	return x
}

// owner returns who p is for records.
func (p *Pool[T]) owner() *check.Owner { return check.OwnerIn(&p.checkOwner, p.Name) }

// makes reports whether the pool is told how to make values.
func (p *Pool[T]) makes() bool { return p.New != nil || p.Make != nil }

// new makes a value, of what is w's size if the pool learns.
func (p *Pool[T]) new(w homeWord) T {
	if p.Make != nil {
		return p.Make(w.size())
	}
	return p.New()
}

// make returns a new value for a Get that is counted as a miss of class w.
func (p *Pool[T]) make(e *engine.Engine[T], w homeWord) T {
	made := false
	defer func() {
		if !made { // it panicked
			e.Unmiss(w.class())
		}
	}()
	x := p.new(w)
	made = true
	return x
}

// Trim releases all idle values now, for the next garbage collection to free. It
// briefly stops the world, to take from each P what it keeps.
func (p *Pool[T]) Trim() {
	if p.first.done.Load() != nil {
		p.engine.Trim()
	}
}

// largeItem is the size in bytes above which values are not kept for each P: next to
// copying them, a lock costs little.
const largeItem = 2 << 10

func (p *Pool[T]) begin(s settings) {
	var item T
	// A separate object: the Pool may be a variable of a package, and the engine
	// needs to see when it is garbage.
	p.engine, p.peak = new(engine.Engine[T]), new(peak)
	c := engine.Config[T]{
		Classes:  func() []engine.Class { return []engine.Class{{Size: 1, Local: engine.Slots}} },
		MaxIdle:  s.maxIdle,
		Within:   s.within,
		IdleTime: s.idleTime,
		Shared:   unsafe.Sizeof(item) > largeItem,
	}
	if p.Size != nil {
		p.sizing = new(sizing)
		p.sizing.begin(&p.home, 0, s.maxSize, p.Used != nil)
		c.Classes = sizedClasses(p.Used != nil)
		c.Bits = sizeclass.Bits
	}
	p.engine.Init(&p.table, c)
	owner, most, sizing := p.owner(), p.peak, p.sizing
	fill := func(e *engine.Engine[T], into *Stats) {
		poolStats(into, s, e, most, sizing)
		into.Misuse = basincheck.Counts(owner.Counts())
	}
	startChecked(p.engine, func() { register(p.engine, &p.id, kindOf[T](), fill, (*engine.Engine[T]).Trim) })
}

// ready returns the engine of p, which is ready from then on.
func (p *Pool[T]) ready() *engine.Engine[T] {
	p.first.of(p)
	return p.engine
}

// Stats returns the statistics of the pool. A Pool counts values. Without a Size, it does
// not know how many bytes they are. With a Size, it counts idle values and their bytes by
// size class, but does not know how large the outstanding values have grown. Drops.Empty
// counts values of a negative Size, Drops.Small those below the size that was learned, and
// Drops.Large those above MaxSize or far above the size that was learned. Values that were
// put though the pool had not handed them out make Items.InUse too small.
func (p *Pool[T]) Stats() Stats {
	s := newStats(p.id.Load(), kindOf[T](), nil)
	var e *engine.Engine[T]
	var most *peak
	var sizing *sizing
	if p.first.done.Load() != nil {
		e, most, sizing = p.engine, p.peak, p.sizing
	}
	poolStats(&s, p.first.settings(p), e, most, sizing)
	s.Misuse = basincheck.Counts(p.checkOwner.Load().Counts())
	return s
}

// poolStats fills in the statistics of a Pool with the given settings, and the engine,
// the peak and the sizing that its first use has made, if it has been used. It appends to Classes.
func poolStats[T any](s *Stats, config settings, e *engine.Engine[T], most *peak, sizing *sizing) {
	s.Name = config.name
	s.PeakInUse.Bytes, s.OutsideInUse.Bytes = Unknown, Unknown
	if config.maxSize > 0 { // it has a Size
		if e != nil {
			sizedStats(sizing, s, e)
		}
		s.Bytes.InUse = Unknown
		s.Bytes.MaxIdle = config.maxIdle
	} else {
		s.Items.MaxIdle = config.maxIdle
		s.Bytes = Holdings{InUse: Unknown, Idle: Unknown}
		if e != nil {
			c := e.Stats(0)
			s.Gets = c.Hits + c.Misses
			s.Hits, s.Misses = c.Hits, c.Misses
			s.Puts, s.Drops.Full, s.Trimmed = c.Puts, c.Full, c.Released
			s.Items.InUse = max(0, int64(s.Gets-s.Puts))
			s.Items.Idle = int64(c.Idle)
		}
	}
	if e != nil {
		s.PeakInUse = most.see(s)
	}
}

// kindOf names the kind of a Pool of T, as Stats.Kind.
func kindOf[T any]() string { return "Pool[" + reflect.TypeFor[T]().String() + "]" }
