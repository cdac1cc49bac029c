package uploads

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// twice is the need of a request that does not know how much it will read: its memory grows, and while it grows,
// it has the old memory and the new.
func twice(n int64) int64 { return 2*n + 2<<20 }

// once is the need of a request that knows how much it will read. Size classes are at most a quarter above that.
func once(n int64) int64 { return n + n/4 + 1<<10 }

var ways = []way{
	{"ReadAll", raw, twice, func(s *server, r *http.Request, pool *basin.BytePool) error {
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
	{"ReadAllSize", raw, once, func(s *server, r *http.Request, pool *basin.BytePool) error {
		data, err := pool.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			return err
		}
		defer pool.Put(data)
		return check(r, data, s.Size)
	}, func(s *server, r *http.Request) error {
		data := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, data); err != nil {
			return err
		}
		return check(r, data, s.Size)
	}},
	{"Buffer", raw, twice, func(s *server, r *http.Request, pool *basin.BytePool) error {
		b := pool.NewBuffer()
		defer b.Free()
		if _, err := b.ReadFrom(r.Body); err != nil {
			return err
		}
		return check(r, b.Bytes(), s.Size)
	}, plainBuffer},
	{"GetBuffer", raw, twice, func(s *server, r *http.Request, _ *basin.BytePool) error {
		b := basin.GetBuffer()
		defer basin.PutBuffer(b)
		if _, err := b.ReadFrom(r.Body); err != nil {
			return err
		}
		return check(r, b.Bytes(), s.Size)
	}, plainBuffer},
	{"gzip", gzipped, twice, func(s *server, r *http.Request, pool *basin.BytePool) error {
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
	{"multipart", inParts, twice, func(s *server, r *http.Request, pool *basin.BytePool) error {
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
	{"JSON", inJSON, func(n int64) int64 { return once(n) + jsonHeap(n) }, func(s *server, r *http.Request, pool *basin.BytePool) error {
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
