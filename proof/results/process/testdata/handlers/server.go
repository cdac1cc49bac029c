//go:build go1.25

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/gorilla/handlers"
)

// The server is an API that compresses its answers, lists of 3 to 300 items.
func serve(l net.Listener) error {
	type item struct {
		ID          int
		Name, State string
		Tags        []string
	}
	var items []item
	for i := range 300 {
		items = append(items, item{i, fmt.Sprintf("item number %d", i*i), "active", []string{"a", "b", fmt.Sprint(i % 9)}})
	}
	return http.Serve(l, handlers.CompressHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || n > len(items) {
			http.Error(w, "bad limit", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(items[:n])
	})))
}

func connect(addr string) (request, error) {
	gzip := "Accept-Encoding: gzip"
	return overHTTP(addr, get("/items?limit=3", gzip), get("/items?limit=60", gzip), get("/items?limit=300", gzip))
}
