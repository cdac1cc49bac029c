// Package buffer has buffers on recycled memory that several users can share.
//
// As the functions of package bytespool, they use pools that have the name "bytespool" in
// statistics.
package buffer

import (
	"bytes"
	"math"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/compat/capacitypools"
)

// DefaultBufferSize is the capacity that [Get] has unless told otherwise.
var DefaultBufferSize = 64

var (
	pools   = capacitypools.Default
	handles = basin.Pool[*Buffer]{Name: "bytespool buffers", New: func() *Buffer { return new(Buffer) }}
)

// SetCapacity has buffers use pools of their own, with capacities from minSize to maxSize. It is
// best called when the program starts.
func SetCapacity(minSize, maxSize int) {
	pools = capacitypools.New("bytespool", max(minSize, 2), max(maxSize, 2))
}

// wrap returns a Buffer with b as its contents and one reference.
func wrap(b []byte) *Buffer {
	bb := handles.Get()
	bb.B = b
	bb.RefReset()
	return bb
}

// Get returns an empty Buffer that has room for capacity bytes, or for DefaultBufferSize.
func Get(capacity ...int) *Buffer {
	if len(capacity) > 0 {
		return Make(capacity[0])
	}
	return Make(DefaultBufferSize)
}

// Clone returns a Buffer with a copy of the contents of bb and one reference.
func Clone(bb *Buffer) *Buffer { return NewBytes(bb.B) }

// NewBuffer returns a Buffer with buf itself as its contents, and takes it over.
func NewBuffer(buf []byte) *Buffer { return wrap(buf) }

// Make, Make64, MakeMax and MakeMin return an empty Buffer that has room for so many bytes, or
// for as many as pools have. New returns one that is full of arbitrary bytes, NewBytes and
// NewString one with a copy as its contents.
func Make(capacity int) *Buffer      { return wrap(pools.Make(capacity)) }
func Make64(capacity uint64) *Buffer { return wrap(pools.Make64(capacity)) }
func MakeMax() *Buffer               { return wrap(pools.MakeMax()) }
func MakeMin() *Buffer               { return wrap(pools.MakeMin()) }
func New(size int) *Buffer           { return wrap(pools.New(size)) }
func NewBytes(bs []byte) *Buffer     { return wrap(pools.NewBytes(bs)) }
func NewString(s string) *Buffer     { return wrap(pools.NewString(s)) }

// Release is [Buffer.Release]; Put is Release without the answer.
func Release(bb *Buffer) (ok bool) { return bb.Release() }
func Put(bb *Buffer)               { bb.Release() }

// GetReader returns a reader of bs, and PutReader gives it back.
func GetReader(bs []byte) *bytes.Reader {
	r := capacitypools.Readers.Get()
	r.Reset(bs)
	return r
}

func PutReader(r *bytes.Reader) {
	if r != nil {
		capacitypools.Readers.Put(r)
	}
}

// What the pools of buffers say of themselves: see package bytespool.
func MinSize() int                                              { return pools.MinSize() }
func MaxSize() int                                              { return pools.MaxSize() }
func SetWithStats(t bool)                                       { pools.SetWithStats(t) }
func GetWithStats() bool                                        { return pools.GetWithStats() }
func RuntimeStats() map[string]uint64                           { return pools.Map() }
func RuntimeStatsSummary(topN int) capacitypools.RuntimeSummary { return pools.Summary(topN) }

// maxLen is the most that a Buffer can hold.
const maxLen = math.MaxInt32
