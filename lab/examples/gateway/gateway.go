// Package gateway accepts uploads into memory that has a limit.
package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/basin-go/basin"
)

// A Gateway hands uploads to Store, in memory of Pool. The pool's MaxInUse is the most
// that all uploads together take.
type Gateway struct {
	Pool  *basin.BytePool
	Wait  time.Duration // the longest that a request waits for room
	Store func(ctx context.Context, upload []byte) error
}

func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength < 0 {
		// Without a length, each upload would have to wait for the room of the largest.
		http.Error(w, "say how long it is", http.StatusLengthRequired)
		return
	}
	waiting, cancel := context.WithTimeout(r.Context(), g.Wait)
	defer cancel()
	body, err := g.Pool.GetContext(waiting, int(r.ContentLength))
	switch {
	case errors.Is(err, basin.ErrLimit):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many uploads at once", http.StatusServiceUnavailable)
		return
	}
	defer g.Pool.Put(body)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := g.Store(r.Context(), body); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
