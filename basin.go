package basin

import (
	"io"
	"sync/atomic"

	"github.com/basin-go/basin/internal/uninit"
)

var (
	builtin     = NewBytePool(Config{Name: "default"})
	defaultPool atomic.Pointer[BytePool]
)

func init() { defaultPool.Store(builtin) }

// Default returns the pool that the functions of this package use.
func Default() *BytePool { return defaultPool.Load() }

// SetDefault makes p the pool that the functions of this package use, or, if p is
// nil, the one they began with. It is best done when the program starts:
// slices that are out at the time are put into the new pool.
func SetDefault(p *BytePool) {
	if p == nil {
		p = builtin
	}
	p.owner().Default.Store(true)
	defaultPool.Store(p)
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

// Put gives b back, whose array nobody may use any more: [BytePool.Put] of the
// default pool.
func Put(b []byte) { defaultPool.Load().Put(b) }

// TryPut is [Put], and reports whether b was kept: [BytePool.TryPut] of the
// default pool.
func TryPut(b []byte) bool { return defaultPool.Load().TryPut(b) }

// Append appends src to dst, and recycles the array of dst if it has to grow:
// [BytePool.Append] of the default pool.
func Append(dst []byte, src ...byte) []byte { return defaultPool.Load().Append(dst, src...) }

// AppendString appends src to dst, and recycles the array of dst if it has to grow:
// [BytePool.AppendString] of the default pool.
func AppendString(dst []byte, src string) []byte { return defaultPool.Load().AppendString(dst, src) }

// Grow returns b with room for another n bytes, and recycles its array if it has
// to grow: [BytePool.Grow] of the default pool.
func Grow(b []byte, n int) []byte { return defaultPool.Load().Grow(b, n) }

// Clone returns a copy of b: [BytePool.Clone] of the default pool.
func Clone(b []byte) []byte { return defaultPool.Load().Clone(b) }

// CloneString returns the bytes of s: [BytePool.CloneString] of the default pool.
func CloneString(s string) []byte { return defaultPool.Load().CloneString(s) }

// ReadAll reads from r until io.EOF: [BytePool.ReadAll] of the default pool.
func ReadAll(r io.Reader) ([]byte, error) { return defaultPool.Load().ReadAll(r) }

// MakeUninit returns a new slice that is not cleared: its bytes are whatever the
// heap held there before. It has nothing to do with any pool. It panics if the
// sizes are out of range, as make does.
func MakeUninit(len, cap int) []byte { return uninit.Bytes(len, cap) }
