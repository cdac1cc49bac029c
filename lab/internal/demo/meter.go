package demo

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// sampleEvery is the interval at which the heap's size is read to find its peak.
const sampleEvery = 10 * time.Millisecond

// Usage has the resources that a process used during a measurement.
type Usage struct {
	AllocBytes uint64
	Allocs     uint64
	GCCycles   uint64  // those that allocation triggered
	GCCPU      float64 // seconds
	CPU        float64 // available seconds, GOMAXPROCS × time
	PeakHeap   uint64  // most heap in use
	IdleHeap   uint64  // heap in use at the end after one GC
}

// A meter measures its own process. "Heap in use" is the memory of the heap's spans that hold
// objects: objects, dead ones not yet swept, and the free space between them.
type meter struct {
	sample func() // if not nil, called at each reading of the heap
	start  counts
	stop   chan struct{}
	peak   chan uint64
}

func (m *meter) begin() {
	m.stop, m.peak = make(chan struct{}), make(chan uint64)
	m.start = readCounts()
	go m.watchHeap()
}

func (m *meter) end() Usage {
	close(m.stop)
	peak := <-m.peak
	end := readCounts()
	return Usage{
		AllocBytes: end.allocBytes - m.start.allocBytes,
		Allocs:     end.allocs - m.start.allocs,
		GCCycles:   end.gcCycles - m.start.gcCycles,
		GCCPU:      end.gcCPU - m.start.gcCPU,
		CPU:        end.cpu - m.start.cpu,
		PeakHeap:   peak,
		IdleHeap:   newHeapSampler().inUse(),
	}
}

func (m *meter) watchHeap() {
	heap := newHeapSampler()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	peak := uint64(0)
	for {
		peak = max(peak, heap.inUse())
		if m.sample != nil {
			m.sample()
		}
		select {
		case <-tick.C:
		case <-m.stop:
			m.peak <- peak
			return
		}
	}
}

type counts struct {
	allocBytes, allocs, gcCycles uint64
	gcCPU, cpu                   float64
}

// readCounts runs a GC first: CPU seconds advance only at a GC, and allocations are fully
// counted only after each P's cache was flushed. So the GC time of each round includes one such
// GC.
func readCounts() counts {
	runtime.GC()
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/tiny/allocs:objects"},
		{Name: "/gc/cycles/automatic:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
	}
	metrics.Read(s)
	return counts{
		allocBytes: s[0].Value.Uint64(),
		allocs:     s[1].Value.Uint64() + s[2].Value.Uint64(),
		gcCycles:   s[3].Value.Uint64(),
		gcCPU:      s[4].Value.Float64(),
		cpu:        s[5].Value.Float64(),
	}
}

type heapSampler []metrics.Sample

func newHeapSampler() heapSampler {
	return heapSampler{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
}

func (s heapSampler) inUse() uint64 {
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}
