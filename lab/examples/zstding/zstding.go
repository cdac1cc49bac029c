// Package zstding decompresses with recycled decoders. A decoder owns goroutines while it reads a
// stream, so each decoder that the pool lets go is closed.
package zstding

import (
	"io"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/klauspost/compress/zstd"
)

var decoders = basin.Pool[*zstd.Decoder]{
	Name:     "zstd decoders",
	MaxItems: 16,
	New: func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil) // fails only if an option is invalid
		return d
	},
	Drop: func(d *zstd.Decoder) { d.Close() },
}

// Decompress writes the contents of src to dst.
func Decompress(dst io.Writer, src io.Reader) (int64, error) {
	d := decoders.Get()
	defer decoders.Put(d)
	if err := d.Reset(src); err != nil {
		return 0, err
	}
	defer d.Reset(nil) // an idle decoder keeps no connection alive
	return basinio.Copy(dst, d)
}
