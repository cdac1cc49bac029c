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

type record struct {
	body [11]int64
	name string
	data []byte
}

var _ [0]struct{} = [unsafe.Sizeof(record{}) - 128]struct{}{} // 128 bytes

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
		records := basin.NewPool(func() record { return record{} })
		perP(b, func(b *testing.B, workers int) {
			compare(b, workers, func(_, n int) {
				for range n {
					records.Put(records.Get())
				}
			}, useRaw)
		})
	})
}
