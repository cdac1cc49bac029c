//go:build go1.25

package misuse

import (
	"io"
	"net/http/httputil"
	"strings"

	"github.com/basin-go/basin"
)

// relay copies with a buffer from the pool of a reverse proxy.
func relayBug(pool httputil.BufferPool) {
	b := pool.Get()
	defer pool.Put(b)
	if _, err := io.CopyBuffer(io.Discard, onlyReader{strings.NewReader("x")}, b); err == nil {
		pool.Put(b) // b is no longer needed
	}
} // want: double Put

func relayFixed(pool httputil.BufferPool) {
	b := pool.Get()
	defer pool.Put(b)
	io.CopyBuffer(io.Discard, onlyReader{strings.NewReader("x")}, b)
}

type onlyReader struct{ io.Reader }

func init() {
	sized := basin.Default().Sized(32 << 10)
	add("double_put_proxy", func() { relayBug(sized) }, func() { relayFixed(sized) })
}
