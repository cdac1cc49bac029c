package uploads

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// The needs are the most memory that a way has at one time. docs/limits.md explains them.

// exact is the need of a slice of n bytes: size classes are at most a quarter larger than a request, from 64 bytes on.
func exact(n int64) int64 { return n + n/4 + 64 }

// sized is the need of ReadAllSize: it believes 128 KiB at first, and then 32 times the bytes that have arrived.
func sized(n int64) int64 {
	if n <= 4<<20 {
		return exact(n) + 128<<10
	}
	return exact(n) + n + 128<<10
}

// grown is the need of a Buffer of unknown length, which doubles: the new array, and the old one during the copy.
func grown(n int64) int64 { return 3*n + 64<<10 }

// chunked is the need of ReadAll with an unknown length: chunks that double, all of which stay until the end.
func chunked(n int64) int64 { return 4*n + 64<<10 }

var ways = []way{
	{"TryGet", raw, exact, func(s *server, r *http.Request, pool *basin.BytePool) error {
		data, ok := pool.TryGet(int(r.ContentLength))
		if !ok {
			return fmt.Errorf("%d bytes: %w", r.ContentLength, basin.ErrLimit)
		}
		defer pool.Put(data)
		if _, err := io.ReadFull(r.Body, data); err != nil {
			return err
		}
		return check(r, data, s.Size)
	}, plainSlice},
	{"ReadAll", raw, chunked, func(s *server, r *http.Request, pool *basin.BytePool) error {
		data, err := pool.ReadAll(r.Body)
		if err != nil {
			return err
		}
		defer pool.Put(data)
		return check(r, data, s.Size)
	}, func(s *server, r *http.Request) error {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return check(r, data, s.Size)
	}},
	{"ReadAllSize", raw, sized, func(s *server, r *http.Request, pool *basin.BytePool) error {
		data, err := pool.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			return err
		}
		defer pool.Put(data)
		return check(r, data, s.Size)
	}, plainSlice},
	{"Buffer", raw, grown, func(s *server, r *http.Request, pool *basin.BytePool) error {
		b := pool.NewBuffer()
		defer b.Free()
		if _, err := b.ReadFrom(r.Body); err != nil {
			return err
		}
		return check(r, b.Bytes(), s.Size)
	}, plainBuffer},
	{"GetBuffer", raw, grown, func(s *server, r *http.Request, _ *basin.BytePool) error {
		b := basin.GetBuffer()
		defer basin.PutBuffer(b)
		if _, err := b.ReadFrom(r.Body); err != nil {
			return err
		}
		return check(r, b.Bytes(), s.Size)
	}, plainBuffer},
	{"gzip", gzipped, grown, func(s *server, r *http.Request, pool *basin.BytePool) error {
		z := readers.Get()
		defer readers.Put(z)
		if err := z.Reset(r.Body); err != nil {
			return err
		}
		b := pool.NewBuffer()
		defer b.Free()
		if _, err := b.ReadFrom(z); err != nil {
			return err
		}
		return check(r, b.Bytes(), s.Size)
	}, func(s *server, r *http.Request) error {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(z)
		if err != nil {
			return err
		}
		return check(r, data, s.Size)
	}},
	{"multipart", inParts, chunked, func(s *server, r *http.Request, pool *basin.BytePool) error {
		return eachPart(r, func(file io.Reader) error {
			data, err := pool.ReadAll(file)
			if err != nil {
				return err
			}
			defer pool.Put(data)
			return check(r, data, s.Size)
		})
	}, func(s *server, r *http.Request) error {
		return eachPart(r, func(file io.Reader) error {
			data, err := io.ReadAll(file)
			if err != nil {
				return err
			}
			return check(r, data, s.Size)
		})
	}},
	{"JSON", inJSON, func(n int64) int64 { return sized(n) + jsonHeap(n) }, func(s *server, r *http.Request, pool *basin.BytePool) error {
		data, err := pool.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			return err
		}
		defer pool.Put(data)
		done, err := s.decoded(r, jsonHeap(s.Size))
		if err != nil {
			return err
		}
		defer done()
		return checkJSON(r, data, s.Size)
	}, func(s *server, r *http.Request) error {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return checkJSON(r, data, s.Size)
	}},
}

// jsonHeap returns the memory that decoding n bytes of JSON takes on the heap, garbage included: the strings, and
// the slice of them, which grows.
func jsonHeap(n int64) int64 { return n + n/2 }

func plainSlice(s *server, r *http.Request) error {
	data := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, data); err != nil {
		return err
	}
	return check(r, data, s.Size)
}

func plainBuffer(s *server, r *http.Request) error {
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		return err
	}
	return check(r, b.Bytes(), s.Size)
}

var readers = basin.Pool[*gzip.Reader]{Name: "gzip readers", New: func() *gzip.Reader { return new(gzip.Reader) }}

// eachPart calls read with each file of a form.
func eachPart(r *http.Request, read func(file io.Reader) error) error {
	form, err := r.MultipartReader()
	if err != nil {
		return err
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if part.FileName() == "" {
			continue
		}
		if err := read(part); err != nil {
			return err
		}
	}
}
