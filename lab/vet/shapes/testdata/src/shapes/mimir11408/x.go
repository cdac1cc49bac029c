// Labels point into the buffer of the message that they were decoded from.
package mimir11408

import (
	"google.golang.org/grpc/mem"

	"shapes/mimir11408/wire"
)

type Series struct{ Name string }

func BugLabel(data mem.BufferSlice, pool mem.BufferPool) *Series {
	buf := data.MaterializeToBuffer(pool)
	defer buf.Free()
	return &Series{Name: wire.String(buf.ReadOnlyData())} // BUG
}

func BugBytes(buf mem.Buffer) []byte {
	b := buf.ReadOnlyData()
	buf.Free()
	return b // BUG
}

func LegalLabel(data mem.BufferSlice, pool mem.BufferPool) *Series {
	buf := data.MaterializeToBuffer(pool)
	defer buf.Free()
	return &Series{Name: string(buf.ReadOnlyData())}
}

// The reference that is taken keeps the data until the holder frees it.
func LegalHeld(buf mem.Buffer) (*Series, mem.Buffer) {
	buf.Ref()
	defer buf.Free()
	return &Series{Name: wire.String(buf.ReadOnlyData())}, buf
}

func LegalCopied(data mem.BufferSlice) []byte {
	b := data.Materialize()
	data.Free()
	return b
}
