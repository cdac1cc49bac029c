// Package reverseproxy copies bodies with recycled buffers.
package reverseproxy

import (
	"net/http/httputil"
	"net/url"

	"github.com/basin-go/basin"
)

var bodies = basin.BytePool{Name: "proxied bodies", MaxIdle: 32 << 20}

// New returns a proxy to target. All proxies share one pool.
func New(target *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		// net/http copies with 32 KiB when it is left alone.
		BufferPool: bodies.Sized(32 << 10),
	}
}
