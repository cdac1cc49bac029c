package basin

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/uninit"
)

var (
	builtin     = &BytePool{Name: "default"}
	defaultPool atomic.Pointer[BytePool]
	setDefault  sync.Mutex // held to change defaultPool, and what follows from it
)

func init() {
	builtin.owner().Default.Store(true)
	defaultPool.Store(builtin)
}

// Default returns the pool that the functions of this package use.
func Default() *BytePool { return defaultPool.Load() }

// SetDefault makes p the pool that the functions of this package use. If p is nil,
// they use the pool they began with. Call it when the program starts, because slices
// already handed out will be put into the new pool. SetDefault panics if the settings
// of p contradict each other.
//
// The MaxIdle of p, if it has one, is the limit of other pools too, those of imported
// packages included, in place of [DefaultMaxIdle]. It is a limit on the sum of what they
// retain. A pool shares it if it counts bytes, has no MaxIdle of its own, and is first
// used after the call. So p shares it if p was not used before. KeepNone is for p alone.
func SetDefault(p *BytePool) {
	if p == nil {
		p = builtin
	}
	zero := p.first.settings(p).zero
	p.owner().Default.Store(true)
	setDefault.Lock()
	defer setDefault.Unlock()
	if p.MaxIdle > 0 && p.idleOfAll.Load() == nil {
		p.idleOfAll.Store(engine.NewBudget(p.MaxIdle))
	}
	defaultPool.Store(p)
	setZeroing(zero)
}

// Get returns a slice of length n with arbitrary content: [BytePool.Get] of the
// default pool.
func Get(n int) []byte { return defaultPool.Load().Get(n) }

// GetZeroed returns a slice of length n that is all zero: [BytePool.GetZeroed] of
// the default pool.
func GetZeroed(n int) []byte { return defaultPool.Load().GetZeroed(n) }

// Make returns an empty slice with a capacity of at least n: [BytePool.Make] of
// the default pool.
func Make(n int) []byte { return defaultPool.Load().Make(n) }

// Put gives b back, and nobody may use its array any more: [BytePool.Put] of the
// default pool.
func Put(b []byte) { defaultPool.Load().Put(b) }

// TryPut is [Put] and reports whether b was kept: [BytePool.TryPut] of the default
// pool.
func TryPut(b []byte) bool { return defaultPool.Load().TryPut(b) }

// Append appends src to dst, and recycles the array of dst if it has to grow:
// [BytePool.Append] of the default pool.
func Append(dst []byte, src ...byte) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) { // as the method, which is too much to inline twice
		return growAppend(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppend(dst, src []byte) []byte { return Default().growAppend(dst, src) }

// AppendString appends src to dst, and recycles the array of dst if it has to grow:
// [BytePool.AppendString] of the default pool.
func AppendString(dst []byte, src string) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return growAppendString(dst, src)
	}
	return append(dst, src...)
}

//go:noinline
func growAppendString(dst []byte, src string) []byte { return Default().growAppendString(dst, src) }

// Grow returns b with room for another n bytes, and recycles its array if it has
// to grow: [BytePool.Grow] of the default pool.
func Grow(b []byte, n int) []byte {
	if uint(n) <= uint(cap(b)-len(b)) {
		return b
	}
	return grow(b, n)
}

//go:noinline
func grow(b []byte, n int) []byte { return Default().grow(b, n) }

// Clone returns a copy of b: [BytePool.Clone] of the default pool.
func Clone(b []byte) []byte { return defaultPool.Load().Clone(b) }

// CloneString returns a copy of the bytes of s: [BytePool.CloneString] of the default
// pool.
func CloneString(s string) []byte { return defaultPool.Load().CloneString(s) }

// ReadAll reads from r until io.EOF: [BytePool.ReadAll] of the default pool.
func ReadAll(r io.Reader) ([]byte, error) { return defaultPool.Load().ReadAll(r) }

// ReadAllSize reads from r, which is said to have size bytes, until io.EOF:
// [BytePool.ReadAllSize] of the default pool.
func ReadAllSize(r io.Reader, size int64) ([]byte, error) {
	return defaultPool.Load().ReadAllSize(r, size)
}

// Copy copies from src to dst with a recycled buffer: [BytePool.Copy] of the
// default pool.
func Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	return defaultPool.Load().Copy(dst, src)
}

// MakeUninit returns a new slice that is not cleared: its bytes are whatever the heap
// held there before, which may be secrets of the same program. The slice is from no
// pool. As make does, MakeUninit panics if the sizes are out of range.
func MakeUninit(len, cap int) []byte { return uninit.Bytes(len, cap) }

// zeroing is BytePool.Zero of the default pool. It is for memory that is recycled
// beside that pool: the storage of handles, and the buffers of package bufio.
var zeroing atomic.Bool

// A zeroingPool recycles memory beside the default pool and clears it while zeroing is
// set.
type zeroingPool interface {
	// setZeroing tells the pool that zeroing has changed, and whether anything is
	// checked. The result releases what is idle.
	setZeroing(checked bool) (trim func())
}

// zeroingTrims release idle memory that is in no pool.
var zeroingTrims []func()

// onZeroing makes setZeroing call trim when zeroing begins. It is for package
// variables.
func onZeroing(trim func()) { zeroingTrims = append(zeroingTrims, trim) }

// setZeroing says what zeroing is from now on. Memory that is idle may not have been
// cleared, so it is released.
func setZeroing(zero bool) {
	if zeroing.Swap(zero) == zero {
		return
	}
	var trims []func()
	check.Hold(func(t *check.Tracker) { // or checks would switch to the fast path of handles, which does not clear
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
