//go:build go1.25

package basin

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/learn"
)

// ReadAll reads from r until io.EOF and returns the data, which may be put back. It takes memory as
// the data arrives. The capacity of the slice is one that [BytePool.Get] may return for the length
// of the data, or up to four times that length. Under a limit, it exceeds the size class of that length only if there is no room
// for a copy. Some readers tell their length: a
// regular file, [Buffer], [bytes.Buffer], [bytes.Reader] or [strings.Reader], and an
// [io.LimitedReader] of one of these. From them, ReadAll reads like [BytePool.ReadAllSize]. If you
// know the length of another reader, call that method yourself. To keep the data for long, keep a
// [bytes.Clone] of it, and put the data itself.
//
// If r returns another error, ReadAll returns that error and no data. If r returns neither data nor
// an error a hundred times in a row, ReadAll returns [io.ErrNoProgress]. If r returns a count that
// is negative or larger than requested, ReadAll panics, as [bytes.Buffer.ReadFrom] does. If there is no room
// under a limit, ReadAll returns an error that wraps [ErrLimit]. In each of these cases, the memory goes back to
// the pool.
func (p *BytePool) ReadAll(r io.Reader) (data []byte, err error) {
	return p.ReadAllSize(r, lengthOf(r))
}

// lengthOf returns the number of bytes that r claims to have, or -1 if it makes no claim. It asks
// known types only: methods of other types may have the same names and another meaning.
func lengthOf(r io.Reader) int64 {
	switch r := r.(type) {
	case *bytes.Reader:
		return int64(r.Len())
	case *bytes.Buffer:
		return int64(r.Len())
	case *strings.Reader:
		return int64(r.Len())
	case *Buffer:
		return int64(r.Len())
	case *io.LimitedReader:
		if n := lengthOf(r.R); n >= 0 {
			return max(0, min(n, r.N))
		}
	case fs.File:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return info.Size() // files made by the kernel have the size 0
		}
	}
	return -1
}

// ReadAllSize is [BytePool.ReadAll] for a reader that should have size bytes:
//
//	body, err := pool.ReadAllSize(resp.Body, resp.ContentLength)
//
// If the size is right and at most 128 KiB, ReadAllSize reads the data directly into the slice that
// it returns. It trusts a larger size only up to 128 KiB, or 32 times the bytes that have arrived:
// for a reader that promises a gigabyte and gives ten bytes, it takes a slice of 128 KiB. A view of a
// [Reservation] trusts a size that is reserved. A reader may give less or more than size. A
// negative size means that the length is unknown.
func (p *BytePool) ReadAllSize(r io.Reader, size int64) (data []byte, err error) {
	var few [8]chunk
	chunks := few[:0]
	total := 0
	defer func() {
		for _, c := range chunks { // after an error or a panic of r, too
			p.Put(c.array)
		}
	}()
	var free []byte
	for idle := 0; ; {
		if len(free) == 0 {
			c, err := p.chunkFor(total, size)
			if err != nil {
				return nil, err
			}
			chunks = append(chunks, c)
			free = c.array[total-c.at:]
		}
		n, err := r.Read(free)
		switch {
		case n < 0:
			panic(errNegativeRead)
		case n > len(free):
			panic(errLargeRead)
		}
		free = free[n:]
		total += n
		switch {
		case err == io.EOF:
			if size < 0 {
				pool, _ := p.lender()
				pool.reads.Observe(total)
			}
			var rest []chunk
			data, rest, err = p.join(chunks, total)
			chunks = rest
			return data, err
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == maxIdleReads {
				return nil, io.ErrNoProgress
			}
		}
	}
}

// A chunk is an array of the pool for a part of the data. The part begins at position from of the
// data and ends where the next chunk's part begins. The byte at position i of the data is at
// array[i-at]. Usually, at is zero: that leaves room for all earlier data, so that ReadAll can
// return the chunk itself. If the pool has no array large enough for that, or more data is
// unlikely, at equals from.
type chunk struct {
	array    []byte
	at, from int
}

const (
	maxFirstSize = 128 << 10 // limit of the first read, if the size is known
	maxReadStep  = 32        // limit of a chunk, as a multiple of the bytes that have arrived
)

// chunkFor returns the next chunk when arrived bytes have arrived. size is the argument of
// ReadAllSize.
func (p *BytePool) chunkFor(arrived int, size int64) (chunk, error) {
	credit := maxReadStep * int64(arrived)
	largest := p.classes().Largest()
	believed := min(size, max(credit, maxFirstSize))
	if _, from := p.lender(); from != nil && size > 0 && size <= from.Left() {
		if room, _ := p.charge(int(size)); room <= from.Left() {
			believed = size
		}
	}
	if believed > int64(arrived) {
		// An array that the pool does not keep must be the last.
		if believed <= int64(largest) || believed == size && size <= math.MaxInt {
			return p.newChunk(int(believed), 0, arrived)
		}
	}
	if size >= 0 && size == int64(arrived) {
		// Seeing io.EOF takes another read, which rarely finds data. Its chunk needs no room for
		// earlier data.
		return p.newChunk(learn.MinRead, arrived, arrived)
	}
	pool, _ := p.lender()
	want := pool.reads.Enough(arrived)
	if arrived == 0 {
		return p.newChunk(min(want, largest), 0, 0)
	}
	want = int(min(int64(want), credit))
	if want > largest || arrived >= largest {
		return p.newChunk(min(max(arrived, learn.MinRead), largest), arrived, arrived)
	}
	return p.newChunk(want, 0, arrived)
}

func (p *BytePool) newChunk(n, at, from int) (chunk, error) {
	b, err := p.getOr(n, engine.BestFit, want{})
	return chunk{b[:cap(b)], at, from}, err
}

// join returns the data of the chunks as one slice, and the chunks that are no longer needed. It
// copies no byte twice, and no byte that is already in its place.
func (p *BytePool) join(chunks []chunk, total int) (data []byte, rest []chunk, err error) {
	chosen := -1
	for i, c := range chunks {
		// The first chunk that is large enough is the smallest.
		if room := len(c.array); c.at == 0 && room >= total {
			if total > room/4 || p.fits(total, room) {
				chosen = i
				data = c.array[:total]
			}
			break
		}
	}
	if c := p.sizes.Class(total); chosen >= 0 && p.quota != nil && !c.None() && cap(data) > c.Size() {
		// Under a limit, the charge must not depend on earlier reads.
		if own, err := p.getOr(total, engine.OwnClass, want{quiet: true}); err == nil {
			chosen, data = -1, own
		}
	}
	if data == nil {
		if data, err = p.getOr(total, engine.BestFit, want{}); err != nil {
			return nil, chunks, err
		}
	}
	filled := chosen >= 0
	defer func() {
		if !filled { // a copy has faulted: see fill
			p.Put(data)
		}
	}()
	end := total
	for i := len(chunks) - 1; i >= 0; i-- {
		c := chunks[i]
		if i != chosen {
			copy(data[c.from:end], c.array[c.from-c.at:])
		}
		end = c.from
	}
	if chosen < 0 {
		filled = true
		return data, chunks, nil
	}
	if p.zero {
		clear(data[total:cap(data)]) // readers may use all of their buffer as scratch space
	}
	return data, append(chunks[:chosen], chunks[chosen+1:]...), nil
}

// fits reports whether Get may return a slice of the given capacity for n bytes.
func (p *BytePool) fits(n, capacity int) bool {
	c := p.classes().Class(n)
	return !c.None() && int64(capacity) <= mostFit(c.Size(), p.ready(p).maxFit)
}

const maxIdleReads = 100 // as in package bufio

var (
	errNegativeRead = errors.New("basin: reader returned negative count from Read")
	errLargeRead    = errors.New("basin: reader returned larger count from Read than it was asked for")
)

// Sized returns a view of p whose Get returns slices of length n. It implements
// [net/http/httputil.BufferPool], for a reverse proxy to copy with. The view keeps no slices
// itself: slices put into it serve all users of p.
func (p *BytePool) Sized(n int) interface {
	Get() []byte
	Put([]byte)
} {
	return &sizedPool{p, n}
}

type sizedPool struct {
	pool *BytePool
	size int
}

func (s *sizedPool) Get() []byte  { return s.pool.Get(s.size) }
func (s *sizedPool) Put(b []byte) { s.pool.Put(b) }
