//go:build go1.25

package basin

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
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
// The first use of a pool reads its fields, which must not change from then on. If they contradict
// each other, it panics with the name of the field; [Validate] finds this earlier. A Pool must
// not be copied after its first use; go vet reports copies.
//
// Between Get and Put, a value belongs to its caller, who may pass it on to another goroutine.
// After Put, nobody may use the memory that it refers to. A value that is never put back is
// collected as garbage; only its reuse is lost. Values that did not come from the pool may be put
// there, too.
//
// The pool keeps no reference to a value that it has handed out. A value that is put twice is
// handed out twice: a Pool cannot recognise it, because two equal values may still be different
// ones. Checks report it for pointers and slices that New or Make made; full checks, for any slice.
//
// All methods may be called from many goroutines at once.
//
// # Values that hold arrays
//
// A value such as a *[]byte or a [*bytes.Buffer] keeps the array that it has grown to. A pool with
// a Size limits the bytes of these arrays and drops values with huge ones. With Used and Make, it
// also learns the right size of new values:
//
//	var lines = basin.Pool[*[]byte]{
//		Size:  func(b *[]byte) int { return cap(*b) },
//		Used:  func(b *[]byte) int { return len(*b) },
//		Make:  func(size int) *[]byte { b := make([]byte, 0, size); return &b },
//		Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
//	}
//
// The idea to keep values instead of pointers to them is from github.com/colega/zeropool. The idea
// to learn from the sizes that users needed is from github.com/valyala/bytebufferpool.
type Pool[T any] struct {
	table engine.Table[T] // the engine's magazines

	// Reset, if not nil, is applied to each value that is put. The pool keeps the value that Reset
	// returns. Use it to clear data that the next user must not see, and to drop references that
	// the pool should not keep alive:
	//
	//	func(b []byte) []byte { return b[:0] }
	//
	// If Reset panics, the value is not put and still belongs to the caller.
	Reset func(T) T

	// New makes a value when none is idle. If New is nil, Get returns the zero T instead. If New
	// panics, the Get does not count.
	New func() T

	// Size, if not nil, returns the number of bytes that a value keeps from the collector: the
	// capacity of its array. Each Put calls it once, after Reset; its result must hold until the
	// value is handed out again. The pool drops values of negative Size, so Size should return that
	// for a nil pointer. If Size panics, the value is not put and still belongs to the caller.
	// Without a Make, Get prefers values of the size that was put last, but may return any size.
	Size func(T) int

	// MaxSize, in a pool with a Size, is the largest Size of a value that the pool keeps. It is
	// rounded up to a size class. Zero means DefaultMaxSize. MaxSize is at most math.MaxInt32.
	MaxSize int

	// Used and Make, in a pool with a Size, make the pool learn the size that values should have:
	// the one that costs its users least, as in [BufferPool]. A pool has both or neither.
	//
	// Used returns the number of bytes of a value that its user has needed. Put calls it before
	// Reset, at least for a sample of values and for values that have grown. The pool learns
	// nothing from a negative result. If Used panics, the value is not put.
	//
	// Make replaces New. Its argument is the learned size, 64 bytes at first, and its value should
	// have exactly that Size. If Make panics, the Get does not count. The pool keeps values from
	// the learned size class to twice as much, or 1 KiB if that is more.
	Used func(T) int
	Make func(size int) T

	// Drop, if not nil, is called exactly once for each value that the pool drops: a value that Put
	// does not keep, and an idle value that the pool releases. That happens because of MaxItems,
	// MaxIdle, IdleTime, Trim, the memory limit or checks, and when the Pool itself is garbage. Use
	// Drop for values that own more than memory, such as goroutines, files or C memory:
	//
	//	func(d *zstd.Decoder) { d.Close() }
	//
	// Drop is never called for a value in use, so it is not called for a value that nobody puts
	// back. If Reset returns another value than its argument, Drop is called for that other value.
	//
	// Drop runs in the Put or Trim that drops the value, or in a Get if Make is set. If Drop panics
	// there, the other values are dropped, too, and the panic goes on to the caller. After a garbage
	// collection, Drop runs on a new goroutine for each pool. It may block there, but a panic ends
	// the program.
	//
	// Drop runs without locks and may use pools, even this one, but must not put its argument there.
	// Neither Drop nor the values should refer to the Pool. Otherwise, the Pool becomes garbage only
	// when its idle values have been dropped for IdleTime.
	Drop func(T)

	// Name labels the pool in statistics.
	Name string

	// MaxItems, in a pool without a Size, is the limit on the number of idle values. It holds at
	// every moment and includes the idle values of each P. Zero means DefaultMaxItems, and KeepNone
	// no idle values.
	MaxItems int

	// MaxIdle, in a pool with a Size, is the limit on the bytes of idle values, as in [BytePool].
	// Each value counts as its size class.
	MaxIdle int64

	// IdleTime is the longest time that unneeded values may stay idle, as in [BytePool]. Zero means
	// DefaultIdleTime.
	IdleTime time.Duration

	// Limit, in a pool with a Size, is a [Limit] that counts the bytes of outstanding values. A value counts as its
	// Size when it is handed out, or if that is less, as the mean Size of those put lately. Get goes beyond the
	// limit. A value that is never put counts for ever.
	Limit *Limit

	preferred preferredClass // preferred and sizing are used if there is a Size
	sizing    *sizing        // made by the first use
	base
	engine *engine.Engine[T] // made by the first use
	peak   *peak             // made by the first use
	refers reference         // set by the first use
}

func (p *Pool[T]) complete() (settings, error) {
	c := fieldCheck{kind: "Pool"}
	s := settings{name: p.Name}
	if p.Size != nil {
		if p.MaxItems != 0 {
			c.refuse("MaxItems", p.MaxItems, "0 where Size is set; MaxIdle limits the bytes")
		}
		c.idleBytes(&s, p.MaxIdle)
		s.maxSize = c.maxSize("", 0, "", p.MaxSize)
	} else {
		s.maxIdle = c.idle("MaxItems", int64(p.MaxItems), DefaultMaxItems)
		switch {
		case p.MaxIdle != 0:
			c.refuse("MaxIdle", p.MaxIdle, "0 where Size is nil; MaxItems limits the number of values")
		case p.Limit != nil:
			c.refuse("Limit", "set", "nil where Size is nil: the pool does not know the bytes of its values")
		case p.MaxSize != 0:
			c.refuse("MaxSize", p.MaxSize, "0 where Size is nil")
		case p.Used != nil:
			c.refuse("Used", "set", "nil where Size is nil")
		case p.Make != nil:
			c.refuse("Make", "set", "nil where Size is nil")
		}
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
	c.limit(p.Limit)
	s.limit = p.Limit.overseen()
	return s, c.err
}

// Get returns an idle value, or else a new one.
func (p *Pool[T]) Get() (x T) {
	// Get and Put are inlined by hand, as in BytePool, and copy an x of unknown size as few times
	// as possible. They are not nosplit, because their frame is as large as T.
	_ = p.Name // a nil p must panic here: a panic while pinned ends the process
	i := uint(pin.Pin())
	if p.Size != nil {
		i = i<<sizeclass.Bits | p.preferred.load().class()
	}
	if p.table.Has(i) {
		m := p.table.Entry(i).Load()
		if top := m.Len() - 1; top < engine.Slots {
			slot := m.Slot(top)
			x = *slot
			*slot = *new(T) // or the magazine would keep the value alive
			m.Popped()
			pin.Unpin()
			return x
		}
	}
	pin.Unpin()
	return p.get()
}

// Put gives x to the pool, after Reset. Put drops x, and counts it, if there is no room for x,
// or if Size(x) is negative, above MaxSize, below the learned size class or far above it.
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

// putSized is Put in a pool with a Size.
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
	if w := p.preferred.load(); w.is(size) || p.Used == nil && w.has(size) {
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
	p.putSizedSlow(x, size, used, weight)
}

// Sizes that putSized uses instead of a result of Used.
const (
	nothing  = -1 // Used returned a negative size
	notAsked = -2
)

// putSizedSlow is the slow path of putSized, for an x of size bytes, of which its user needed used
// bytes. weight is the number of Puts that x stands for.
func (p *Pool[T]) putSizedSlow(x T, size, used int, weight uint32) {
	p.ready(p)
	e := p.engine
	if p.Used != nil {
		if used == notAsked {
			used = p.Used(x)
		}
		if p.sizing.observe(&p.preferred, used, weight) {
			defer letGo(e, &p.preferred) // deferred, because Drop may panic
		}
	}
	if t := check.Current.Load(); t != nil && p.mayKnow(t, &x) {
		if done, put := judged(t, p.owner(p.Name), e, p.preferred.load().class(), x); done {
			if put {
				p.sizing.tally.put(size)
			}
			return
		}
	}
	defer p.sizing.tally.put(size)
	if class, keep := p.sizing.classify(&p.preferred, size); !keep {
		e.Drop(x)
	} else if !e.Push(class, x) {
		e.Put(class, x)
	}
}

// put is the slow path of Put.
func (p *Pool[T]) put(x T) {
	p.ready(p)
	e := p.engine
	if t := check.Current.Load(); t != nil && p.mayKnow(t, &x) {
		if done, _ := judged(t, p.owner(p.Name), e, 0, x); done {
			return
		}
	}
	e.Put(0, x)
}

// reset applies Reset while checks are on.
func (p *Pool[T]) reset(t *check.Tracker, x T) T {
	kept := p.Reset(x)
	replaceValue(t, x, kept)
	return kept
}

// get is the slow path of Get.
func (p *Pool[T]) get() T {
	p.ready(p)
	x := p.obtain()
	if p.Size != nil && p.sizing.tally != nil {
		p.sizing.tally.got(p.Size(x))
	}
	return x
}

// obtain is get without the tally.
func (p *Pool[T]) obtain() (x T) {
	e := p.engine
	w := p.preferred.load() // its class is 0 without a Size
	t := check.Current.Load()
	if t != nil && (t.Full() || p.makes() && p.refers != noReference) {
		x, ok, picked := sample(t, e, w.class())
		switch {
		case picked:
			return p.checkedGet(t, e, w)
		case ok:
			if p.mayKnow(t, &x) {
				passValue(t, p.owner(p.Name), x, false)
			}
			return x
		}
	}
	fit := engine.OwnClass // without a Size there is one class
	if p.Size != nil {
		fit = p.sizing.fit
	}
	x, _, ok := e.Get(w.class(), 0, fit)
	if !ok && p.makes() {
		x = p.make(e, w)
	}
	if t != nil {
		passValue(t, p.owner(p.Name), x, !ok)
	}
	return x
}

// checkedGet is Get of a new value that t tracks.
func (p *Pool[T]) checkedGet(t *check.Tracker, e *engine.Engine[T], w preferredWord) (x T) {
	if p.makes() {
		x = p.new(w)
	}
	e.CountGet(w.class(), 0)
	trackValue(t, p.owner(p.Name), x)
	return x
}

// makes reports whether the pool has New or Make.
func (p *Pool[T]) makes() bool { return p.New != nil || p.Make != nil }

// new calls Make with the size of a new value, or New if the pool does not learn.
func (p *Pool[T]) new(w preferredWord) T {
	if p.Make != nil {
		return p.Make(p.sizing.fresh(w))
	}
	return p.New()
}

// make calls new for a Get that counts as a miss of class w. If that panics, it takes the miss
// back.
func (p *Pool[T]) make(e *engine.Engine[T], w preferredWord) T {
	made := false
	defer func() {
		if !made { // new panicked
			e.Unmiss(w.class())
		}
	}()
	x := p.new(w)
	made = true
	return x
}

// Trim releases all idle values now, and drops them; the next garbage collection frees their memory.
// Trim briefly stops the world, to take the idle values of each P.
func (p *Pool[T]) Trim() {
	if p.done.Load() != nil {
		p.engine.Trim()
	}
}

// largeItem is the size of T, in bytes, above which Ps have no magazines: compared to copying such
// a value, a lock costs little.
const largeItem = 2 << 10

// unknownWeight is the size, in bytes, that TrimIdle assumes for a released value of unknown size.
// Values that are worth a Pool are seldom small.
const unknownWeight = 64 << 10

func (p *Pool[T]) begin(s *settings) {
	var item T
	// The engine is a separate object because the Pool may be a package variable, and cleanups must
	// see when the engine is garbage.
	p.engine, p.peak, p.refers = new(engine.Engine[T]), new(peak), referenceOf[T]()
	c := engine.Config[T]{
		Classes:  func() []engine.Class { return []engine.Class{{Size: 1, Local: engine.Slots}} },
		IdleTime: s.idleTime,
		MaxIdle:  s.follow(),
		Drop:     p.Drop,
		Shared:   unsafe.Sizeof(item) > largeItem,
	}
	if p.Size == nil {
		c.Weight = unknownWeight
	} else {
		p.sizing = new(sizing)
		p.sizing.begin(&p.preferred, 0, s.maxSize, p.Used != nil, p.engine.Outstanding)
		p.sizing.tally = newTally("Pool", s)
		c.Hidden = s.limit != nil
		c.Classes = sizedClasses(p.Used != nil)
		c.Bits = sizeclass.Bits
	}
	p.engine.Init(&p.table, s.maxIdle, s.within, c)
	reader := &poolReader[T]{kindOf[T](), s, p.owner(p.Name), p.peak, p.sizing}
	startChecked(p.engine, func() { register(p.engine, &p.id, reader, (*engine.Engine[T]).Trim) })
}

// A poolReader makes the statistics of a Pool from its engine.
type poolReader[T any] struct {
	kind   string
	config *settings
	owner  *check.Owner
	most   *peak
	sizing *sizing
}

func (r *poolReader[T]) statsOf(e any, id uint64, into *Stats) {
	*into = newStats(id, r.kind, into.Classes[:0])
	poolStats(into, *r.config, e.(*engine.Engine[T]), r.most, r.sizing)
	into.Misuse = basincheck.Counts(r.owner.Counts())
}

// Stats returns the statistics of the pool. A Pool counts values. Without a Size, it does not know
// their bytes. With a Size, it counts idle values and their bytes by size class, but does not know
// how large outstanding values have grown. Drops.Empty counts values of negative Size, Drops.Small
// values below the learned size class, and Drops.Large values above MaxSize or far above the learned
// size. Putting values that the pool did not hand out makes Items.InUse too low.
func (p *Pool[T]) Stats() Stats {
	s := newStats(p.id.Load(), kindOf[T](), nil)
	var e *engine.Engine[T]
	var most *peak
	var sizing *sizing
	if p.done.Load() != nil {
		e, most, sizing = p.engine, p.peak, p.sizing
	}
	poolStats(&s, p.settings(p), e, most, sizing)
	s.Misuse = basincheck.Counts(p.checkOwner.Load().Counts())
	return s
}

// poolStats fills in the statistics of a Pool with the given settings. e, most and sizing are made
// by its first use, and nil before. It appends to s.Classes.
func poolStats[T any](s *Stats, config settings, e *engine.Engine[T], most *peak, sizing *sizing) {
	s.Name = config.name
	s.PeakInUse.Bytes, s.OutsideInUse.Bytes = Unknown, Unknown
	if config.maxSize > 0 { // it has a Size
		s.Bytes.InUse = Unknown
		if e != nil {
			sizedStats(sizing, s, e)
			sizing.tally.addTo(s)
		}
		s.Bytes.MaxIdle = config.currentMaxIdle()
	} else {
		s.Items.MaxIdle = config.maxIdle
		s.Bytes = Holdings{InUse: Unknown, Idle: Unknown}
		if e != nil {
			c := e.Stats(0)
			s.Gets = c.Hits + c.Misses
			s.Hits, s.Misses = c.Hits, c.Misses
			s.Puts, s.Trimmed = c.Puts, c.Released
			s.Drops.Full, s.Drops.Double, s.Drops.Checked = c.Full, c.Double, c.Checked
			s.Items.InUse = max(0, int64(s.Gets-s.Puts))
			s.Items.Idle = int64(c.Idle)
		}
	}
	if e != nil {
		s.PeakInUse = most.see(s)
	}
}

// kindOf returns Stats.Kind of a Pool of T.
func kindOf[T any]() string { return "Pool[" + reflect.TypeFor[T]().String() + "]" }

// Checks

// A reference says how values of a type refer to the objects that checks know.
type reference uint8

const (
	noReference   reference = iota
	atFirst                 // by their first word: pointers and slices
	someReference           // interfaces
)

func referenceOf[T any]() reference {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Slice:
		return atFirst
	case reflect.Interface:
		return someReference
	}
	return noReference
}

// mayKnow reports whether t may have a record of x. With sampling, that is rare, and the question takes
// two nanoseconds.
func (p *Pool[T]) mayKnow(t *check.Tracker, x *T) bool {
	switch p.refers {
	case atFirst:
		return check.Judges(t, *(**byte)(unsafe.Pointer(x)))
	case noReference:
		return t.Full()
	}
	return true
}

// A pointee identifies the object that a value points to; for a slice, its array.
type pointee struct {
	at   unsafe.Pointer
	kind reflect.Type // type of the value
}

// pointeeOf returns the pointee of x and its size in bytes. It returns false if x is not a pointer
// or slice, or if the pointee has no size: several objects without a size may share one address.
func pointeeOf[T any](x T) (to pointee, size int, ok bool) {
	if referenceOf[T]() == noReference { // avoids copying x to the heap
		return pointee{}, 0, false
	}
	v := reflect.ValueOf(x)
	n := 1
	switch v.Kind() {
	case reflect.Pointer:
	case reflect.Slice:
		n = v.Cap()
	default:
		return pointee{}, 0, false
	}
	if size = n * int(v.Type().Elem().Size()); v.IsNil() || size == 0 {
		return pointee{}, 0, false
	}
	return pointee{v.UnsafePointer(), v.Type()}, size, true
}

// trackValue makes t track x, which is new and handed out.
func trackValue[T any](t *check.Tracker, o *check.Owner, x T) {
	to, size, ok := pointeeOf(x)
	if !ok {
		return
	}
	if t.Fresh(o, to.at) {
		t.GetValue(o, to.at, to.kind, size)
	} else {
		t.AgainValue(to.at, to.kind, true)
	}
}

// passValue tells the tracker that x is handed out and was not picked to be tracked. x may be
// tracked nevertheless, if New has returned it before.
func passValue[T any](t *check.Tracker, o *check.Owner, x T, isNew bool) {
	to, _, ok := pointeeOf(x)
	if !ok {
		return
	}
	if isNew {
		t.Fresh(o, to.at)
	}
	t.AgainValue(to.at, to.kind, isNew)
}

// replaceValue tells the tracker that Reset was given before and returned after. If these differ,
// before need not be put back.
func replaceValue[T any](t *check.Tracker, before, after T) {
	was, _, ok := pointeeOf(before)
	if !ok {
		return
	}
	if is, _, _ := pointeeOf(after); is != was {
		t.DropValue(was.at, was.kind)
	}
}

// releaseValue tells the tracker that x is put into the pool of o. If the verdict is Rejected, the
// caller must report the finding.
func releaseValue[T any](t *check.Tracker, o *check.Owner, x T) (check.Verdict, misuse.Finding) {
	to, size, ok := pointeeOf(x)
	if !ok {
		return check.Unknown, misuse.Finding{}
	}
	return t.PutValue(o, to.at, to.kind, size)
}

// judged tells the tracker that x is put into the pool of o, counts the Put in class c of e, and
// reports misuse. done says that Put is done with x: the pool must not reuse x, and if put is true, has dropped
// it. Otherwise x is put twice.
func judged[T any](t *check.Tracker, o *check.Owner, e *engine.Engine[T], c uint, x T) (done, put bool) {
	verdict, f := releaseValue(t, o, x)
	if verdict == check.Unknown && !t.Full() {
		return false, false
	}
	if verdict == check.Rejected {
		e.CountDouble(c)
		misuse.Report(f)
		return true, false
	}
	e.CountChecked(c)
	e.Drop(x)
	return true, true
}
