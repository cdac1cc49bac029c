// Package mem stands in for grpc's: reference-counted buffers.
package mem

type BufferPool interface {
	Get(length int) *[]byte
	Put(*[]byte)
}

type Buffer interface {
	ReadOnlyData() []byte
	Ref()
	Free()
	Len() int
}

func DefaultBufferPool() BufferPool { return nil }

func Copy(data []byte, pool BufferPool) Buffer { return nil }

func NewBuffer(data *[]byte, pool BufferPool) Buffer { return nil }

type BufferSlice []Buffer

func (s BufferSlice) Len() int {
	n := 0
	for _, b := range s {
		n += b.Len()
	}
	return n
}

func (s BufferSlice) Ref() {
	for _, b := range s {
		b.Ref()
	}
}

func (s BufferSlice) Free() {
	for _, b := range s {
		b.Free()
	}
}

func (s BufferSlice) Materialize() []byte {
	out := make([]byte, 0, s.Len())
	for _, b := range s {
		out = append(out, b.ReadOnlyData()...)
	}
	return out
}

func (s BufferSlice) MaterializeToBuffer(pool BufferPool) Buffer { return nil }
