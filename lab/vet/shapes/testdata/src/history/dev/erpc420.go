package dev

import (
	"compress/gzip"
	"io"
	"sync"
)

// erpc/erpc#420: closing the reader twice puts it twice.
type gzipReaderPool struct{ pool sync.Pool }

type pooledGzipReader struct {
	zr   *gzip.Reader
	pool *gzipReaderPool
}

func (p *gzipReaderPool) get(r io.Reader) (*pooledGzipReader, error) {
	if v := p.pool.Get(); v != nil {
		zr := v.(*gzip.Reader)
		if err := zr.Reset(r); err != nil {
			p.pool.Put(zr)
			return nil, err
		}
		return &pooledGzipReader{zr, p}, nil
	}
	zr, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return &pooledGzipReader{zr, p}, nil
}

func (r *pooledGzipReader) Read(b []byte) (int, error) { return r.zr.Read(b) }

func (r *pooledGzipReader) Close() error {
	err := r.zr.Close()
	r.pool.pool.Put(r.zr)
	return err
}

func (p *gzipReaderPool) BugReadAll420(body io.Reader, limit int64) ([]byte, error) {
	r, err := p.get(body)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) == limit {
		r.Close() // BUG
		return nil, io.ErrShortBuffer
	}
	return data, nil
}
