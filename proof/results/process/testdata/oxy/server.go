//go:build go1.25

package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/vulcand/oxy/v2/forward"
)

var buffers httputil.BufferPool // none, or basin's

// The server is a proxy. Its backend is in the process that loads it, and a header of the request has its address.
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

func connect(addr string) (func() (int, error), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	answer := bytes.Repeat([]byte("line of an answer\n"), 100)
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(answer) }))
	return overHTTP(addr, get("/", "Backend: "+l.Addr().String()))
}
