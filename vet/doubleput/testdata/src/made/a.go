// Package made has structs that keep memory of a pool, made by one function and used by another.
package made

import (
	"compress/gzip"
	"errors"
	"io"
	"sync"
)

type readers struct{ pool sync.Pool }

func (p *readers) Get() *gzip.Reader { return p.pool.Get().(*gzip.Reader) }

func (p *readers) Put(z *gzip.Reader) {
	if z == nil {
		return
	}
	_ = z.Close()
	p.pool.Put(z)
}

func (p *readers) wrap(z *gzip.Reader) io.ReadCloser { return &body{z: z, pool: p} }

func (p *readers) legalWrap(z *gzip.Reader) io.ReadCloser { return &onceBody{z: z, pool: p} }

type body struct {
	z    *gzip.Reader
	pool *readers
}

func (b *body) Read(p []byte) (int, error) { return b.z.Read(p) }

func (b *body) Close() error {
	err := b.z.Close()
	b.pool.Put(b.z)
	return err
}

type onceBody struct {
	z    *gzip.Reader
	pool *readers
}

func (b *onceBody) Read(p []byte) (int, error) { return b.z.Read(p) }

func (b *onceBody) Close() error {
	if b.z == nil {
		return nil
	}
	err := b.z.Close()
	b.pool.Put(b.z)
	b.z = nil
	return err
}

func readAll(p *readers, src io.ReadCloser, zipped bool) ([]byte, error) {
	if zipped {
		src = p.wrap(p.Get())
	}
	defer src.Close()
	data, err := io.ReadAll(src)
	if err != nil {
		src.Close() // want `double Put: p.pool.Put\(z\) in Close puts src, and the deferred src.Close\(\) puts it once more`
		return nil, err
	}
	return data, nil
}

// A second Close puts nothing.
func legalReadAll(p *readers, src io.ReadCloser, zipped bool) ([]byte, error) {
	if zipped {
		src = p.legalWrap(p.Get())
	}
	defer src.Close()
	data, err := io.ReadAll(src)
	if err != nil {
		src.Close()
		return nil, err
	}
	return data, nil
}

// Only one of two calls is made.
func legalEither(p *readers, ok func() bool) {
	b := p.wrap(p.Get())
	if ok() {
		b.Close()
		return
	}
	b.Close()
}

// Another reader has taken its place.
func legalAnother(p *readers) {
	b := p.wrap(p.Get())
	b.Close()
	b = p.wrap(p.Get())
	b.Close()
}

type response struct{ b []byte }

var responses = sync.Pool{New: func() any { return new(response) }}

func acquire() *response { return responses.Get().(*response) }

func take() *response { return acquire() }

func release(r *response) {
	if r == nil {
		return
	}
	r.b = r.b[:0]
	responses.Put(r)
}

func parse(src io.Reader, r *response) error {
	b, err := io.ReadAll(src)
	if err != nil {
		release(r)
		return errors.Join(errors.New("parse"), err)
	}
	r.b = append(r.b, b...)
	return nil
}

func legalParse(src io.Reader, r *response) error {
	b, err := io.ReadAll(src)
	r.b = append(r.b, b...)
	return errors.Join(err, nil)
}

func do(src io.Reader) (*response, error) {
	r := take()
	if err := parse(src, r); err != nil {
		release(r) // want `double Put: responses.Put\(r\) in parse already put the memory`
		return nil, err
	}
	return r, nil
}

func legalDo(src io.Reader) (*response, error) {
	r := take()
	if err := legalParse(src, r); err != nil {
		release(r)
		return nil, err
	}
	return r, nil
}
