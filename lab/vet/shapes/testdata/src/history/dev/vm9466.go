package dev

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// VictoriaMetrics/VictoriaMetrics#9466: the buffer is put on the way of an error, and
// by the deferred call as well.
type chunkedBuffer struct{ chunks bytes.Buffer }

func (cb *chunkedBuffer) Reset() { cb.chunks.Reset() }

func (cb *chunkedBuffer) Write(p []byte) (int, error) { return cb.chunks.Write(p) }

var cbPool sync.Pool

func getCB() *chunkedBuffer {
	v := cbPool.Get()
	if v == nil {
		return &chunkedBuffer{}
	}
	return v.(*chunkedBuffer)
}

func putCB(cb *chunkedBuffer) {
	cb.Reset()
	cbPool.Put(cb)
}

type scrapeWork struct {
	maxScrapeSize int64
	read          func(dst io.Writer) (bool, error)
	process       func(cb *chunkedBuffer, failed bool) error
}

func (sw *scrapeWork) BugScrape(stream bool) error {
	cb := getCB()
	defer putCB(cb)
	isGzipped, err := sw.read(cb)
	if stream {
		err = sw.process(cb, err != nil)
		putCB(cb) // BUG
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot read (gzip %v): %w", isGzipped, err)
	}
	return sw.process(cb, false)
}

func (sw *scrapeWork) fixedScrape(stream bool) error {
	cb := getCB()
	isGzipped, err := sw.read(cb)
	if stream {
		err = sw.process(cb, err != nil)
		putCB(cb)
		return err
	}
	if err != nil {
		putCB(cb)
		return fmt.Errorf("cannot read (gzip %v): %w", isGzipped, err)
	}
	err = sw.process(cb, false)
	putCB(cb)
	return err
}

var _ http.Handler
