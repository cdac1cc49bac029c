//go:build go1.25

// Package buffer has buffers on pooled memory that several users can share.
//
// Like the functions of package bytespool, they use pools with the name "bytespool" in
// statistics.
package buffer

import (
	"bytes"
	"math"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/compat/capacitypools"
)

// DefaultBufferSize is the capacity of a Buffer from [Get] without an argument.
var DefaultBufferSize = 64

var (
	pools   = capacitypools.Default
	handles = basin.Pool[*Buffer]{Name: "bytespool buffers", New: func() *Buffer { return new(Buffer) }}
)

// SetCapacity gives buffers their own pools, with capacities from minSize to maxSize. Call it
// when the program starts.
func SetCapacity(minSize, maxSize int) {
	pools = capacitypools.New("bytespool", false, max(minSize, 2), max(maxSize, 2))
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

// NewBuffer returns a Buffer with buf itself as its contents, and takes ownership of buf.
func NewBuffer(buf []byte) *Buffer { return wrap(buf) }

// Make, Make64, MakeMax and MakeMin return an empty Buffer with room for the given number of
// bytes, or for the largest or smallest size of the pools. New returns a Buffer of arbitrary
// bytes. NewBytes and NewString return one with a copy as its contents.
func Make(capacity int) *Buffer      { return wrap(pools.Make(capacity)) }
func Make64(capacity uint64) *Buffer { return wrap(pools.Make64(capacity)) }
func MakeMax() *Buffer               { return wrap(pools.MakeMax()) }
func MakeMin() *Buffer               { return wrap(pools.MakeMin()) }
func New(size int) *Buffer           { return wrap(pools.New(size)) }
func NewBytes(bs []byte) *Buffer     { return wrap(pools.NewBytes(bs)) }
func NewString(s string) *Buffer     { return wrap(pools.NewString(s)) }

// Release is [Buffer.Release]. Put is Release without a result.
func Release(bb *Buffer) (ok bool) { return bb.Release() }
func Put(bb *Buffer)               { bb.Release() }

// GetReader returns a reader of bs, and PutReader puts it.
func GetReader(bs []byte) (r *bytes.Reader) { // see readerpool.New
	r = capacitypools.Readers.Get()
	r.Reset(bs)
	return
}

func PutReader(r *bytes.Reader) {
	if r != nil {
		*r = bytes.Reader{} // as Reset(nil), but faster
		capacitypools.Readers.Put(r)
	}
}

// The settings and statistics of the pools of buffers: see package bytespool.
func MinSize() int                                              { return pools.MinSize() }
func MaxSize() int                                              { return pools.MaxSize() }
func SetWithStats(t bool)                                       { pools.SetWithStats(t) }
func GetWithStats() bool                                        { return pools.GetWithStats() }
func RuntimeStats() map[string]uint64                           { return pools.Map() }
func RuntimeStatsSummary(topN int) capacitypools.RuntimeSummary { return pools.Summary(topN) }

// maxLen is the largest length of a Buffer.
const maxLen = math.MaxInt32
