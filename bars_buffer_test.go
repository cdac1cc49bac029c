package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
)

// The comparisons of Buffer and what belongs to it; see bars_test.go. Those with
// modules that are not of the standard library are in the module bench.

var (
	lastString string
	lastWriter io.Writer
)

func BenchmarkBarsBuffer(b *testing.B) {
	eight := []byte("12345678")
	b.Run("64 times WriteByte", func(b *testing.B) {
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
	b.Run("64 times Write of 8", func(b *testing.B) {
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
	b.Run("64 times WriteString of 8", func(b *testing.B) {
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

	for _, sizes := range [][]int{{0, 5, 64}, {0}, {5}, {64}} {
		b.Run(fmt.Sprint("NewSmallBuffer, Write, String/", sizes), func(b *testing.B) {
			text := make([]byte, 64)
			compare(b, 1, func(_, n int) {
				for range n {
					for _, size := range sizes {
						ours := basin.NewSmallBuffer()
						ours.Write(text[:size])
						lastString = ours.String()
					}
				}
			}, func(_, n int) {
				for range n {
					for _, size := range sizes {
						var theirs bytes.Buffer
						theirs.Write(text[:size])
						lastString = theirs.String()
					}
				}
			})
		})
	}

	// compare begins with a thousand operations; here they are as many writes.
	kilo := make([]byte, 1024)
	b.Run("1 MiB in 1 KiB writes", func(b *testing.B) {
		compare(b, 1, func(_, n int) {
			for range n / 1000 {
				var ours basin.Buffer
				for range 1024 {
					ours.Write(kilo)
				}
				ours.Free()
			}
		}, func(_, n int) {
			for range n / 1000 {
				var theirs bytes.Buffer
				for range 1024 {
					theirs.Write(kilo)
				}
			}
		})
	})
	mega := make([]byte, 1<<20)
	b.Run("ReadAll of 1 MiB", func(b *testing.B) {
		var r bytes.Reader
		plain := struct{ io.Reader }{&r}
		compare(b, 1, func(_, n int) {
			for range n / 1000 {
				r.Reset(mega)
				data, _ := basin.ReadAll(&plain)
				basin.Put(data)
			}
		}, func(_, n int) {
			for range n / 1000 {
				r.Reset(mega)
				io.ReadAll(&plain)
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

func BenchmarkBarsShared(b *testing.B) {
	s := basin.NewShared(nil)
	var n1 atomic.Int64
	compare(b, 1, func(_, n int) {
		for range n {
			s.Retain()
			s.Release()
		}
	}, func(_, n int) {
		for range n {
			n1.Add(1)
			n1.Add(-1)
		}
	})
}
