//go:build go1.25

package main

import (
	"io"
	"net"
	"net/http"

	"github.com/gosimple/slug"
)

// The server makes slugs of titles.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, slug.Make(r.URL.Query().Get("title")))
	}))
}

func connect(addr string) (func() (int, error), error) {
	return overHTTP(addr, get("/?title=Hello%20W%C3%B6rld,%20this%20is%20%E2%80%9Cthe%20title%E2%80%9D%20of%20an%20article%20%26%20more"))
}
