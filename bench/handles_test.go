package bench

import (
	"io"
	"testing"

	"github.com/basin-go/basin"
	"github.com/valyala/bytebufferpool"
)

var lastWriter io.Writer

func BenchmarkBarsHandles(b *testing.B) {
	hundred := make([]byte, 100)
	b.Run("bytebufferpool", func(b *testing.B) {
		compare(b, func(n int) {
			for range n {
				h := basin.GetBuffer()
				h.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(n int) {
			for range n {
				h := bytebufferpool.Get()
				h.Write(hundred)
				bytebufferpool.Put(h)
			}
		})
	})
	b.Run("bytebufferpool, as io.Writer", func(b *testing.B) {
		compare(b, func(n int) {
			for range n {
				h := basin.GetBuffer()
				lastWriter = h
				lastWriter.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(n int) {
			for range n {
				h := bytebufferpool.Get()
				lastWriter = h
				lastWriter.Write(hundred)
				bytebufferpool.Put(h)
			}
		})
	})
}
