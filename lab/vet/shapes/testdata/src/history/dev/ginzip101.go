package dev

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// gin-contrib/gzip#101: the writer is reset after it has been put.
type gzipHandler struct {
	level int
	pool  sync.Pool
}

func newGzipHandler(level int) *gzipHandler {
	h := &gzipHandler{level: level}
	h.pool.New = func() any {
		gz, err := gzip.NewWriterLevel(io.Discard, level)
		if err != nil {
			panic(err)
		}
		return gz
	}
	return h
}

type ginWriter struct {
	http.ResponseWriter
	writer *gzip.Writer
	size   int
}

func (g *gzipHandler) BugHandle(w http.ResponseWriter, next func(http.ResponseWriter)) {
	gz := g.pool.Get().(*gzip.Writer)
	gz.Reset(w)
	w.Header().Set("Content-Encoding", "gzip")
	gw := &ginWriter{w, gz, 0}
	defer func() {
		if gw.size < 0 {
			gz.Reset(io.Discard)
		}
		gz.Close()
		w.Header().Set("Content-Length", fmt.Sprint(gw.size))
		g.pool.Put(gz)
		gz.Reset(io.Discard) // BUG
	}()
	next(gw)
}

func (g *gzipHandler) fixedHandle(w http.ResponseWriter, next func(http.ResponseWriter)) {
	gz := g.pool.Get().(*gzip.Writer)
	gz.Reset(w)
	gw := &ginWriter{w, gz, 0}
	defer func() {
		gz.Close()
		gz.Reset(io.Discard)
		g.pool.Put(gz)
	}()
	next(gw)
}
