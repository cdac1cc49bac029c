//go:build go1.25

package basin

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/memlimit"
	"github.com/basin-go/basin/internal/sizeclass"
	"github.com/basin-go/basin/internal/weaklist"
)

// Defaults for settings that are zero. If the memory limit is low, MaxIdle defaults to less.
const (
	DefaultMaxSize  = 4 << 20          // see [BytePool.MaxSize]
	DefaultMaxFit   = 4                // see [BytePool.MaxFit]
	DefaultMaxIdle  = 64 << 20         // see [BytePool.MaxIdle]
	DefaultMaxItems = 256              // see [Pool.MaxItems]
	DefaultIdleTime = 10 * time.Second // see [BytePool.IdleTime]
)

// KeepNone as the MaxIdle or MaxItems of a pool makes it keep nothing: Put drops every item, and
// every Get is a miss. The pool still counts, has its ceiling and can be checked.
const KeepNone = -1

// settings are the exported fields of a pool of any kind, with defaults for zeros. Settings that
// the kind lacks are zero. Fields of two names share one setting where pools use both alike.
type settings struct {
	name             string
	count            int // number of buffers of a FixedPool
	minSize, maxSize int // minSize is also InitialSize; maxSize is also the Size of a FixedPool
	maxFit           int
	maxIdle          int64          // in bytes, or Pool.MaxItems
	follows          bool           // maxIdle is the default, which follows the memory limit
	within           *engine.Budget // shared by all pools without their own MaxIdle, or nil
	idleTime         time.Duration
	maxInUse         int64
	limit            overseen // the Limit of a pool, or around a Limit; or nil
	share            float64  // of a Limit
	zero, zeroNew    bool
	adopts           bool
}

// lastSettings are the settings of the pool that was prepared last.
var lastSettings atomic.Pointer[settings]

// intern returns a pointer to settings equal to s. Equal pools made in a row share one copy.
func intern(s settings) *settings {
	if last := lastSettings.Load(); last != nil && *last == s {
		return last
	}
	lastSettings.Store(&s)
	return &s
}

// A fieldCheck checks the fields of a pool of the named kind and records the first error.
type fieldCheck struct {
	kind string
	err  error
}

// refuse records that field must have a value as described by want.
func (c *fieldCheck) refuse(field string, value any, want string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("basin: %s.%s is %v, want %s", c.kind, field, value, fmt.Sprintf(want, args...))
	}
}

// maxSize checks MinSize and MaxSize and returns MaxSize or its default. field is the name of
// MinSize in this kind of pool, and zero the meaning of a MinSize of zero.
func (c *fieldCheck) maxSize(field string, minSize int, zero string, maxSize int) int {
	switch {
	case minSize < 0:
		c.refuse(field, minSize, "0 (for %s) or more", zero)
	case minSize > sizeclass.Max:
		c.refuse(field, minSize, "at most %d", sizeclass.Max)
	case maxSize < 0:
		c.refuse("MaxSize", maxSize, "0 (for the default) or more")
	case maxSize > sizeclass.Max:
		c.refuse("MaxSize", maxSize, "at most %d", sizeclass.Max)
	case maxSize != 0 && maxSize < minSize:
		c.refuse("MaxSize", maxSize, "at least %s.%s, which is %d", c.kind, field, minSize)
	}
	if maxSize == 0 {
		return max(DefaultMaxSize, minSize)
	}
	return maxSize
}

// idle checks value, a MaxIdle or MaxItems, and returns the limit that value stands for.
func (c *fieldCheck) idle(field string, value, byDefault int64) int64 {
	switch {
	case value == KeepNone:
		return 0
	case value < 0:
		c.refuse(field, value, "0 (for the default), KeepNone or more")
	case value == 0:
		return byDefault
	}
	return value
}

// idleTime checks IdleTime and returns it or the default.
func (c *fieldCheck) idleTime(value time.Duration) time.Duration {
	if value < 0 {
		c.refuse("IdleTime", value, "0 (for the default) or more")
	}
	if value == 0 {
		return DefaultIdleTime
	}
	return value
}

// sharedIdle is the budget that pools without a MaxIdle share, or nil. A later default pool without
// a MaxIdle leaves it in force.
var sharedIdle atomic.Pointer[engine.Budget]

// idleBytes checks value, a MaxIdle, and sets maxIdle, follows and within of s.
//
// The default depends on the memory limit: in a container of 128 MiB, 64 MiB of idle memory would
// be half of the limit. SetDefault's MaxIdle replaces DefaultMaxIdle for every pool without its
// own: all of them share it, and it may be more or less than DefaultMaxIdle.
func (c *fieldCheck) idleBytes(s *settings, value int64) {
	limit, all := defaultMaxIdle(), sharedIdle.Load()
	if all != nil {
		limit = all.Limit()
	}
	s.maxIdle = c.idle("MaxIdle", value, limit)
	if value == 0 {
		s.within = all
		if all == nil {
			s.follows = true
		}
	}
}

// defaultMaxIdle returns the MaxIdle of pools without their own, by the memory limit in force.
func defaultMaxIdle() int64 { return min(DefaultMaxIdle, memlimit.Now().Bytes/8) }

// currentMaxIdle returns the MaxIdle in force.
func (s *settings) currentMaxIdle() int64 {
	if s.follows {
		return defaultMaxIdle()
	}
	return s.maxIdle
}

// follow returns engine.Config.MaxIdle: nil if the limit is constant.
func (s *settings) follow() func() int64 {
	if s.follows {
		return defaultMaxIdle
	}
	return nil
}

// completeBuffers returns the settings of a pool of buffers of the given kind.
func completeBuffers(kind, name string, initialSize, maxSize int, maxIdle int64, idleTime time.Duration) (settings, error) {
	c := fieldCheck{kind: kind}
	s := settings{
		name:     name,
		minSize:  initialSize,
		maxSize:  c.maxSize("InitialSize", initialSize, "the pool to learn it", maxSize),
		idleTime: c.idleTime(idleTime),
	}
	c.idleBytes(&s, maxIdle)
	return s, c.err
}

// A base is the part that all kinds of pools share: their first use and their identity.
//
// A sync.Once would not serve for the first use: after a panic, the next use must panic again.
type base struct {
	mu   sync.Mutex
	done atomic.Pointer[settings] // set by the first use

	id         atomic.Uint64               // set by register
	checkOwner atomic.Pointer[check.Owner] // see owner
}

// A settable is a pool of any kind, for its base.
type settable interface {
	// complete reads the exported fields and returns the settings, or an error that names a field.
	complete() (settings, error)

	// begin prepares the pool with the given settings.
	begin(*settings)
}

// Validate returns an error that names the first field of a pool that is out of range or contradicts
// another field, or nil. The first use of the pool would panic with that error. pool is a pointer to
// a pool of any kind, or to a [Limit]. Validate of anything else is an error.
func Validate(pool interface{ Stats() Stats }) error {
	p, ok := pool.(settable)
	if !ok {
		return fmt.Errorf("basin: Validate of a %T, want a pointer to a pool or a Limit", pool)
	}
	_, err := p.complete()
	return err
}

// ready returns the settings of p, whose base is b, and prepares p if needed. It panics if the
// settings contradict each other.
func (b *base) ready(p settable) *settings {
	if s := b.done.Load(); s != nil {
		return s
	}
	return b.prepare(p)
}

func (b *base) prepare(p settable) *settings {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.done.Load(); s != nil {
		return s
	}
	s := intern(b.settings(p))
	p.begin(s)
	b.done.Store(s)
	return s
}

// settings returns the settings of p without preparing p. It panics if they contradict each other.
func (b *base) settings(p settable) settings {
	if s := b.done.Load(); s != nil {
		return *s
	}
	s, err := p.complete()
	if err != nil {
		panic(err.Error())
	}
	return s
}

// owner returns the pool's identity in check records, with the given name.
func (b *base) owner(name string) *check.Owner { return check.OwnerIn(&b.checkOwner, name) }

// stats overwrites s with the statistics that all kinds of pools have, and returns the settings of
// p. It keeps the array of s.Classes. id is the ID of p.
func (b *base) stats(p settable, kind string, id uint64, s *Stats) settings {
	config := b.settings(p)
	*s = newStats(id, kind, s.Classes[:0])
	s.Name = config.name
	s.Misuse = basincheck.Counts(b.checkOwner.Load().Counts())
	return config
}

// pools lists all pools that have been used and are not garbage yet. Package basinexport reads it.
var pools poolList

type poolList struct{ weaklist.List }

// Read is [weaklist.Read]. Only package basinexport calls it, and through an interface. So the linker leaves it out of
// programs that do not import that package, and with it the statistics of all kinds of pools.
func (l *poolList) Read(dst []Stats) []Stats {
	return weaklist.Read(&l.List, dst, func(pool, reader any, id uint64, s *Stats) {
		if r, ok := reader.(engineReader); ok {
			r.statsOf(pool, id, s)
			return
		}
		pool.(interface{ stats(uint64, *Stats) }).stats(id, s)
	})
}

// An engineReader makes the statistics of a pool of which only the engine is listed.
type engineReader interface {
	statsOf(engine any, id uint64, s *Stats)
}

func init() {
	weaklist.Publish(&pools)
	check.OnSwitch(func(checked bool, t *check.Tracker) { pools.Each(func(p any) { setChecked(p, checked, t) }) })
}

// register adds p to pools and sets its id. p is a pool, with a method stats that gets p's ID and a Stats, which it
// overwrites; it may reuse the array of Classes. If p is an engine, reader is an engineReader. trim releases p's idle
// memory. Neither may refer to p.
func register[P any](p *P, id *atomic.Uint64, reader any, trim func(*P)) {
	check.Begun()
	weaklist.Add(&pools.List, p, id, reader, trim)
}

// setChecked tells p, which is a pool or the engine of one, whether anything is checked, and by which
// tracker: see check.OnSwitch. The caller must hold the lock of checks.
func setChecked(p any, checked bool, t *check.Tracker) {
	switch p := p.(type) {
	case interface {
		setTracker(bool, *check.Tracker)
	}:
		p.setTracker(checked, t)
	case interface{ setChecked(bool) }:
		p.setChecked(checked)
	case interface{ Watch(checked, all bool) }:
		p.Watch(checked, t == nil || t.Full())
	}
}

// startChecked calls register at the first use of p and tells p whether anything is checked, which
// cannot change meanwhile. It returns the ID of the current tracker, or 0.
func startChecked(p any, register func()) (bornUnder uint64) {
	check.Hold(func(t *check.Tracker) {
		register()
		setChecked(p, t != nil, t)
		bornUnder = check.IDOf(t)
	})
	return bornUnder
}
