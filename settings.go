package basin

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/memlimit"
	"github.com/basin-go/basin/internal/sizeclass"
)

// The settings that a zero field stands for. If the memory limit is low, the default
// of MaxIdle is less.
const (
	DefaultMaxSize  = 4 << 20          // see [BytePool.MaxSize]
	DefaultMaxFit   = 4                // see [BytePool.MaxFit]
	DefaultMaxIdle  = 64 << 20         // see [BytePool.MaxIdle]
	DefaultMaxItems = 4096             // see [Pool.MaxIdle]
	DefaultIdleTime = 10 * time.Second // see [BytePool.IdleTime]
)

// KeepNone as the MaxIdle of a pool has it retain nothing: every Put drops, and every Get is
// a miss. The pool still counts, has its ceiling and can be checked.
const KeepNone = -1

// settings are the exported fields of a pool of whatever kind, with defaults in place
// of zeros. A setting that the kind does not have is zero.
type settings struct {
	name             string
	count            int // buffers of a FixedPool
	minSize, maxSize int // InitialSize is a minSize, the Size of a FixedPool a maxSize
	maxFit           int
	maxIdle          int64
	within           *engine.Budget // shared by all pools that have no MaxIdle of their own, or nil
	idleTime         time.Duration
	maxInUse         int64
	zero             bool
	adopts           bool
}

// A settable is a pool of any kind, as firstUse sees it.
type settable interface {
	// complete returns the settings, which it reads from the exported fields,
	// or an error that names a field.
	complete() (settings, error)

	// begin makes the pool ready for use with the given settings.
	begin(settings)
}

// A firstUse makes a pool ready when it is first used, and has its settings from then
// on. It is no sync.Once, because after a panic the next use has to panic as well.
type firstUse struct {
	mu   sync.Mutex
	done atomic.Pointer[settings]
}

// of returns the settings of p, which it makes ready if need be. It panics if they
// contradict each other.
func (u *firstUse) of(p settable) *settings {
	if s := u.done.Load(); s != nil {
		return s
	}
	return u.begin(p)
}

func (u *firstUse) begin(p settable) *settings {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.done.Load(); s != nil {
		return s
	}
	s := u.settings(p)
	p.begin(s)
	u.done.Store(&s)
	return &s
}

// settings returns the settings of p without using it. It panics if they contradict
// each other.
func (u *firstUse) settings(p settable) settings {
	if s := u.done.Load(); s != nil {
		return *s
	}
	s, err := p.complete()
	if err != nil {
		panic(err.Error())
	}
	return s
}

// A fieldCheck checks the fields of a pool of the named kind, and has the error of
// the first that is wrong.
type fieldCheck struct {
	kind string
	err  error
}

// refuse says what is wanted of a field instead of its value.
func (c *fieldCheck) refuse(field string, value any, want string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("basin: %s.%s is %v, want %s", c.kind, field, value, fmt.Sprintf(want, args...))
	}
}

// maxSize checks MinSize and MaxSize, and returns MaxSize or its default. The kind
// may call MinSize by another name, which is field, and zero says what a zero means
// there.
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

// maxIdle checks MaxIdle and returns it or the default.
func (c *fieldCheck) maxIdle(value, byDefault int64) int64 {
	switch {
	case value == KeepNone:
		return 0
	case value < 0:
		c.refuse("MaxIdle", value, "0 (for the default), KeepNone or more")
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

// idleBytes checks the MaxIdle of a pool that counts bytes, and sets what of s follows from it.
//
// What a zero stands for depends on the memory limit: in a container of 128 MiB, 64 MiB of
// idle memory would be half of it. If the program has set a MaxIdle for the default pool, that
// is for all pools together that have none of their own, be it more or less: so it limits pools
// that it did not make, and gives them room.
func (c *fieldCheck) idleBytes(s *settings, value int64) {
	limit, all := min(DefaultMaxIdle, memlimit.Now().Bytes/8), defaultPool.Load().idleOfAll.Load()
	if all != nil {
		limit = all.Limit()
	}
	s.maxIdle = c.maxIdle(value, limit)
	if value == 0 {
		s.within = all
	}
}
