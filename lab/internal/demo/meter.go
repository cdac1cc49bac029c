package demo

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// sampleEvery is how often the heap is looked at for its peak.
const sampleEvery = 10 * time.Millisecond

// Usage is what a process used while it was metered.
type Usage struct {
	AllocBytes uint64
	Allocs     uint64
	GCCycles   uint64  // those the allocation brought about
	GCCPU      float64 // seconds
	CPU        float64 // seconds there were, GOMAXPROCS × time
	PeakHeap   uint64  // most heap in use
	IdleHeap   uint64  // heap in use after the end and one GC
}

// A meter measures the process it is in. "Heap in use" is the memory of the
// heap's spans that hold objects: objects, dead ones not yet swept, and the
// room between them.
type meter struct {
	sample func() // if not nil, called whenever the heap is looked at
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

// readCounts runs a GC first: the CPU seconds stand still between GCs, and
// allocations are counted in full only once each P's cache is flushed. So the
// GC time of a round has one such GC in it, whatever the way.
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
