//go:build go1.25

package basin

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/mem"
)

var (
	builtin     = &BytePool{Name: "default"}
	defaultPool atomic.Pointer[BytePool]
	setDefault  sync.Mutex // guards changes of defaultPool and of the state that depends on it

	// sharedIdle is the budget shared by pools without a MaxIdle, or nil. It does not follow
	// defaultPool: a later default pool may have no MaxIdle.
	sharedIdle atomic.Pointer[engine.Budget]
)

func init() {
	builtin.owner().Default.Store(true)
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
	zero := p.first.settings(p).zero
	p.owner().Default.Store(true)
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

// Get returns a slice of length n with arbitrary contents: see [BytePool.Get]. It uses the default
// pool.
func Get(n int) []byte { return defaultPool.Load().Get(n) }

// GetZeroed returns a slice of n zero bytes: see [BytePool.GetZeroed]. It uses the default pool.
func GetZeroed(n int) []byte { return defaultPool.Load().GetZeroed(n) }

// Make returns an empty slice with a capacity of at least n: see [BytePool.Make]. It uses the
// default pool.
func Make(n int) []byte { return defaultPool.Load().Make(n) }

// Put gives b back to the default pool. Nobody may use its array any more: see [BytePool.Put].
func Put(b []byte) { defaultPool.Load().Put(b) }

// TryPut is [Put] and reports whether the default pool kept b: see [BytePool.TryPut].
func TryPut(b []byte) bool { return defaultPool.Load().TryPut(b) }

// Append appends src to dst, and recycles the array of dst if it must grow: see [BytePool.Append].
// It uses the default pool.
func Append(dst []byte, src ...byte) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) { // as the method does, which would be too large to inline here
		return growAppend(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppend(dst, src []byte) []byte { return Default().growAppend(dst, src) }

// AppendString appends src to dst, and recycles the array of dst if it must grow: see
// [BytePool.AppendString]. It uses the default pool.
func AppendString(dst []byte, src string) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return growAppendString(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppendString(dst []byte, src string) []byte { return Default().growAppendString(dst, src) }

// Grow returns b with room for another n bytes, and recycles its array if it must grow: see
// [BytePool.Grow]. It uses the default pool.
func Grow(b []byte, n int) []byte {
	if uint(n) <= uint(cap(b)-len(b)) {
		return b
	}
	return grow(b, n)
}

//go:noinline
func grow(b []byte, n int) []byte { return Default().grow(b, n) }

// Clone returns a copy of b from the default pool: see [BytePool.Clone].
func Clone(b []byte) []byte { return defaultPool.Load().Clone(b) }

// CloneString returns a copy of the bytes of s from the default pool: see [BytePool.CloneString].
func CloneString(s string) []byte { return defaultPool.Load().CloneString(s) }

// ReadAll reads from r until io.EOF: see [BytePool.ReadAll]. It uses the default pool.
func ReadAll(r io.Reader) ([]byte, error) { return defaultPool.Load().ReadAll(r) }

// ReadAllSize reads from r, which should have size bytes, until io.EOF: see [BytePool.ReadAllSize].
// It uses the default pool.
func ReadAllSize(r io.Reader, size int64) ([]byte, error) {
	return defaultPool.Load().ReadAllSize(r, size)
}

// Copy copies from src to dst with a recycled buffer: see [BytePool.Copy]. It uses the default
// pool.
func Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	return defaultPool.Load().Copy(dst, src)
}

// MakeUninit returns a new slice that is not cleared: it contains bytes that the heap held before,
// which may be secrets of the same program. The slice is from no pool. Like make, MakeUninit panics
// if the sizes are out of range.
func MakeUninit(len, cap int) []byte { return mem.MakeUninit(len, cap) }

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
