package dev

import (
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
)

// nytimes/gziphandler#6: the writer is closed after it has been put.
var gzipWriterPool = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

type gzipResponseWriter struct {
	gw *gzip.Writer
	http.ResponseWriter
}

func (w gzipResponseWriter) Write(b []byte) (int, error) { return w.gw.Write(b) }

func BugGzipHandler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			gzw := gzipWriterPool.Get().(*gzip.Writer)
			gzw.Reset(w)
			defer gzw.Close() // BUG
			w.Header().Set("Content-Encoding", "gzip")
			h.ServeHTTP(gzipResponseWriter{gzw, w}, r)
			gzipWriterPool.Put(gzw)
		} else {
			h.ServeHTTP(w, r)
		}
	})
}

func fixedGzipHandler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			gzw := gzipWriterPool.Get().(*gzip.Writer)
			gzw.Reset(w)
			defer gzipWriterPool.Put(gzw)
			defer gzw.Close()
			h.ServeHTTP(gzipResponseWriter{gzw, w}, r)
		} else {
			h.ServeHTTP(w, r)
		}
	})
}
