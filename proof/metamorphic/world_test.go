//go:build go1.25

package metamorphic

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// A config is one way to run any program. The visible results of a program must be the same
// with all of them.
type config struct {
	name   string
	serial bool // operations run in order, on one goroutine

	// Levels of checks. The program begins with the first, and "basincheck.Set" switches to the
	// next. If beside is set, another goroutine switches to the next one all the time instead.
	checks []basincheck.Settings
	beside bool
	procs  []int // the same for GOMAXPROCS

	gogc int // 0 means 100

	// Settings of byte pools, and of others that have them. A new setting of pools without
	// visible results, such as the fit of a size, belongs here, in newWorld, and in the list
	// below, once on and once off.
	maxIdle  int64
	idleTime time.Duration
	zero     bool
	maxFit   int   // if the program allows it, else 1
	maxInUse int64 // of pools without a ceiling in the program: too large to matter
	limit    bool  // every second byte pool has a Limit, too large to matter

	long bool // too slow for a few seconds
}

var (
	off     = basincheck.Settings{}
	every   = basincheck.Settings{Level: basincheck.Sampled, Every: 1}
	second  = basincheck.Settings{Level: basincheck.Sampled, Every: 2}
	sampled = basincheck.Settings{Level: basincheck.Sampled}
	full    = basincheck.Settings{Level: basincheck.Full}
	guarded = basincheck.Settings{Level: basincheck.Full, Guard: true}
)

// configs lists all configurations. The others are compared with the first.
var configs = []*config{
	{name: "serial", serial: true, maxFit: 1, procs: []int{1}},
	{name: "plain", maxFit: 1, procs: []int{2}},
	{name: "many-procs", maxFit: 1, procs: []int{8, 1, 3, 16}},
	{name: "keeps-nothing", maxFit: 1, procs: []int{2}, maxIdle: basin.KeepNone},
	{name: "keeps-little", maxFit: 1, procs: []int{2}, maxIdle: 10_000, idleTime: time.Nanosecond, gogc: 1},
	{name: "best-fit", procs: []int{2}},
	{name: "best-fit-twice-gc", procs: []int{2, 4}, maxFit: 2, gogc: 1},
	{name: "any-fit-zero", procs: []int{2}, maxFit: math.MaxInt, zero: true},
	{name: "best-fit-ceiling-little", procs: []int{2}, maxIdle: 1 << 20, idleTime: time.Millisecond, maxInUse: 1 << 40},
	{name: "zero", maxFit: 1, procs: []int{3}, zero: true},
	{name: "ceiling", maxFit: 1, procs: []int{2}, maxInUse: 1 << 40},
	{name: "ceiling-zero-gc", maxFit: 1, procs: []int{2, 4}, maxInUse: 1 << 40, zero: true, gogc: 1, idleTime: time.Nanosecond},
	{name: "sampled", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{sampled}},
	{name: "sampled-2", maxFit: 1, procs: []int{2}, maxIdle: 1, checks: []basincheck.Settings{second}},
	{name: "sampled-1-gc", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{every}, gogc: 1},
	{name: "full", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{full}},
	{name: "full-serial-gc", serial: true, maxFit: 1, procs: []int{1}, checks: []basincheck.Settings{full}, gogc: 1},
	{name: "full-ceiling-zero", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{full}, maxInUse: 1 << 40, zero: true},
	{name: "levels", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{off, full, second, off, sampled, full}},
	{name: "levels-serial", serial: true, maxFit: 1, procs: []int{1, 4}, checks: []basincheck.Settings{full, off, every, full}, maxIdle: basin.KeepNone, maxInUse: 1 << 40},
	{name: "switching", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{off, full, second, guarded, sampled, off, every}, beside: true},
	{name: "switching-ceiling-zero", maxFit: 1, procs: []int{4, 2}, checks: []basincheck.Settings{full, off, second, full, every}, beside: true, maxInUse: 1 << 40, zero: true, gogc: 10},
	{name: "limited", maxFit: 1, procs: []int{2}, limit: true},
	{name: "limited-levels-gc", maxFit: 1, procs: []int{4, 2}, checks: []basincheck.Settings{off, full, second, every}, limit: true, maxInUse: 1 << 40, gogc: 10},
	{name: "guarded", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{guarded}, long: true},
	{name: "guarded-levels", maxFit: 1, procs: []int{2}, checks: []basincheck.Settings{guarded, off, full, guarded, second}, long: true},
}

// fit returns the MaxFit of pools of p.
func (c *config) fit(p *program) int {
	if !p.fits {
		return 1
	}
	return c.maxFit
}

// configOf returns the configuration of that name, or nil.
func configOf(name string) *config {
	for _, c := range configs {
		if c.name == name {
			return c
		}
	}
	return nil
}

// checked reports whether any level of the configuration checks anything.
func (c *config) checked() bool {
	for _, k := range c.checks {
		if k.Level != basincheck.Off {
			return true
		}
	}
	return false
}

// The methods of pools that programs use. They are interfaces, so that a test can replace a
// pool.
type (
	bytePool interface {
		Get(n int) []byte
		GetZeroed(n int) []byte
		Put(b []byte)
		Adopt(b []byte) bool
		Forget(b []byte)
		Append(dst []byte, src ...byte) []byte
		AppendString(dst []byte, src string) []byte
		Grow(b []byte, n int) []byte
		ReadAll(r io.Reader) ([]byte, error)
		TryGet(n int) ([]byte, bool)
		GetContext(ctx context.Context, n int) ([]byte, error)
		Sized(n int) sized
		Trim()
		Stats() basin.Stats
	}
	sized = interface {
		Get() []byte
		Put([]byte)
	}
	bufferPool interface {
		Get() *basin.Buffer
		Put(b *basin.Buffer)
		Stats() basin.Stats
	}
	stdPool interface {
		Get() *bytes.Buffer
		Put(b *bytes.Buffer)
		Stats() basin.Stats
	}
	fixedPool interface {
		Get() []byte
		TryGet() ([]byte, bool)
		GetContext(ctx context.Context) ([]byte, error)
		Put(b []byte)
		Stats() basin.Stats
	}
	valuePool interface {
		get() value
		put(value)
		trim()
		stats() basin.Stats
		typ() string
		sizes() *sizes
	}
)

// defaultPool calls the functions of the package.
type defaultPool struct{}

func (defaultPool) Get(n int) []byte                      { return basin.Get(n) }
func (defaultPool) GetZeroed(n int) []byte                { return basin.GetZeroed(n) }
func (defaultPool) Put(b []byte)                          { basin.Put(b) }
func (defaultPool) Adopt(b []byte) bool                   { return basin.Default().Adopt(b) }
func (defaultPool) Forget(b []byte)                       { basin.Default().Forget(b) }
func (defaultPool) Append(dst []byte, src ...byte) []byte { return basin.Append(dst, src...) }
func (defaultPool) AppendString(dst []byte, src string) []byte {
	return basin.AppendString(dst, src)
}
func (defaultPool) Grow(b []byte, n int) []byte         { return basin.Grow(b, n) }
func (defaultPool) ReadAll(r io.Reader) ([]byte, error) { return basin.ReadAll(r) }
func (defaultPool) TryGet(n int) ([]byte, bool)         { return basin.Default().TryGet(n) }
func (defaultPool) Sized(n int) sized                   { return basin.Default().Sized(n) }
func (defaultPool) Trim()                               { basin.Default().Trim() }
func (defaultPool) Stats() basin.Stats                  { return basin.Default().Stats() }
func (defaultPool) GetContext(ctx context.Context, n int) ([]byte, error) {
	return basin.Default().GetContext(ctx, n)
}

// sharedBuffers calls GetBuffer and PutBuffer.
type sharedBuffers struct{}

func (sharedBuffers) Get() *basin.Buffer  { return basin.GetBuffer() }
func (sharedBuffers) Put(b *basin.Buffer) { basin.PutBuffer(b) }
func (sharedBuffers) Stats() basin.Stats  { return basin.Stats{} } // these would include all users in the process

// A value is an item of a pool of values. Its user marks it, and at Put the mark must be
// unchanged.
type value interface {
	fresh() bool // in the state after New or Reset
	mark(int)    // sets its user's mark
	marked(int) bool
}

// valuesOf is a pool of T. wrap makes a value of a T, bare returns the T of a value.
type valuesOf[T any] struct {
	pool *basin.Pool[T]
	wrap func(T) value
	bare func(value) T

	sized *sizes // nil if it has no Size
}

func (p valuesOf[T]) get() value         { return p.wrap(p.pool.Get()) }
func (p valuesOf[T]) put(v value)        { p.pool.Put(p.bare(v)) }
func (p valuesOf[T]) trim()              { p.pool.Trim() }
func (p valuesOf[T]) stats() basin.Stats { return p.pool.Stats() }
func (p valuesOf[T]) typ() string        { return fmt.Sprintf("%T", *new(T)) }
func (p valuesOf[T]) sizes() *sizes      { return p.sized }

// sizes counts the calls of a pool's Size.
type sizes struct {
	made         atomic.Int64
	asked        atomic.Int64
	empty, giant atomic.Int64 // results
	learns       bool         // the pool learns; other pools only see giants larger than MaxSize
}

// sizedMax is the MaxSize of pools with a Size: a size class.
const sizedMax = 4096

// size is the Size of pools.
func (s *sizes) size(b *[]byte) int {
	s.asked.Add(1)
	switch {
	case *b == nil:
		s.empty.Add(1)
		return -1
	case cap(*b) > sizedMax:
		s.giant.Add(1)
	}
	return cap(*b)
}

// The values: a pointer, a slice, a struct with a pointer, a struct too large for magazines, an
// interface, a number, and a pointer to a slice with a Size.
type (
	cell   struct{ n, again int }
	bytes_ struct{ b []byte }
	pair   struct {
		n int
		p *cell
	}
	pairValue   struct{ p pair }
	large       [3000]byte
	largeValue  struct{ l *large }
	anyValue    struct{ x any }
	numberValue struct{ n int }
	sizedValue  struct {
		b     *[]byte
		least int // of the capacity
	}
)

func (c *cell) fresh() bool       { return *c == cell{} }
func (c *cell) mark(n int)        { *c = cell{n, n} }
func (c *cell) marked(n int) bool { return *c == cell{n, n} }

func (v *bytes_) fresh() bool { return len(v.b) == 0 }
func (v *bytes_) mark(n int) {
	v.b = append(v.b, pattern(n, 10+n%90)...)
}
func (v *bytes_) marked(n int) bool { return bytes.Equal(v.b, pattern(n, 10+n%90)) }

func (v *pairValue) fresh() bool       { return v.p == pair{} }
func (v *pairValue) mark(n int)        { v.p = pair{n, &cell{n, n}} }
func (v *pairValue) marked(n int) bool { return v.p.n == n && v.p.p.marked(n) }

func (v *largeValue) fresh() bool       { return *v.l == large{} }
func (v *largeValue) mark(n int)        { copy(v.l[:], pattern(n, len(v.l))) }
func (v *largeValue) marked(n int) bool { return bytes.Equal(v.l[:], pattern(n, len(v.l))) }

func (v *anyValue) fresh() bool { return v.x == nil || v.x.(*cell).fresh() }
func (v *anyValue) mark(n int) {
	if v.x == nil {
		v.x = new(cell)
	}
	v.x.(*cell).mark(n)
}
func (v *anyValue) marked(n int) bool { return v.x.(*cell).marked(n) }

func (v *numberValue) fresh() bool       { return v.n == 0 }
func (v *numberValue) mark(n int)        { v.n = n }
func (v *numberValue) marked(n int) bool { return v.n == n }

// need returns the number of bytes that the user stores, or less than zero for a nil slice.
func (v *sizedValue) need(n int) int {
	if n%11 == 0 {
		return -1
	}
	return n * n % 7919
}
func (v *sizedValue) fresh() bool {
	return len(*v.b) == 0 && cap(*v.b) >= v.least && cap(*v.b) <= sizedMax
}
func (v *sizedValue) mark(n int) {
	switch need := v.need(n); {
	case need < 0:
		*v.b = nil // the user has given the array away
		return
	case need > cap(*v.b):
		*v.b = make([]byte, need)
	default:
		*v.b = (*v.b)[:need]
	}
	copy((*v.b)[:cap(*v.b)], pattern(n, cap(*v.b)))
}
func (v *sizedValue) marked(n int) bool {
	need, b := v.need(n), *v.b
	if need < 0 {
		return b == nil
	}
	return len(b) == need && bytes.Equal(b[:cap(b)], pattern(n, cap(b)))
}

// A world has the pools that a program uses.
type world struct {
	name   string
	bytes  []bytePool // the first is the default pool
	real   []*basin.BytePool
	specs  []bytePoolSpec
	limit  *basin.Limit       // of every second byte pool, if the program or the configuration has limits
	none   *basin.Reservation // of nothing
	c      *config
	tight  bool
	other  *basin.BytePool // can become the default pool
	before basin.Stats     // of the built-in default pool

	buffers    []bufferPool
	std        []stdPool
	fixed      []fixedPool // of fixedSizes, each of fixedCount buffers
	fixedCount int
	values     []valuePool
	scopePools []*basin.BytePool
	scopeLimit *basin.Limit      // of the last of these
	wrap       func(scope) scope // replaces a scope
}

var (
	worlds   atomic.Int64
	boundsOf sync.Map // by spec
)

// tight is the ceiling of tight programs: room for some classes, or for a few slices of most.
const tight = 16_000

// fixedSizes are the sizes of the buffers of FixedPools.
var fixedSizes = [...]int{100, 4096}

func newWorld(p *program, c *config) *world {
	w := &world{name: fmt.Sprintf("m%d", worlds.Add(1)), before: builtin.Stats()}
	pool := func(s bytePoolSpec, name string) *basin.BytePool {
		b := &basin.BytePool{
			Name: w.name + name, MinSize: s.minSize, MaxSize: s.maxSize,
			MaxIdle: c.maxIdle, IdleTime: c.idleTime, Zero: c.zero, MaxInUse: c.maxInUse, MaxFit: c.fit(p), Adopts: s.adopts,
		}
		return b
	}
	w.c, w.tight = c, p.tight
	w.limit = &basin.Limit{Name: w.name + ".limit", Max: 1 << 40, Within: &basin.Limit{Name: w.name + ".process"}}
	if p.tight {
		w.limit.Max = tight * 3 / 2
	}
	w.none, _ = w.limit.Acquire(context.Background(), 0)
	w.real = []*basin.BytePool{builtin}
	w.bytes = []bytePool{defaultPool{}}
	w.specs = []bytePoolSpec{bounds(bytePoolSpec{})}
	for i, s := range p.bytePools {
		b := pool(s, fmt.Sprintf(".p%d", i+1))
		if p.tight && i%3 != 0 { // one has a Limit alone, one both
			b.MaxInUse = tight
		}
		if w.limited() && i%3 != 1 {
			b.Limit = w.limit
		}
		w.real = append(w.real, b)
		w.bytes = append(w.bytes, b)
		w.specs = append(w.specs, bounds(s))
	}
	w.other = pool(bytePoolSpec{}, ".other") // without a ceiling that matters: how much Buffers hold depends on their pools' learning
	w.buffers = []bufferPool{
		sharedBuffers{},
		&basin.BufferPool{Name: w.name + ".handles", InitialSize: p.initial, MaxIdle: c.maxIdle},
		&basin.BufferPool{Name: w.name + ".learned", MaxIdle: c.maxIdle},
	}
	w.std = []stdPool{
		&basin.StdBufferPool{Name: w.name + ".std", InitialSize: p.initial, MaxIdle: c.maxIdle},
		&basin.StdBufferPool{Name: w.name + ".stdlearned", MaxIdle: c.maxIdle},
	}
	w.fixedCount = p.fixedCount
	for i, size := range fixedSizes {
		w.fixed = append(w.fixed, &basin.FixedPool{Name: fmt.Sprintf("%s.f%d", w.name, i), Count: p.fixedCount, Size: size, Zero: c.zero})
	}
	w.makeScopePools()
	maxItems := int(min(c.maxIdle, 100))
	sized, learned := new(sizes), &sizes{learns: true}
	w.values = []valuePool{
		valuesOf[*cell]{
			&basin.Pool[*cell]{
				Name: w.name + ".cells", MaxItems: maxItems, IdleTime: c.idleTime,
				New:   func() *cell { return new(cell) },
				Reset: func(c *cell) *cell { *c = cell{}; return c },
			},
			func(c *cell) value { return c },
			func(v value) *cell { return v.(*cell) },
			nil,
		},
		valuesOf[[]byte]{
			&basin.Pool[[]byte]{
				Name: w.name + ".slices", MaxItems: maxItems, IdleTime: c.idleTime,
				New:   func() []byte { return make([]byte, 0, 50) },
				Reset: func(b []byte) []byte { return b[:0] },
			},
			func(b []byte) value { return &bytes_{b} },
			func(v value) []byte { return v.(*bytes_).b },
			nil,
		},
		valuesOf[pair]{
			&basin.Pool[pair]{
				Name: w.name + ".pairs", MaxItems: maxItems, IdleTime: c.idleTime,
				Reset: func(pair) pair { return pair{} },
			},
			func(p pair) value { return &pairValue{p} },
			func(v value) pair { return v.(*pairValue).p },
			nil,
		},
		valuesOf[large]{
			&basin.Pool[large]{
				Name: w.name + ".large", MaxItems: maxItems, IdleTime: c.idleTime,
				Reset: func(large) large { return large{} },
			},
			func(l large) value { return &largeValue{&l} },
			func(v value) large { return *v.(*largeValue).l },
			nil,
		},
		valuesOf[any]{
			&basin.Pool[any]{
				Name: w.name + ".any", MaxItems: maxItems, IdleTime: c.idleTime,
				New:   func() any { return new(cell) },
				Reset: func(any) any { return nil },
			},
			func(x any) value { return &anyValue{x} },
			func(v value) any { return v.(*anyValue).x },
			nil,
		},
		valuesOf[int]{
			&basin.Pool[int]{
				Name: w.name + ".numbers", MaxItems: maxItems, IdleTime: c.idleTime,
				Reset: func(int) int { return 0 },
			},
			func(n int) value { return &numberValue{n} },
			func(v value) int { return v.(*numberValue).n },
			nil,
		},
		valuesOf[*[]byte]{
			&basin.Pool[*[]byte]{
				Name: w.name + ".sized", MaxIdle: c.maxIdle, IdleTime: c.idleTime, MaxSize: sizedMax,
				New:   func() *[]byte { sized.made.Add(1); return new([]byte) },
				Size:  sized.size,
				Reset: func(b *[]byte) *[]byte { *b = (*b)[:0]; return b },
			},
			func(b *[]byte) value { return &sizedValue{b, 0} },
			func(v value) *[]byte { return v.(*sizedValue).b },
			sized,
		},
		valuesOf[*[]byte]{ // without a Reset, so that Used is called for a sample
			&basin.Pool[*[]byte]{
				Name: w.name + ".sizedlearned", MaxIdle: c.maxIdle, IdleTime: c.idleTime, MaxSize: sizedMax,
				Make: func(size int) *[]byte {
					learned.made.Add(1)
					b := make([]byte, 0, size)
					return &b
				},
				Size: learned.size,
				Used: func(b *[]byte) int { return len(*b) },
			},
			func(b *[]byte) value { *b = (*b)[:0]; return &sizedValue{b, 64} },
			func(v value) *[]byte { return v.(*sizedValue).b },
			learned,
		},
	}
	return w
}

// limited reports whether some pools have a Limit.
func (w *world) limited() bool { return w.tight || w.c.limit }

// builtin is the default pool at the start of the process.
var builtin = basin.Default()

// bounds returns s with the smallest and largest capacity that such a pool keeps.
func bounds(s bytePoolSpec) bytePoolSpec {
	if b, ok := boundsOf.Load(s); ok {
		return b.(bytePoolSpec)
	}
	p := &basin.BytePool{MinSize: s.minSize, MaxSize: s.maxSize}
	low, high := p.Get(1), p.Get(cmp.Or(s.maxSize, basin.DefaultMaxSize))
	b := bytePoolSpec{cap(low), cap(high), s.adopts}
	p.Put(low)
	p.Put(high)
	boundsOf.Store(s, b)
	return b
}

func levelOf(c *config, i int) basincheck.Settings {
	if len(c.checks) == 0 {
		return off
	}
	return c.checks[i%len(c.checks)]
}

func (c *config) setProcsAt(i int) { runtime.GOMAXPROCS(c.procs[i%len(c.procs)]) }
