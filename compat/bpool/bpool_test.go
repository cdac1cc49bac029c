//go:build go1.25

package bpool

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestNumPooled fills and empties pools. Items beyond the size are dropped.
func TestNumPooled(t *testing.T) {
	pooltest.Alone(t)
	for _, n := range []int{-1, 0, 1, 4, 100, 1000} {
		buffers := NewBufferPool(n)
		slices := NewBytePool(n, 10)
		for range 3 {
			for range n + 10 {
				buffers.Put(new(bytes.Buffer))
				slices.Put(make([]byte, 10))
			}
			if got := buffers.NumPooled(); got != max(n, 0) {
				t.Errorf("%d buffers, want %d", got, n)
			}
			if got := slices.NumPooled(); got != max(n, 0) {
				t.Errorf("%d slices, want %d", got, n)
			}
			for range n {
				buffers.Get()
				slices.Get()
			}
			if b, s := buffers.NumPooled(), slices.NumPooled(); b != 0 || s != 0 {
				t.Errorf("%d buffers and %d slices of %d are left", b, s, n)
			}
		}
	}
}

// TestZero uses zero values of pools, which keep nothing.
func TestZero(t *testing.T) {
	var (
		buffers BufferPool
		sized   SizedBufferPool
		slices  BytePool
	)
	for range 2 {
		b, s, bytes := buffers.Get(), sized.Get(), slices.Get()
		if b.Len() != 0 || s.Len() != 0 || len(bytes) != 0 {
			t.Errorf("lengths %d, %d and %d, want 0", b.Len(), s.Len(), len(bytes))
		}
		b.WriteString("abc")
		s.WriteString("abc")
		buffers.Put(b)
		sized.Put(s)
		slices.Put(bytes)
		slices.PutSlice(slices.GetSlice())
	}
	if b, s := buffers.NumPooled(), slices.NumPooled(); b != 0 || s != 0 || slices.Width() != 0 {
		t.Errorf("%d buffers and %d slices of width %d are pooled, want none", b, s, slices.Width())
	}
}

// TestTrim: after a Trim, a pool keeps buffers again.
func TestTrim(t *testing.T) {
	if full() {
		t.Skip("nothing is retained under full checks")
	}
	pooltest.Alone(t)
	p := NewBufferPool(5)
	for range 5 {
		p.Put(new(bytes.Buffer))
	}
	for _, s := range basinexport.Append(nil) {
		if s.Name == "bpool" {
			basinexport.Trim(s.ID)
		}
	}
	if got := p.NumPooled(); got != 0 {
		t.Errorf("%d are pooled after Trim", got)
	}
	b := p.Get()
	p.Put(b)
	if p.Get() != b {
		t.Error("the pool keeps nothing any more")
	}
}

func TestBuffers(t *testing.T) {
	pooltest.Alone(t)
	p := NewBufferPool(4)
	b := p.Get()
	b.WriteString("abc")
	p.Put(b)
	next := p.Get()
	if next.Len() != 0 || next != b && !full() {
		t.Error("the next buffer is another one, or not empty")
	}
	sized := NewSizedBufferPool(4, 100)
	for _, c := range []struct {
		name  string
		write int
		same  bool
	}{
		{"as it was", 0, true},
		{"within its capacity", 100, true},
		{"grown", 101, false},
	} {
		b := sized.Get()
		if b.Cap() != 100 || b.Len() != 0 {
			t.Errorf("%s: capacity %d and length %d, want 100 and 0", c.name, b.Cap(), b.Len())
		}
		b.Write(make([]byte, c.write))
		sized.Put(b)
		if next := sized.Get(); (next == b) != c.same && !full() {
			t.Errorf("%s: kept: %v, want %v", c.name, next == b, c.same)
		}
	}
}

// TestSlices puts slices that the original's tests do not put.
func TestSlices(t *testing.T) {
	for _, c := range []struct {
		name string
		put  []byte
		kept int
	}{
		{"of the width", make([]byte, 10), 1},
		{"larger", make([]byte, 1, 100), 1},
		{"nil", nil, 0},
	} {
		p := NewBytePool(4, 10)
		p.Put(c.put)
		if got := p.NumPooled(); got != c.kept {
			t.Errorf("%s: %d are pooled, want %d", c.name, got, c.kept)
		}
		if got := p.Get(); len(got) != 10 || p.Width() != 10 {
			t.Errorf("%s: length %d and width %d, want 10", c.name, len(got), p.Width())
		}
	}
}

func TestHeaders(t *testing.T) {
	p := NewHeaderPreservingByteSlicePool(1, 3, 2)
	b := p.GetSlice()
	copy(b.Full(), "hhabc")
	for _, c := range []struct{ end int }{{3}, {1}, {2}, {0}, {3}} {
		b := b.ResliceTo(c.end)
		if got, want := string(b.Bytes()), "abc"[:c.end]; got != want {
			t.Errorf("ResliceTo(%d): %q, want %q", c.end, got, want)
		}
		if got, want := string(b.BytesWithHeader()), "hhabc"[:2+c.end]; got != want {
			t.Errorf("ResliceTo(%d): with the header %q, want %q", c.end, got, want)
		}
		if got := string(b.Full()); got != "hhabc" {
			t.Errorf("ResliceTo(%d): all is %q", c.end, got)
		}
	}
	p.PutSlice(b.ResliceTo(1))
	if got := p.NumPooled(); got != 1 {
		t.Errorf("%d are pooled, want 1", got)
	}
	if got := len(NewByteSlicePool(1, 3).GetSlice().Bytes()); got != 3 {
		t.Errorf("without a header, length %d, want 3", got)
	}
}

// TestChecked: checks find buffers that are put twice or never, and do not report buffers that
// Put drops.
func TestChecked(t *testing.T) {
	reports := pooltest.BeginChecks(t, pooltest.FullChecking)
	buffers, sized, arrays := NewBufferPool(2), NewSizedBufferPool(2, 100), NewBytePool(2, 100)
	for _, c := range []struct {
		name string
		do   func()
		want []basincheck.Kind
	}{
		{"nothing", func() {}, nil},
		{"more than there is room for", func() {
			for range 3 {
				all := [5]*bytes.Buffer{}
				for i := range all {
					all[i] = buffers.Get()
				}
				for _, b := range all {
					buffers.Put(b)
				}
				buffers.Get()
				buffers.Put(new(bytes.Buffer))
			}
			for range 2 { // items that the Gets above have left
				buffers.Put(new(bytes.Buffer))
			}
		}, slices.Repeat([]basincheck.Kind{basincheck.Leak}, 3)},
		{"grown", func() {
			b := sized.Get()
			b.Write(make([]byte, 1000))
			sized.Put(b)
		}, nil},
		{"put twice", func() {
			b := buffers.Get()
			buffers.Put(b)
			buffers.Get()
			buffers.Put(b)
		}, []basincheck.Kind{basincheck.DoublePut, basincheck.Leak}},
		{"sized, put twice", func() {
			b := sized.Get()
			sized.Put(b)
			sized.Put(b)
		}, []basincheck.Kind{basincheck.DoublePut}},
		{"never put", func() { sized.Get() }, []basincheck.Kind{basincheck.Leak}},
		{"slices, more than there is room for, and a part", func() {
			all := [][]byte{arrays.Get(), arrays.Get(), arrays.Get()[:3], arrays.Get()}
			for _, b := range all {
				arrays.Put(b)
			}
		}, nil},
		{"a slice, put twice", func() {
			b := arrays.Get()
			arrays.Get()
			arrays.Put(b)
			arrays.Put(b)
		}, []basincheck.Kind{basincheck.DoublePut}},
	} {
		c.do()
		testenv.RunCleanups()
		if got := pooltest.Kinds(reports.Take()); !slices.Equal(got, c.want) {
			t.Errorf("%s: reports %v, want %v", c.name, got, c.want)
		}
	}
	runtime.KeepAlive(buffers)
	runtime.KeepAlive(sized)
	runtime.KeepAlive(arrays)
}

func TestConcurrent(t *testing.T) {
	p := NewBytePool(5, 64)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 2000 {
				b := p.Get()
				for i := range b {
					b[i] = byte(g)
				}
				if slices.ContainsFunc(b, func(c byte) bool { return c != byte(g) }) {
					t.Errorf("somebody else's bytes in %q", b)
				}
				p.Put(b)
			}
		})
	}
	wg.Wait()
	if got := p.NumPooled(); got > 5 {
		t.Errorf("%d are pooled, want at most 5", got)
	}
}

func TestAllocations(t *testing.T) {
	if full() {
		t.Skip("nothing is reused under full checks")
	}
	buffers, slices := NewBufferPool(4), NewBytePool(4, 100)
	buffers.Put(buffers.Get())
	slices.Put(slices.Get())
	if n := pooltest.Allocs(100, func() {
		buffers.Put(buffers.Get())
		slices.Put(slices.Get())
	}); n != 0 {
		t.Errorf("%v allocations for Gets and Puts", n)
	}
}

func TestName(t *testing.T) {
	p := NewBufferPool(4)
	p.Put(p.Get())
	names := []string{}
	for _, s := range basinexport.Append(nil) {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "bpool") {
		t.Errorf("no pool named bpool among %q", names)
	}
	runtime.KeepAlive(p)
}
