//go:build go1.25

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/agnivade/levenshtein"
)

// The server answers with the most similar of 200 titles.
func serve(l net.Listener) error {
	var titles []string
	for i := range 200 {
		titles = append(titles, fmt.Sprintf("Anträge, Nummer %d, über die Änderung der Satzung Nummer %d des Vereins", i, i*i))
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("q")
		best, least := "", 1<<30
		for _, t := range titles {
			if d := levenshtein.ComputeDistance(q, t); d < least {
				best, least = t, d
			}
		}
		io.WriteString(w, best)
	}))
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/?q=Antraege%20Nummer%20120%20%C3%BCber%20Aenderungen%20der%20Satzung%20Nr.%2014400"))
}
