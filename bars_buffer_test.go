package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/basin-go/basin"
)

// BenchmarkBarsBuffer compares Buffer with bytes.Buffer.
func BenchmarkBarsBuffer(b *testing.B) {
	eight := []byte("12345678")
	b.Run("WriteByte 64 times", func(b *testing.B) {
		var ours basin.Buffer
		var theirs bytes.Buffer
		compare(b, 1, func(_, n int) {
			for range n {
				ours.Reset()
				for i := range 64 {
					ours.WriteByte(byte(i))
				}
			}
		}, func(_, n int) {
			for range n {
				theirs.Reset()
				for i := range 64 {
					theirs.WriteByte(byte(i))
				}
			}
		})
	})
	b.Run("Write of 8 bytes", func(b *testing.B) {
		var ours basin.Buffer
		var theirs bytes.Buffer
		compare(b, 1, func(_, n int) {
			for range n {
				ours.Reset()
				for range 64 {
					ours.Write(eight)
				}
			}
		}, func(_, n int) {
			for range n {
				theirs.Reset()
				for range 64 {
					theirs.Write(eight)
				}
			}
		})
	})
	b.Run("WriteString of 8 bytes", func(b *testing.B) {
		var ours basin.Buffer
		var theirs bytes.Buffer
		compare(b, 1, func(_, n int) {
			for range n {
				ours.Reset()
				for range 64 {
					ours.WriteString("12345678")
				}
			}
		}, func(_, n int) {
			for range n {
				theirs.Reset()
				for range 64 {
					theirs.WriteString("12345678")
				}
			}
		})
	})
}

func BenchmarkBarsSmall(b *testing.B) {
	for _, n := range []int{0, 5, 64} {
		p := make([]byte, n)
		b.Run(fmt.Sprintf("NewSmallBuffer, Write of %d, String", n), func(b *testing.B) {
			compare(b, 1, func(_, n int) {
				for range n {
					ours := basin.NewSmallBuffer()
					ours.Write(p)
					lastString = ours.String()
				}
			}, func(_, n int) {
				for range n {
					var theirs bytes.Buffer
					theirs.Write(p)
					lastString = theirs.String()
				}
			})
		})
	}
}

var lastString string

func BenchmarkBarsMega(b *testing.B) {
	kilo := make([]byte, 1024)
	b.Run("build", func(b *testing.B) {
		compare(b, 1, func(_, n int) {
			for range n {
				var ours basin.Buffer
				for range 1024 {
					ours.Write(kilo)
				}
				ours.Free()
			}
		}, func(_, n int) {
			for range n {
				var theirs bytes.Buffer
				for range 1024 {
					theirs.Write(kilo)
				}
			}
		})
	})
	mega := make([]byte, 1<<20)
	b.Run("ReadAll", func(b *testing.B) {
		compare(b, 1, func(_, n int) {
			for range n {
				data, _ := basin.ReadAll(bytes.NewReader(mega))
				basin.Put(data)
			}
		}, func(_, n int) {
			for range n {
				io.ReadAll(bytes.NewReader(mega))
			}
		})
	})
}

func BenchmarkBarsHandles(b *testing.B) {
	hundred := make([]byte, 100)
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	b.Run("sync.Pool of bytes.Buffer", func(b *testing.B) {
		compare(b, 1, func(_, n int) {
			for range n {
				h := basin.GetBuffer()
				h.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(_, n int) {
			for range n {
				h := pool.Get().(*bytes.Buffer)
				h.Write(hundred)
				h.Reset()
				pool.Put(h)
			}
		})
	})
	b.Run("sync.Pool of bytes.Buffer, as io.Writer", func(b *testing.B) {
		compare(b, 1, func(_, n int) {
			for range n {
				h := basin.GetBuffer()
				lastWriter = h
				lastWriter.Write(hundred)
				basin.PutBuffer(h)
			}
		}, func(_, n int) {
			for range n {
				h := pool.Get().(*bytes.Buffer)
				lastWriter = h
				lastWriter.Write(hundred)
				h.Reset()
				pool.Put(h)
			}
		})
	})
}

var lastWriter io.Writer
