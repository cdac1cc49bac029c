package main

import (
	"bytes"
	"fmt"

	ours "github.com/basin-go/basin/compat/bytespool"
	oursbuffer "github.com/basin-go/basin/compat/bytespool/buffer"
	oursreader "github.com/basin-go/basin/compat/bytespool/readerpool"
	old "github.com/fufuok/bytespool"
	oldbuffer "github.com/fufuok/bytespool/buffer"
	oldreader "github.com/fufuok/bytespool/readerpool"
)

func newRelease(size int, get func(int) []byte, put func([]byte) bool) func(n int) {
	return func(n int) {
		for range n {
			put(get(size))
		}
	}
}

// pair adds a workload of one function of each module.
func pair[A, B any](name string, f func() A, g func() B) {
	add("bytespool: "+name, func(n int) {
		for range n {
			f()
		}
	}, func(n int) {
		for range n {
			g()
		}
	})
}

type writer interface {
	Write([]byte) (int, error)
	WriteByte(byte) error
	Put()
}

func write[B writer](get func(...int) B, data []byte) func() int {
	return func() int {
		b := get()
		b.Write(data)
		b.Put()
		return 0
	}
}

func writeBytes[B writer](get func(...int) B) func() int {
	return func() int {
		b := get()
		for range 100 {
			b.WriteByte('x')
		}
		b.Put()
		return 0
	}
}

func init() {
	for _, size := range []int{8, 48, 1 << 10, 100 << 10, 1 << 20, 8 << 20} { // 8 MiB is beyond the default pools
		add(fmt.Sprintf("bytespool: New and Release of %d bytes", size), newRelease(size, ours.New, ours.Release), newRelease(size, old.New, old.Release))
	}
	a, b := ours.NewCapacityPools(2, 8<<20), old.NewCapacityPools(2, 8<<20)
	add("bytespool: CapacityPools, New and Release of 8388608 bytes", newRelease(8<<20, a.New, a.Release), newRelease(8<<20, b.New, b.Release))
	for _, size := range []int{8, 1 << 10} {
		pair(fmt.Sprintf("Get and Put of %d bytes", size), func() int { ours.Put(ours.Get(size)); return 0 }, func() int { old.Put(old.Get(size)); return 0 })
	}
	data := make([]byte, 100)
	pair("Append of 100 bytes to 10", func() bool { return ours.Release(ours.Append(ours.New(10), data...)) },
		func() bool { return old.Release(old.Append(old.New(10), data...)) })
	pair("NewBytes of 100", func() bool { return ours.Release(ours.NewBytes(data)) }, func() bool { return old.Release(old.NewBytes(data)) })
	c, d := ours.NewBufPool(32<<10), old.NewBufPool(32<<10)
	pair("BufPool of 32 KiB", func() int { c.Put(c.Get()); return 0 }, func() int { d.Put(d.Get()); return 0 })

	for _, size := range []int{5, 100} {
		pair(fmt.Sprintf("Buffer, a Write of %d bytes", size), write(oursbuffer.Get, data[:size]), write(oldbuffer.Get, data[:size]))
	}
	pair("Buffer, 100 times WriteByte", writeBytes(oursbuffer.Get), writeBytes(oldbuffer.Get))
	pair("readerpool", func() *bytes.Reader { r := oursreader.New(data); oursreader.Release(r); return r },
		func() *bytes.Reader { r := oldreader.New(data); oldreader.Release(r); return r })

	e, f := ours.NewCapacityPools(2, 4<<20), old.NewCapacityPools(2, 4<<20)
	e.SetWithStats(true)
	f.SetWithStats(true)
	for _, size := range []int{8, 1 << 10, 1 << 20} {
		add(fmt.Sprintf("bytespool: with statistics, New and Release of %d bytes", size), newRelease(size, e.New, e.Release), newRelease(size, f.New, f.Release))
	}
	for size := 2; size <= 4<<20; size *= 2 { // statistics of all capacities
		for range 2 {
			e.Put(e.New(size))
			f.Put(f.New(size))
		}
	}
	pair("RuntimeStats", func() map[string]uint64 { return ours.RuntimeStats(e) }, func() map[string]uint64 { return old.RuntimeStats(f) })
	pair("RuntimeStatsSummary", func() ours.RuntimeSummary { return ours.RuntimeStatsSummary(10, e) }, func() old.RuntimeSummary { return old.RuntimeStatsSummary(10, f) })
	pair("RuntimeStatsSummary of the top 0", func() ours.RuntimeSummary { return ours.RuntimeStatsSummary(0, e) }, func() old.RuntimeSummary { return old.RuntimeStatsSummary(0, f) })
	pair("PoolReuseStats", func() []ours.PoolStat { return ours.PoolReuseStats(10, e) }, func() []old.PoolStat { return old.PoolReuseStats(10, f) })
}
