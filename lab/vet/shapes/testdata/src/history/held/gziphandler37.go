package held

import (
	"compress/gzip"
	"net/http"
	"sync"
)

// nytimes/gziphandler#37: a second Close puts the writer again.
var gzPools [10]*sync.Pool

type grw struct {
	http.ResponseWriter
	index int
	gw    *gzip.Writer
	buf   []byte
}

func (w *grw) startGzip() {
	w.Header().Set("Content-Encoding", "gzip")
	gzw := gzPools[w.index].Get().(*gzip.Writer)
	gzw.Reset(w.ResponseWriter)
	w.gw = gzw
}

func (w *grw) Close() error {
	if w.gw == nil {
		return nil
	}
	err := w.gw.Close()
	gzPools[w.index].Put(w.gw)
	return err
}

func BugServe37(rw http.ResponseWriter, r *http.Request, h http.Handler) {
	w := &grw{ResponseWriter: rw, index: 3}
	w.startGzip()
	defer w.Close()
	h.ServeHTTP(w, r)
	if r.Method == http.MethodHead {
		w.Close() // BUG
		rw.WriteHeader(http.StatusNoContent)
	}
}
