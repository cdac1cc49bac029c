//go:build go1.25

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/gorilla/handlers"
)

// The server is an API whose answers, of some KB, are compressed.
func serve(l net.Listener) error {
	type item struct {
		ID          int
		Name, State string
		Tags        []string
	}
	var items []item
	for i := range 60 {
		items = append(items, item{i, fmt.Sprintf("item number %d", i*i), "active", []string{"a", "b", fmt.Sprint(i % 9)}})
	}
	return http.Serve(l, handlers.CompressHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(items)
	})))
}

func connect(addr string) (func() (int, error), error) {
	return overHTTP(addr, get("/items", "Accept-Encoding: gzip"))
}
