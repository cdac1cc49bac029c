package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/lab/examples/gateway"
)

// upload returns the status that g answers an upload with.
func upload(g *gateway.Gateway, body string, length int64) int {
	r := httptest.NewRequest("PUT", "/", strings.NewReader(body))
	r.ContentLength = length
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w.Code
}

func TestUpload(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   string
		length int64
		store  error
		status int
	}{
		{"fits", "12345", 5, nil, http.StatusNoContent},
		{"empty", "", 0, nil, http.StatusNoContent},
		{"without a length", "12345", -1, nil, http.StatusLengthRequired},
		{"shorter than it says", "123", 5, nil, http.StatusBadRequest},
		{"larger than all there is", "12345", 1 << 20, nil, http.StatusRequestEntityTooLarge},
		{"the store fails", "12345", 5, errors.New("full"), http.StatusBadGateway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			basintest.Check(t)
			var stored string
			g := &gateway.Gateway{
				Pool:  &basin.BytePool{MaxInUse: 64 << 10},
				Wait:  time.Minute,
				Store: func(_ context.Context, b []byte) error { stored = string(b); return tt.store },
			}
			if status := upload(g, tt.body, tt.length); status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			if tt.status == http.StatusNoContent && stored != tt.body {
				t.Errorf("stored %q, want %q", stored, tt.body)
			}
			if n := g.Pool.Stats().Bytes.InUse; n != 0 {
				t.Errorf("%d bytes in use after the request", n)
			}
		})
	}
}

// TestOverload: requests beyond the ceiling are told to come back, and memory stays
// below the ceiling whatever they do.
func TestOverload(t *testing.T) {
	basintest.Check(t)
	const ceiling = 64 << 10
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	pool := &basin.BytePool{MaxInUse: ceiling}
	g := &gateway.Gateway{Pool: pool, Wait: time.Millisecond, Store: func(context.Context, []byte) error {
		entered <- struct{}{}
		<-leave
		return nil
	}}
	body := strings.Repeat("x", 30<<10)
	var uploads sync.WaitGroup
	for range 2 {
		uploads.Go(func() { upload(g, body, int64(len(body))) })
		<-entered
	}
	for range 10 {
		if status := upload(g, body, int64(len(body))); status != http.StatusServiceUnavailable {
			t.Errorf("status %d, want 503", status)
		}
		if n := pool.Stats().Bytes.InUse; n > ceiling {
			t.Errorf("%d bytes in use, of at most %d", n, ceiling)
		}
	}
	close(leave)
	uploads.Wait()
	if status := upload(&gateway.Gateway{Pool: pool, Wait: time.Minute, Store: func(_ context.Context, b []byte) error {
		_, err := io.Discard.Write(b)
		return err
	}}, body, int64(len(body))); status != http.StatusNoContent {
		t.Errorf("status %d after the others have left, want 204", status)
	}
}
