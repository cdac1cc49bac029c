//go:build go1.25

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sort"

	"github.com/lithammer/fuzzysearch/fuzzy"
)

// The server searches the names of 2,000 files.
func serve(l net.Listener) error {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("src/module%d/package%d/file_number_%d.go", i%7, i%31, i))
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ranks := fuzzy.RankFindFold(r.URL.Query().Get("q"), names)
		sort.Sort(ranks)
		json.NewEncoder(w).Encode(ranks[:min(10, len(ranks))])
	}))
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/?q=pack7go"), get("/?q=m3p1number19"), get("/?q=pack7go"))
}
