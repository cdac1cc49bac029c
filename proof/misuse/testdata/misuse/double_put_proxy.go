//go:build go1.25

package misuse

import (
	"io"
	"net/http/httputil"
	"strings"

	"github.com/basin-go/basin"
)

// relay copies with a buffer of the pool that a reverse proxy has.
func relayBug(pool httputil.BufferPool) {
	b := pool.Get()
	defer pool.Put(b)
	if _, err := io.CopyBuffer(io.Discard, onlyReader{strings.NewReader("x")}, b); err == nil {
		pool.Put(b) // it is done with
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
