//go:build go1.25

package pooltest

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/testenv"
)

// WaitForOtherPools waits until the pools of other tests are garbage.
func WaitForOtherPools() {
	for len(basinexport.Append(nil)) > 0 {
		runtime.GC()
	}
}

// UseEveryKind uses pools of every kind, correctly and incorrectly: it leaks, puts twice, puts foreign
// slices, drops, trims and waits, so that few figures are zero. Tests read the figures through all
// views and compare them. It returns functions that return the pools' statistics, by name, and
// keep, which has all pools and some outstanding items.
func UseEveryKind(t testing.TB) (stats map[string]func() basin.Stats, keep []any) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that Get returns the item put last
	plain := &basin.BytePool{Name: "plain", MaxSize: 1 << 20, MaxIdle: 128 << 10}
	ceiling := &basin.BytePool{Name: "ceiling", MinSize: 64, MaxIdle: 128 << 10, MaxInUse: 512 << 10}
	var held [][]byte // or the ceiling would find them to be garbage in between
	for _, p := range []*basin.BytePool{plain, ceiling} {
		var out [][]byte
		for i := range 60 {
			out = append(out, p.Get(100*i+1))
		}
		for i, b := range out {
			if i%3 > 0 {
				p.Put(b)
			} else {
				held = append(held, b)
			}
		}
		p.Trim()
		for range 3 {
			b := p.Get(4000)
			p.Put(b)
			p.Put(b) //basin:ok on purpose
		}
		p.Put(nil)
		p.Put(make([]byte, 10))                //basin:ok on purpose
		p.Put(make([]byte, 16<<20))            //basin:ok on purpose
		p.Put(make([]byte, 1000))              //basin:ok on purpose
		p.Put(make([]byte, 8192)[1:4097:4097]) //basin:ok on purpose
		p.Adopt(make([]byte, 1000))
		p.Put(p.Get(200_000))
		p.Get(3 << 20)
	}
	b := ceiling.Get(300 << 10)
	if _, ok := ceiling.TryGet(300 << 10); ok {
		t.Fatal("the ceiling is not reached")
	}
	served := make(chan []byte)
	go func() {
		b, err := ceiling.GetContext(t.Context(), 300<<10)
		if err != nil {
			t.Error(err)
		}
		served <- b
	}()
	for ceiling.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	ceiling.Put(b)
	held = append(held, <-served)
	ceiling.Put(ceiling.Append(nil, make([]byte, 500<<10)...)) // there is no room for it
	ceiling.Get(1000)
	testenv.CollectUntil(func() bool { return ceiling.Stats().Lost.Items > 0 })

	values := &basin.Pool[*int]{Name: "values", MaxItems: 5}
	for range 10 {
		values.Put(new(int))
	}
	for range 7 {
		values.Get()
	}
	fixed := &basin.FixedPool{Count: 3, Size: 1000}
	fixed.Name = "fixed"
	b = fixed.Get()
	fixed.Put(b)
	fixed.Put(b)     //basin:ok on purpose
	fixed.Put(b[1:]) //basin:ok on purpose
	for range 5 {
		b = fixed.Get()
	}
	fixed.Put(b)
	fixed.TryGet()

	grown := &basin.BytePool{Name: "grown"} // buffers grow through it
	basin.SetDefault(grown)
	defer basin.SetDefault(nil)
	buffers := &basin.BufferPool{Name: "buffers"}
	std := &basin.StdBufferPool{Name: "std"}
	for i := range 100 {
		x, y := buffers.Get(), std.Get()
		x.Write(make([]byte, i*1000))
		y.Write(make([]byte, i*1000))
		if i%10 > 0 {
			buffers.Put(x)
			std.Put(y)
		}
	}
	misused, released := misuse(t)
	leaky := leak()
	limit, limited, drawn := underLimit(t)
	return map[string]func() basin.Stats{
		"leaky":    func() basin.Stats { return leaky.Stats() },
		"misused":  func() basin.Stats { return misused.Stats() },
		"released": func() basin.Stats { return released.Stats() },
		"plain":    func() basin.Stats { return plain.Stats() },
		"ceiling":  func() basin.Stats { return ceiling.Stats() },
		"values":   func() basin.Stats { return values.Stats() },
		"fixed":    func() basin.Stats { return fixed.Stats() },
		"buffers":  func() basin.Stats { return buffers.Stats() },
		"std":      func() basin.Stats { return std.Stats() },
		"grown":    func() basin.Stats { return grown.Stats() },
		"limit":    func() basin.Stats { return limit.Stats() },
		"limited":  func() basin.Stats { return limited.Stats() },
	}, []any{held, drawn, limit, limited, leaky, misused, released, plain, ceiling, values, fixed, buffers, std, grown}
}

// underLimit makes requests under a Limit wait, be refused and go beyond it, and reserves memory. It returns the
// Limit, a pool that draws from it, and outstanding memory of both.
func underLimit(t testing.TB) (*basin.Limit, *basin.BytePool, []any) {
	limit := &basin.Limit{Name: "limit", Max: 128 << 10}
	pool := &basin.BytePool{Name: "limited", Limit: limit}
	b := pool.Get(100 << 10)
	if _, ok := pool.TryGet(64 << 10); ok {
		t.Fatal("the limit is not reached")
	}
	served := make(chan *basin.Reservation)
	go func() {
		r, err := limit.Acquire(t.Context(), 30<<10)
		if err != nil {
			t.Error(err)
		}
		served <- r
	}()
	for limit.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	pool.Put(b)
	r := <-served
	pool.Put(pool.Get(120 << 10)) // beyond
	for limit.Acquire(t.Context(), 1000); limit.Stats().Lost.Items == 0; {
		runtime.GC()
	}
	return limit, pool, []any{r, pool.Get(10 << 10)}
}

// misuse misuses two pools in every way that checks detect.
func misuse(t testing.TB) (misused *basin.BytePool, released *basin.BufferPool) {
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	p := &basin.BytePool{Name: "misused"}
	b := p.Get(100)
	p.Put(b)
	p.Put(b) //basin:ok on purpose
	b[0]++   //basin:ok on purpose
	basincheck.Verify()
	p.Put(make([]byte, 128))   //basin:ok on purpose
	p.Put(p.Get(1000)[64:])    //basin:ok on purpose
	p.Put(p.Get(1000)[:64:64]) //basin:ok on purpose
	(&basin.BytePool{Name: "plain"}).Put(p.Get(100))
	h := &basin.BufferPool{Name: "released"}
	w := h.Get()
	h.Put(w)
	w.WriteByte(1) //basin:ok on purpose
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Guard: true, Handler: func(*basincheck.Report) {}})
	if basincheck.Now().Guard {
		b = p.Get(100)
		basincheck.Catch(func() { *(*byte)(unsafe.Add(unsafe.Pointer(&b[0]), cap(b)))++ })
		p.Put(b)
		basincheck.Catch(func() { b[0]++ })
	}
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})
	for p.Get(100); p.Stats().Misuse[basincheck.Leak] == 0; {
		runtime.GC()
	}
	return p, h
}

// LeakEvery is the N of the sampled checks that find the leaks of the pool "leaky".
const LeakEvery = 4

// leak makes a pool lose about half of its slices while checks are sampled.
func leak() *basin.BytePool {
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: LeakEvery, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	p := &basin.BytePool{Name: "leaky"}
	for range 200 {
		p.Get(100)
		p.Put(p.Get(100))
	}
	for p.Stats().Misuse[basincheck.Leak] == 0 {
		runtime.GC()
	}
	testenv.RunCleanups()
	return p
}
