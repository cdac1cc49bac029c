package basin_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
)

// The bars of Pool, FixedPool and ceilings: see bars_test.go.

// twoPools is the technique of github.com/colega/zeropool: one sync.Pool for
// pointers to slices that are kept, one for pointers to spare headers.
type twoPools struct{ items, spare sync.Pool }

func (p *twoPools) get() []byte {
	h, _ := p.items.Get().(*[]byte)
	if h == nil {
		return make([]byte, 4096)
	}
	b := *h
	*h = nil
	p.spare.Put(h)
	return b
}

func (p *twoPools) put(b []byte) {
	h, _ := p.spare.Get().(*[]byte)
	if h == nil {
		h = new([]byte)
	}
	*h = b
	p.items.Put(h)
}

// block128 is 128 bytes where words have 64 bits.
type block128 struct {
	body [11]int64
	name string
	data []byte
}

func newRecord() block128 { return block128{body: [11]int64{1}, name: "r", data: make([]byte, 1)} }

// perP are the numbers of goroutines to compare with.
func perP(b *testing.B, f func(b *testing.B, workers int)) {
	b.Run("one goroutine", func(b *testing.B) { f(b, 1) })
	b.Run("one per P", func(b *testing.B) { f(b, runtime.GOMAXPROCS(0)) })
}

func BenchmarkBarsPool(b *testing.B) {
	raw := rawPool(4096)
	useRaw := func(_, n int) {
		for range n {
			raw.Put(raw.Get().(*byte))
		}
	}
	slices := basin.NewPool(func() []byte { return make([]byte, 4096) })
	useSlices := func(_, n int) {
		for range n {
			slices.Put(slices.Get())
		}
	}
	b.Run("slices to raw pointers", func(b *testing.B) {
		perP(b, func(b *testing.B, workers int) { compare(b, workers, useSlices, useRaw) })
	})
	b.Run("slices to two sync.Pools", func(b *testing.B) {
		var two twoPools
		perP(b, func(b *testing.B, workers int) {
			compare(b, workers, useSlices, func(_, n int) {
				for range n {
					two.put(two.get())
				}
			})
		})
	})
	b.Run("slices to fresh pointers", func(b *testing.B) {
		fresh := sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}
		perP(b, func(b *testing.B, workers int) {
			compare(b, workers, useSlices, func(_, n int) {
				for range n {
					b := *fresh.Get().(*[]byte)
					fresh.Put(&b)
				}
			})
		})
	})
	b.Run("pointers to raw pointers", func(b *testing.B) {
		pointers := basin.NewPool(func() *[4096]byte { return new([4096]byte) })
		perP(b, func(b *testing.B, workers int) {
			compare(b, workers, func(_, n int) {
				for range n {
					pointers.Put(pointers.Get())
				}
			}, useRaw)
		})
	})
	b.Run("128-byte structs to raw pointers", func(b *testing.B) {
		records := basin.NewPool(newRecord)
		perP(b, func(b *testing.B, workers int) {
			compare(b, workers, func(_, n int) {
				for range n {
					records.Put(records.Get())
				}
			}, useRaw)
		})
	})
}

// channelPool is a fixed pool as it is written with a buffered channel: that of
// github.com/oxtoacart/bpool.
type channelPool chan []byte

func newChannelPool(count, size int) channelPool {
	p := make(channelPool, count)
	for range count {
		p <- make([]byte, size)
	}
	return p
}

func (p channelPool) get() []byte {
	select {
	case b := <-p:
		return b
	default:
		return make([]byte, 4096)
	}
}

func (p channelPool) put(b []byte) {
	if cap(b) < 4096 {
		return
	}
	select {
	case p <- b[:4096]:
	default:
	}
}

func BenchmarkBarsFixedPool(b *testing.B) {
	perP(b, func(b *testing.B, workers int) {
		fixed := basin.NewFixedPool(64, 4096)
		channel := newChannelPool(64, 4096)
		compare(b, workers, func(_, n int) {
			for range n {
				fixed.Put(fixed.Get())
			}
		}, func(_, n int) {
			for range n {
				channel.put(channel.get())
			}
		})
	})
}

// BenchmarkBarsPoolHandOver gets on one goroutine and puts on another, with 64 in
// flight.
func BenchmarkBarsPoolHandOver(b *testing.B) {
	handOver := func(get func() []byte, put func([]byte)) subject {
		return func(_, n int) {
			c := make(chan []byte, 64)
			done := make(chan struct{})
			go func() {
				for b := range c {
					put(b)
				}
				close(done)
			}()
			for range n {
				c <- get()
			}
			close(c)
			<-done
		}
	}
	p := basin.NewPool(func() []byte { return make([]byte, 4096) })
	raw := rawPool(4096)
	ours := handOver(p.Get, p.Put)
	theirs := handOver(
		func() []byte { return unsafe.Slice(raw.Get().(*byte), 4096) },
		func(b []byte) { raw.Put(unsafe.SliceData(b)) })
	ours(0, 10000)
	before := p.Stats()
	compare(b, 1, ours, theirs)
	after := p.Stats()
	b.ReportMetric(float64(after.Misses-before.Misses)/float64(after.Gets-before.Gets), "misses/get")
}
