//go:build go1.25

package basin

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
)

var (
	builtin     = &BytePool{Name: "default"}
	defaultPool atomic.Pointer[BytePool]
	setDefault  sync.Mutex // guards changes of defaultPool and of the state that depends on it
)

func init() {
	builtin.owner(builtin.Name).Default.Store(true)
	defaultMaxSize.Store(DefaultMaxSize)
	defaultPool.Store(builtin)
}

// Default returns the pool that the functions of this package use.
func Default() *BytePool { return defaultPool.Load() }

// SetDefault makes p the pool that the functions of this package use. If p is nil, they use their
// original pool. Call it when the program starts, because slices that are already handed out will
// be put into the new pool. SetDefault panics if p has a setting that [Validate] refuses.
//
// The MaxIdle of p, if it has one, also replaces [DefaultMaxIdle]: it limits the sum of the idle
// memory of p and of all pools that count bytes and have no MaxIdle of their own, those of imported
// packages included. Only pools that are first used after the call share this limit. That holds for
// p, too. For pools first used after a later SetDefault, a p of nil ends the sharing, and a p with
// a MaxIdle replaces the limit; KeepNone does neither.
func SetDefault(p *BytePool) {
	original := p == nil
	if original {
		p = builtin
	}
	s := p.settings(p)
	p.owner(p.Name).Default.Store(true)
	setDefault.Lock()
	defer setDefault.Unlock()
	defaultMaxSize.Store(min(defaultMaxSize.Load(), int64(s.maxSize)))
	switch {
	case p.MaxIdle > 0:
		p.ensureRare().idleOfAll.CompareAndSwap(nil, engine.NewBudget(p.MaxIdle))
		sharedIdle.Store(p.rare.Load().idleOfAll.Load())
	case original:
		sharedIdle.Store(nil)
	}
	defaultPool.Store(p)
	follow(s.zero, s.limit != nil || s.maxInUse > 0)
}

// zeroing and limiting say whether the default pool has Zero, and a limit. They apply to pools of other kinds:
// zeroing to all memory that is recycled outside the default pool, and limiting to handles that grow through it.
var zeroing, limiting atomic.Bool

// A follower is a pool of another kind that depends on them.
type follower interface {
	// follow tells the pool that zeroing or limiting has changed, and whether checks are on. The result
	// releases the pool's idle memory.
	follow(checked bool) (trim func())
}

// follow sets zeroing and limiting. When one changes, it releases idle memory, which may not have been
// cleared, or counted.
func follow(zero, limited bool) {
	same := zeroing.Swap(zero) == zero
	if limiting.Swap(limited) == limited && same {
		return
	}
	var trims []func()
	check.Hold(func(t *check.Tracker) { // so that checks cannot turn on the fast path of handles, which does neither
		pools.Each(func(p any) {
			if p, ok := p.(follower); ok {
				trims = append(trims, p.follow(t != nil))
			}
		})
	})
	for _, trim := range trims {
		trim()
	}
}
