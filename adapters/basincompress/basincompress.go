// Package basincompress limits the idle writers that github.com/klauspost/compress/gzhttp keeps to
// compress responses, and shows them in statistics:
//
//	var writers basincompress.Writers
//
//	wrap, err := gzhttp.NewWrapper(
//		gzhttp.Implementation(writers.Gzip()),
//		gzhttp.ZstdImplementation(writers.Zstd()))
//
// A gzip.Writer or zstd.Encoder takes some hundreds of KiB to a few MiB. The pools of gzhttp
// itself lose all idle writers in two garbage collections, and have no limit in between.
package basincompress

import (
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/basin-go/basin"
)

// DefaultMaxItems is the number of idle writers of each kind and level, unless MaxItems is set.
const DefaultMaxItems = 64

// Writers keeps idle writers of each kind and level in a separate pool. The pools have names
// such as "gzip level 6". The zero Writers is ready to use. Its fields must not be changed
// after its first use, and it must not be copied after that. All methods are safe for concurrent use.
//
// An idle writer contains the last bytes of its last response until the next response overwrites
// them. It does not refer to the connection any more.
type Writers struct {
	// MaxItems is the most idle writers of each kind and level. Zero means DefaultMaxItems;
	// basin.KeepNone keeps none.
	MaxItems int

	first sync.Once
	gzip  [gzip.BestCompression - gzip.StatelessCompression + 1]basin.Pool[*idle[*gzip.Writer]]
	zstd  [zstd.SpeedBestCompression - zstd.SpeedFastest + 1]basin.Pool[*idle[*zstd.Encoder]]
}

// Gzip returns the argument for gzhttp.Implementation, for all levels of package gzip.
func (w *Writers) Gzip() writer.GzipWriterFactory {
	w.first.Do(w.begin)
	return writer.GzipWriterFactory{Levels: gzipLevels, New: func(dst io.Writer, level int) writer.GzipWriter {
		return &gzipWriter{open(&w.gzip[level-gzip.StatelessCompression], dst)}
	}}
}

// Zstd returns the argument for gzhttp.ZstdImplementation, for all levels of package zstd. The
// settings of its encoders are those of gzhttp: no goroutines, little memory and windows of 128 KiB.
func (w *Writers) Zstd() writer.ZstdWriterFactory {
	w.first.Do(w.begin)
	return writer.ZstdWriterFactory{Levels: zstdLevels, New: func(dst io.Writer, level int) writer.ZstdWriter {
		return open(&w.zstd[level-int(zstd.SpeedFastest)], dst)
	}}
}

func gzipLevels() (min, max int) { return gzip.StatelessCompression, gzip.BestCompression }

func zstdLevels() (min, max int) { return int(zstd.SpeedFastest), int(zstd.SpeedBestCompression) }

func (w *Writers) begin() {
	if w.MaxItems == 0 {
		w.MaxItems = DefaultMaxItems
	}
	for i := range w.gzip {
		level := i + gzip.StatelessCompression
		w.gzip[i] = newPool(fmt.Sprint("gzip level ", level), w.MaxItems, func() (*gzip.Writer, error) {
			return gzip.NewWriterLevel(nil, level)
		})
	}
	for i := range w.zstd {
		level := zstd.SpeedFastest + zstd.EncoderLevel(i)
		w.zstd[i] = newPool("zstd level "+level.String(), w.MaxItems, func() (*zstd.Encoder, error) {
			return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
				zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(128<<10))
		})
	}
}

// A compressor is a *gzip.Writer or a *zstd.Encoder.
type compressor interface {
	writer.ZstdWriter
	Reset(io.Writer)
}

// An idle is a compressor in a pool. It writes to dst, which is nil in the pool: so the compressor is reset once for a
// response, which takes an eighth of the time of a small one, and does not refer to the connection afterwards.
type idle[C compressor] struct {
	compressor C
	dst        struct{ io.Writer }
}

func newPool[C compressor](name string, maxItems int, make func() (C, error)) basin.Pool[*idle[C]] {
	return basin.Pool[*idle[C]]{
		Name:     name,
		MaxItems: maxItems,
		New: func() *idle[C] {
			c, err := make()
			if err != nil {
				panic(err) // cannot happen: the level is valid
			}
			return &idle[C]{compressor: c}
		},
		Reset: func(i *idle[C]) *idle[C] {
			i.dst.Writer = nil
			return i
		},
	}
}

// A pooled is a compressor for one response.
type pooled[C compressor] struct {
	*idle[C]
	pool *basin.Pool[*idle[C]] // nil after Close
}

func open[C compressor](pool *basin.Pool[*idle[C]], dst io.Writer) *pooled[C] {
	p := &pooled[C]{pool.Get(), pool}
	p.dst.Writer = dst
	p.compressor.Reset(&p.dst)
	return p
}

func (p *pooled[C]) Write(b []byte) (int, error) {
	if p.pool == nil {
		return 0, io.ErrClosedPipe
	}
	return p.compressor.Write(b)
}

func (p *pooled[C]) Flush() error {
	if p.pool == nil {
		return io.ErrClosedPipe
	}
	return p.compressor.Flush()
}

// Close puts the compressor. Further calls do nothing.
func (p *pooled[C]) Close() error {
	if p.pool == nil {
		return nil
	}
	err := p.compressor.Close()
	p.pool.Put(p.idle)
	p.pool = nil
	return err
}

type gzipWriter struct{ *pooled[*gzip.Writer] }

var _ writer.GzipWriterExt = (*gzipWriter)(nil)

// SetHeader replaces the header, before the first Write. After Close it does nothing.
func (w *gzipWriter) SetHeader(h writer.Header) {
	if w.pool != nil { // otherwise the compressor may have another user
		w.compressor.Header = gzip.Header(h)
	}
}
