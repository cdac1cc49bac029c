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
	defaultPool.Store(builtin)
}

// Default returns the pool that the functions of this package use.
func Default() *BytePool { return defaultPool.Load() }

// SetDefault makes p the pool that the functions of this package use. If p is nil, they use their
// original pool. Call it when the program starts, because slices that are already handed out will
// be put into the new pool. SetDefault panics if the settings of p contradict each other.
//
// The MaxIdle of p, if it has one, replaces [DefaultMaxIdle] for other pools, too, those of
// imported packages included. It limits the sum of their idle memory. A pool shares it if the pool
// counts bytes, has no MaxIdle of its own, and is first used after the call. So p itself shares it
// if p was not used before. KeepNone applies to p alone. Another SetDefault leaves the limit in
// force, unless its pool has a MaxIdle, which replaces the limit, or its pool is nil, which ends
// it.
func SetDefault(p *BytePool) {
	begin := p == nil
	if begin {
		p = builtin
	}
	zero := p.settings(p).zero
	p.owner(p.Name).Default.Store(true)
	setDefault.Lock()
	defer setDefault.Unlock()
	switch {
	case p.MaxIdle > 0:
		p.idleOfAll.CompareAndSwap(nil, engine.NewBudget(p.MaxIdle))
		sharedIdle.Store(p.idleOfAll.Load())
	case begin:
		sharedIdle.Store(nil)
	}
	defaultPool.Store(p)
	setZeroing(zero)
}

// zeroing is BytePool.Zero of the default pool. It applies to memory that is recycled outside that
// pool: storage of handles, and buffers of package bufio.
var zeroing atomic.Bool

// A zeroingPool is a pool whose memory is not the default pool's, and that clears it while zeroing
// is set.
type zeroingPool interface {
	// setZeroing tells the pool that zeroing has changed, and whether checks are on. The result
	// releases the pool's idle memory.
	setZeroing(checked bool) (trim func())
}

// zeroingTrims release idle memory that no registered pool has.
var zeroingTrims []func()

// onZeroing registers trim to be called when zeroing is turned on. Call it only while package
// variables are initialized.
func onZeroing(trim func()) { zeroingTrims = append(zeroingTrims, trim) }

// setZeroing sets zeroing. When zeroing is turned on, it releases idle memory, which may not have
// been cleared.
func setZeroing(zero bool) {
	if zeroing.Swap(zero) == zero {
		return
	}
	var trims []func()
	check.Hold(func(t *check.Tracker) { // so that checks cannot turn on the fast path of handles, which does not clear
		pools.Each(func(p any) {
			if p, ok := p.(zeroingPool); ok {
				trims = append(trims, p.setZeroing(t != nil))
			}
		})
	})
	if !zero {
		return
	}
	for _, trim := range trims {
		trim()
	}
	for _, trim := range zeroingTrims {
		trim()
	}
}
