package work

import (
	"bytes"
	"io"
	"sync"

	"github.com/basin-go/basin"
	"github.com/valyala/bytebufferpool"
)

var (
	eight   = []byte("12345678")
	hundred = make([]byte, 100)
	kilo    = make([]byte, 1<<10)
	mega    = make([]byte, 1<<20)

	lastWriter io.Writer
)

// LastString keeps the compiler from removing strings.
var LastString string

var stdLoops = map[string]func() Loop{
	"writebyte":         stdWriteByte,
	"write8":            stdWrite8,
	"writestring8":      stdWriteString8,
	"smallbuffer":       stdSmallBuffer,
	"smallbuffer-empty": stdSmallBufferEmpty,
	"build-1MiB":        stdBuild,
	"readall-1MiB":      stdReadAll,
}

func basinWriteByte() Loop {
	var b basin.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for i := range 64 {
				b.WriteByte(byte(i))
			}
		}
	})
}

func stdWriteByte() Loop {
	var b bytes.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for i := range 64 {
				b.WriteByte(byte(i))
			}
		}
	})
}

func basinWrite8() Loop {
	var b basin.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for range 64 {
				b.Write(eight)
			}
		}
	})
}

func stdWrite8() Loop {
	var b bytes.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for range 64 {
				b.Write(eight)
			}
		}
	})
}

func basinWriteString8() Loop {
	var b basin.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for range 64 {
				b.WriteString("12345678")
			}
		}
	})
}

func stdWriteString8() Loop {
	var b bytes.Buffer
	return loopOf(func(n int) {
		for range n {
			b.Reset()
			for range 64 {
				b.WriteString("12345678")
			}
		}
	})
}

var smallSizes = []int{0, 5, 64}

func basinSmallBuffer() Loop {
	return loopOf(func(n int) {
		for range n {
			for _, size := range smallSizes {
				b := basin.NewSmallBuffer()
				b.Write(hundred[:size])
				LastString = b.String()
			}
		}
	})
}

func stdSmallBuffer() Loop {
	return loopOf(func(n int) {
		for range n {
			for _, size := range smallSizes {
				var b bytes.Buffer
				b.Write(hundred[:size])
				LastString = b.String()
			}
		}
	})
}

func basinSmallBufferEmpty() Loop {
	return loopOf(func(n int) {
		for range n {
			b := basin.NewSmallBuffer()
			b.Write(hundred[:0])
			LastString = b.String()
		}
	})
}

func stdSmallBufferEmpty() Loop {
	return loopOf(func(n int) {
		for range n {
			var b bytes.Buffer
			b.Write(hundred[:0])
			LastString = b.String()
		}
	})
}

func basinBuild() Loop {
	return loopOf(func(n int) {
		for range n {
			var b basin.Buffer
			for range 1 << 10 {
				b.Write(kilo)
			}
			b.Free()
		}
	})
}

func stdBuild() Loop {
	return loopOf(func(n int) {
		for range n {
			var b bytes.Buffer
			for range 1 << 10 {
				b.Write(kilo)
			}
		}
	})
}

func basinReadAll() Loop {
	var r bytes.Reader
	plain := struct{ io.Reader }{&r}
	return loopOf(func(n int) {
		for range n {
			r.Reset(mega)
			data, err := basin.ReadAll(&plain)
			if err != nil {
				panic(err)
			}
			basin.Put(data)
		}
	})
}

func stdReadAll() Loop {
	var r bytes.Reader
	plain := struct{ io.Reader }{&r}
	return loopOf(func(n int) {
		for range n {
			r.Reset(mega)
			if _, err := io.ReadAll(&plain); err != nil {
				panic(err)
			}
		}
	})
}

func basinHandle() Loop {
	return loopOf(func(n int) {
		for range n {
			b := basin.GetBuffer()
			b.Write(hundred)
			basin.PutBuffer(b)
		}
	})
}

func basinHandleWriter() Loop {
	return loopOf(func(n int) {
		for range n {
			b := basin.GetBuffer()
			lastWriter = b
			lastWriter.Write(hundred)
			basin.PutBuffer(b)
		}
	})
}

var byteBuffersLoops = map[string]func() Loop{
	"handle": func() Loop {
		return loopOf(func(n int) {
			for range n {
				b := bytebufferpool.Get()
				b.Write(hundred)
				bytebufferpool.Put(b)
			}
		})
	},
	"handle-writer": func() Loop {
		return loopOf(func(n int) {
			for range n {
				b := bytebufferpool.Get()
				lastWriter = b
				lastWriter.Write(hundred)
				bytebufferpool.Put(b)
			}
		})
	},
}

var syncPointerLoops = map[string]func() Loop{
	"handle": func() Loop {
		p := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		return loopOf(func(n int) {
			for range n {
				b := p.Get().(*bytes.Buffer)
				b.Write(hundred)
				b.Reset()
				p.Put(b)
			}
		})
	},
	"handle-writer": func() Loop {
		p := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		return loopOf(func(n int) {
			for range n {
				b := p.Get().(*bytes.Buffer)
				lastWriter = b
				lastWriter.Write(hundred)
				b.Reset()
				p.Put(b)
			}
		})
	},
}
