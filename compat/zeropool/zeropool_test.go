//go:build go1.25

package zeropool

import (
	"runtime"
	"sync"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// The API of the original.
var (
	_ func(func() []byte) Pool[[]byte] = New[[]byte]
	_ func(*Pool[string]) string       = (*Pool[string]).Get
	_ func(*Pool[string], string)      = (*Pool[string]).Put
)

// reuses notes that t expects reuse, which is certain only on the same P.
func reuses(t *testing.T) {
	t.Helper()
	pooltest.Alone(t)
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
}

func TestGet(t *testing.T) {
	made := New(func() []byte { return make([]byte, 7) })
	if got := made.Get(); len(got) != 7 {
		t.Errorf("a new value has length %d, want 7", len(got))
	}
	none := New[*int](nil)
	if got := none.Get(); got != nil {
		t.Errorf("a pool of New(nil) has %v, want nil", got)
	}
	var zero Pool[[]byte]
	if got := zero.Get(); got != nil {
		t.Errorf("an empty zero pool has %v, want nil", got)
	}
	reuses(t)
	zero.Put([]byte("abc"))
	if got := zero.Get(); string(got) != "abc" {
		t.Errorf("a zero pool has %q, want the value that was put", got)
	}
	if got := zero.Get(); got != nil {
		t.Errorf("the pool has %q twice", got)
	}
}

// TestPutElsewhere puts values on another goroutine.
func TestPutElsewhere(t *testing.T) {
	p := New(func() []byte { return make([]byte, 1024) })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				b := p.Get()
				if len(b) != 1024 {
					t.Errorf("length %d", len(b))
				}
				done := make(chan struct{})
				go func(b []byte) { p.Put(b); close(done) }(b)
				<-done
			}
		})
	}
	wg.Wait()
}

// TestAllocations gets and puts values of some kinds. Each compiles the pool again.
func TestAllocations(t *testing.T) {
	reuses(t)
	allocates(t, "slice", []byte("abc"))
	allocates(t, "string", "abc")
	allocates(t, "pointer", new(int))
	allocates(t, "integer", 1<<30)
	allocates(t, "array", [100]int{99: 1})
	allocates(t, "struct", struct {
		name string
		data []byte
	}{"abc", nil})
	allocates(t, "interface", any(1<<30))
	allocates(t, "nothing", struct{}{})
}

func allocates[T any](t *testing.T, name string, value T) {
	t.Helper()
	made := New(func() T { return value })
	zero := new(Pool[T])
	for _, p := range []*Pool[T]{&made, zero} {
		p.Put(p.Get())
		if n := pooltest.Allocs(100, func() { p.Put(p.Get()) }); n != 0 {
			t.Errorf("%s: %v allocations for a Get and a Put", name, n)
		}
	}
}

// TestForgets: a pool does not keep values alive that were taken from it.
func TestForgets(t *testing.T) {
	reuses(t)
	p := New(func() *[1 << 10]byte { return new([1 << 10]byte) })
	gone := make(chan struct{})
	x := p.Get()
	runtime.SetFinalizer(x, func(any) { close(gone) })
	p.Put(x)
	x = p.Get()
	runtime.KeepAlive(x)
	x = nil
	for range 1000 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(&p)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the pool keeps alive an item that was taken from it")
}

// TestName finds pools by the name of the library, including pools that New has not made.
func TestName(t *testing.T) {
	p, zero, put := New(func() *[3]byte { return new([3]byte) }), new(Pool[*[4]byte]), new(Pool[*[5]byte])
	p.Get()
	zero.Get()
	put.Put(nil)
	names := map[string]string{}
	for _, s := range basinexport.Append(nil) {
		names[s.Kind] = s.Name
	}
	for _, kind := range []string{"Pool[*[3]uint8]", "Pool[*[4]uint8]", "Pool[*[5]uint8]"} {
		if names[kind] != "zeropool" {
			t.Errorf("a %s has the name %q, want zeropool", kind, names[kind])
		}
	}
	runtime.KeepAlive(&p)
	runtime.KeepAlive(zero)
	runtime.KeepAlive(put)
}
