package subjects

import "github.com/basin-go/basin"

// basin with default settings for every workload.

func init() {
	Register(&Subject{
		Name: Reference, Kind: Basin, Source: "github.com/basin-go/basin",
		About:   "BytePool, GetBuffer, Pool[T] and FixedPool with the settings they come with",
		Slices:  func() Slices { return basinSlices{&basin.BytePool{}} },
		Fixed:   func(count, size int) Slices { return basinFixed{&basin.FixedPool{Count: count, Size: size}} },
		Buffers: func() Buffers { return new(basinBuffers) },
		Lists: func() Lists {
			return basinLists{&basin.Pool[[]Item]{New: newList, Reset: func(x []Item) []Item { return x[:0] }}}
		},
		Records: func() Records { return basinRecords{&basin.Pool[*Record]{New: newRecord}} },
	}, &Subject{
		Name: "basin.StdBufferPool", Kind: Basin, Source: "github.com/basin-go/basin",
		About:   "real bytes.Buffers, for those who need that type",
		Buffers: func() Buffers { return new(basinStdBuffers) },
	}, &Subject{
		Name: "basin.Pool, learning", Kind: Basin, Source: "github.com/basin-go/basin",
		About:   "a Pool with a Size, of structs with a slice inside",
		Buffers: func() Buffers { return newBasinSized() },
	})
}

// Reference is the name of the subject that all others are compared with.
const Reference = "basin"

type basinSlices struct{ *basin.BytePool }

func (p basinSlices) Get(n int) Slice { return Slice{B: p.BytePool.Get(n)} }
func (p basinSlices) Put(s Slice)     { p.BytePool.Put(s.B) }
func (p basinSlices) Misses() uint64  { s := p.Stats(); return s.Misses + s.Outside }

type basinFixed struct{ *basin.FixedPool }

func (p basinFixed) Get(int) Slice  { return Slice{B: p.FixedPool.Get()} }
func (p basinFixed) Put(s Slice)    { p.FixedPool.Put(s.B) }
func (p basinFixed) Misses() uint64 { return p.Stats().Misses }

type basinBuffers struct{ basin.BufferPool }

func (p *basinBuffers) Get() Buffer  { return p.BufferPool.Get() }
func (p *basinBuffers) Put(b Buffer) { p.BufferPool.Put(b.(*basin.Buffer)) }

type basinStdBuffers struct{ basin.StdBufferPool }

func (p *basinStdBuffers) Get() Buffer  { return p.StdBufferPool.Get() }
func (p *basinStdBuffers) Put(b Buffer) { p.StdBufferPool.Put(asBytesBuffer(b)) }

type basinLists struct{ *basin.Pool[[]Item] }

func (p basinLists) Get() List      { return List{Items: p.Pool.Get()} }
func (p basinLists) Put(l List)     { p.Pool.Put(l.Items) }
func (p basinLists) Misses() uint64 { return p.Stats().Misses }

type basinRecords struct{ *basin.Pool[*Record] }

func (p basinRecords) Misses() uint64 { return p.Stats().Misses }

// A basinByteBuffer is a minimal buffer.
type basinByteBuffer struct{ b []byte }

func (b *basinByteBuffer) Write(p []byte) (int, error) { b.b = append(b.b, p...); return len(p), nil }
func (b *basinByteBuffer) WriteByte(c byte) error      { b.b = append(b.b, c); return nil }
func (b *basinByteBuffer) WriteString(s string) (int, error) {
	b.b = append(b.b, s...)
	return len(s), nil
}
func (b *basinByteBuffer) Bytes() []byte { return b.b }

type basinSized struct{ *basin.Pool[*basinByteBuffer] }

func newBasinSized() basinSized {
	return basinSized{&basin.Pool[*basinByteBuffer]{
		Size: func(b *basinByteBuffer) int { return cap(b.b) },
		Used: func(b *basinByteBuffer) int { return len(b.b) },
		Make: func(size int) *basinByteBuffer { return &basinByteBuffer{make([]byte, 0, size)} },
	}}
}

func (p basinSized) Get() Buffer {
	b := p.Pool.Get()
	b.b = b.b[:0]
	return b
}
func (p basinSized) Put(b Buffer)   { p.Pool.Put(b.(*basinByteBuffer)) }
func (p basinSized) Misses() uint64 { return p.Stats().Misses }
