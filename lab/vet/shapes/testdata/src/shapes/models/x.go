// The pools of other packages, each misused once.
package models

import (
	"bytes"
	"sync"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/gin-gonic/gin"
	pool "github.com/libp2p/go-buffer-pool"
	"github.com/oxtoacart/bpool"
	"github.com/rs/zerolog"
	"github.com/valyala/bytebufferpool"
	"github.com/valyala/fasthttp"
	"google.golang.org/grpc/mem"
)

func BugGin(c *gin.Context) {
	go func() { // ALSO
		_ = c.Param("id") // BUG
	}()
}

func BugRequestCtx(ctx *fasthttp.RequestCtx, out chan<- []byte) {
	go func() { // ALSO
		out <- ctx.PostBody() // BUG
	}()
}

func BugMcache(n int) {
	b := mcache.Malloc(n)
	defer mcache.Free(b) // BUG
	if n > 8 {
		mcache.Free(b) // ALSO
	}
}

func BugLibp2p(n int) byte {
	b := pool.Get(n)
	pool.Put(b)
	return b[0] // BUG
}

func BugBytePool(p *bpool.BytePool) []byte {
	b := p.Get()
	defer p.Put(b)
	return b[:4] // BUG
}

func BugByteBuffer(s string) []byte {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	b.WriteString(s)
	return b.Bytes() // BUG
}

func BugByteBufferField(s string) []byte {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	b.WriteString(s)
	return b.B // BUG
}

func BugFreedTwice(b mem.Buffer) {
	b.Free()
	b.Free() // BUG
}

func BugRequest(url string) string {
	req := fasthttp.AcquireRequest()
	req.SetRequestURI(url)
	uri := req.URI()
	fasthttp.ReleaseRequest(req)
	return string(uri.Path()) // BUG
}

func BugEvent(log zerolog.Logger) *zerolog.Event {
	e := log.Info()
	e.Msg("x")
	return e // BUG
}

func LegalGin(c *gin.Context, done chan<- string) {
	id := c.Param("id")
	d := c.Copy()
	go func() { done <- id + d.Param("id") }()
}

func LegalGinSync(c *gin.Context) {
	done := make(chan string)
	go func() { done <- c.Param("id") }()
	c.String(200, <-done)
}

func LegalRequestCtx(ctx *fasthttp.RequestCtx, out chan<- []byte) {
	body := bytes.Clone(ctx.PostBody())
	go func() { out <- body }()
}

func LegalMcache(n int) {
	b := mcache.Malloc(n)
	if n > 8 {
		mcache.Free(b)
		return
	}
	defer mcache.Free(b)
}

func LegalByteBuffer(s string, dst []byte) []byte {
	b := bytebufferpool.Get()
	defer bytebufferpool.Put(b)
	b.WriteString(s)
	return append(dst, b.B...)
}

func LegalByteBufferTaken(s string) []byte {
	b := bytebufferpool.Get()
	b.WriteString(s)
	out := b.B
	b.B = nil
	bytebufferpool.Put(b)
	return out
}

func LegalFreedTwice(b mem.Buffer) {
	b.Ref()
	b.Free()
	b.Free()
}

func LegalBytePool(p *bpool.BytePool, dst []byte) int {
	b := p.Get()
	defer p.Put(b)
	return copy(dst, b[:4])
}

func LegalEvent(log zerolog.Logger) *zerolog.Event {
	e := log.Info()
	return e.Str("k", "v")
}

var contexts sync.Pool

// The framework puts it when the handler returns.
func BugHandled(c *gin.Context) {
	_ = c.Param("id")
	contexts.Put(c) // BUG
}

func LegalReleaseContext(c *gin.Context) {
	contexts.Put(c)
}
