// Package basincompress bounds what github.com/klauspost/compress/gzhttp keeps for
// compressing responses, and shows it:
//
//	var writers basincompress.Writers
//
//	wrap, err := gzhttp.NewWrapper(
//		gzhttp.Implementation(writers.Gzip()),
//		gzhttp.ZstdImplementation(writers.Zstd()))
//
// A gzip.Writer or zstd.Encoder has some hundreds of KiB to a few MiB. The pools of
// gzhttp itself lose all in two garbage collections, and have no limit in between.
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

// DefaultMaxIdle is what Writers keep of each kind and level if they are not told otherwise.
const DefaultMaxIdle = 64

// Writers keeps idle writers, of each kind and level in a pool of its own. The pools are
// named "gzip level 6" and the like. The zero Writers is ready. Its fields must not be
// changed after its first use, and it must not be copied then. All methods may be called
// from many goroutines at once.
//
// What is idle has the window of the last response until the next overwrites it, but
// does not refer to the connection any more.
type Writers struct {
	// MaxIdle is how many writers of each kind and level are kept. Zero means
	// DefaultMaxIdle.
	MaxIdle int

	first sync.Once
	gzip  [gzip.BestCompression - gzip.StatelessCompression + 1]basin.Pool[*gzip.Writer]
	zstd  [zstd.SpeedBestCompression - zstd.SpeedFastest + 1]basin.Pool[*zstd.Encoder]
}

// Gzip returns what gzhttp.Implementation wants. Its levels are all of package gzip.
func (w *Writers) Gzip() writer.GzipWriterFactory {
	w.first.Do(w.begin)
	return writer.GzipWriterFactory{Levels: gzipLevels, New: func(dst io.Writer, level int) writer.GzipWriter {
		return &gzipWriter{open(&w.gzip[level-gzip.StatelessCompression], dst)}
	}}
}

// Zstd returns what gzhttp.ZstdImplementation wants. Its levels are all of package zstd. Its
// settings are those of gzhttp: no goroutines, little memory and windows of 128 KiB.
func (w *Writers) Zstd() writer.ZstdWriterFactory {
	w.first.Do(w.begin)
	return writer.ZstdWriterFactory{Levels: zstdLevels, New: func(dst io.Writer, level int) writer.ZstdWriter {
		return open(&w.zstd[level-int(zstd.SpeedFastest)], dst)
	}}
}

func gzipLevels() (min, max int) { return gzip.StatelessCompression, gzip.BestCompression }

func zstdLevels() (min, max int) { return int(zstd.SpeedFastest), int(zstd.SpeedBestCompression) }

func (w *Writers) begin() {
	if w.MaxIdle == 0 {
		w.MaxIdle = DefaultMaxIdle
	}
	for i := range w.gzip {
		level := i + gzip.StatelessCompression
		w.gzip[i] = newPool(fmt.Sprint("gzip level ", level), w.MaxIdle, func() (*gzip.Writer, error) {
			return gzip.NewWriterLevel(nil, level)
		})
	}
	for i := range w.zstd {
		level := zstd.SpeedFastest + zstd.EncoderLevel(i)
		w.zstd[i] = newPool("zstd level "+level.String(), w.MaxIdle, func() (*zstd.Encoder, error) {
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

func newPool[C compressor](name string, maxIdle int, make func() (C, error)) basin.Pool[C] {
	return basin.Pool[C]{
		Name:    name,
		MaxIdle: maxIdle,
		New: func() C {
			c, err := make()
			if err != nil {
				panic(err) // the level is one that there is
			}
			return c
		},
		Reset: func(c C) C {
			c.Reset(nil)
			return c
		},
	}
}

// A pooled is a compressor for one response.
type pooled[C compressor] struct {
	compressor C
	pool       *basin.Pool[C] // nil once it is closed
}

func open[C compressor](pool *basin.Pool[C], dst io.Writer) *pooled[C] {
	p := &pooled[C]{pool.Get(), pool}
	p.compressor.Reset(dst)
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

// Close puts the compressor back. Closing once more does nothing.
func (p *pooled[C]) Close() error {
	if p.pool == nil {
		return nil
	}
	err := p.compressor.Close()
	p.pool.Put(p.compressor)
	p.pool = nil
	return err
}

type gzipWriter struct{ *pooled[*gzip.Writer] }

var _ writer.GzipWriterExt = (*gzipWriter)(nil)

// SetHeader replaces the header, before the first Write. After Close it does nothing.
func (w *gzipWriter) SetHeader(h writer.Header) {
	if w.pool != nil { // or the compressor may be somebody else's
		w.compressor.Header = gzip.Header(h)
	}
}
