//go:build go1.25

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/vulcand/oxy/v2/forward"
)

var buffers httputil.BufferPool // none, or basin's

// The server is a proxy for answers of 500 bytes to 40 KB. Its backend is in the process that loads it, and a header of the request has its address.
func serve(l net.Listener) error {
	fwd := forward.New(false)
	fwd.BufferPool = buffers
	fwd.Transport = &http.Transport{MaxIdleConnsPerHost: 100}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL = &url.URL{Scheme: "http", Host: r.Header.Get("Backend"), Path: r.URL.Path}
		r.RequestURI = r.URL.String()
		fwd.ServeHTTP(w, r)
	}))
}

func connect(addr string) (request, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	var text []byte
	for i := range 2000 {
		text = fmt.Appendf(text, "line %d of an answer\n", i)
	}
	sizes := map[string]int{"/small": 500, "/medium": 2000, "/large": len(text)}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(text[:sizes[r.URL.Path]]) }))
	backend := "Backend: " + l.Addr().String()
	return overHTTP(addr, get("/small", backend), get("/medium", backend), get("/large", backend))
}
