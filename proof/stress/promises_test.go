//go:build go1.25

package stress_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

type pair [2]int

// TestStatsPromises reads the statistics of pools of every kind repeatedly, while many
// goroutines use them and while they refuse, drop, and are trimmed and checked.
func TestStatsPromises(t *testing.T) {
	pooltest.Misuses(t)
	pooltest.Alone(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	name := func(kind string) string { return fmt.Sprintf("%s %p %s", t.Name(), t, kind) } // also with -count

	plain := &basin.BytePool{Name: name("plain"), MaxIdle: 256 << 10}
	limited := &basin.BytePool{Name: name("limited"), MaxIdle: 128 << 10, MaxInUse: 256 << 10}
	values := &basin.Pool[pair]{Name: name("values"), MaxItems: 50}
	pointers := &basin.Pool[*pair]{Name: name("pointers"), MaxItems: 50, New: func() *pair { return new(pair) }}
	fixed := &basin.FixedPool{Count: 8, Size: 100}
	fixed.Name = name("fixed")
	buffers := &basin.BufferPool{Name: name("buffers"), MaxIdle: 64 << 10}
	std := &basin.StdBufferPool{Name: name("std"), MaxIdle: 64 << 10}
	sized := pooltest.SizedPool()
	sized.Name, sized.MaxIdle, sized.MaxSize = name("sized"), 64<<10, 8<<10
	learning := pooltest.LearningPool()
	learning.Name, learning.MaxIdle, learning.MaxSize = name("learning"), 64<<10, 8<<10

	// A Get goes beyond the limit before that is counted. So a reading in between would find more in use than the
	// maximum, and nothing beyond.
	limited.Put(limited.Get(basin.DefaultMaxSize + 1))

	sizes := []int{64, 4096, 32 << 10, 128 << 10}
	bytes := func(p *basin.BytePool) func(i int) {
		return func(i int) {
			size := sizes[i%len(sizes)]
			var all [][]byte
			for range max(1, 128<<10/size) {
				b, ok := p.TryGet(size)
				if !ok {
					break
				}
				all = append(all, b)
			}
			for _, b := range all {
				p.Put(b)
			}
			switch i % 64 {
			case 0:
				p.Trim()
			case 1:
				if i < 10_000 { // 32 bits have room for that many at once
					p.Put(p.Get(basin.DefaultMaxSize + i)) // outside
				}
			case 2:
				p.Put(make([]byte, 100))
			}
		}
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	for _, use := range []func(i int){
		bytes(plain), bytes(limited),
		func(int) {
			values.Get()
			values.Put(pair{})
			x, y := pointers.Get(), pointers.Get()
			pointers.Put(x)
			pointers.Put(y)
		},
		func(i int) {
			ctx, cancel := context.WithCancel(t.Context())
			if i%3 == 0 {
				cancel()
			}
			a, _ := fixed.TryGet()
			if b, err := fixed.GetContext(ctx); err == nil {
				fixed.Put(b)
			}
			cancel()
			fixed.Put(a)
		},
		func(i int) {
			b, c := buffers.Get(), std.Get()
			b.Write(make([]byte, i%3000))
			c.Write(make([]byte, i%3000))
			buffers.Put(b)
			std.Put(c)
		},
		func(i int) {
			for _, p := range []*basin.Pool[*[]byte]{sized, learning} {
				b, c := p.Get(), p.Get()
				*b = append(*b, make([]byte, i%3000)...)
				p.Put(b)
				if i%100 == 0 {
					*c = make([]byte, p.MaxSize+1)
				}
				p.Put(c)
			}
		},
	} {
		for range 2 {
			wg.Go(func() {
				for i := 0; !stop.Load(); i++ {
					use(i)
				}
			})
		}
	}
	last := map[string]basin.Stats{}
	var all []basin.Stats
	readings := 1000
	if testenv.Race || testing.Short() {
		readings = 100
	}
	for i := 0; (i < readings || len(last) < 9) && !t.Failed(); i++ {
		all = basinexport.Append(all[:0])
		for _, s := range all {
			switch s.Name {
			case plain.Stats().Name, limited.Stats().Name, values.Name, pointers.Name, fixed.Name, buffers.Name, std.Name, sized.Name, learning.Name:
			default:
				continue
			}
			pooltest.CheckStats(t, s, true)
			l := last[s.Name]
			if s.Gets < l.Gets || s.Hits < l.Hits || s.Misses < l.Misses || s.Puts < l.Puts || s.Drops.Total() < l.Drops.Total() || s.Trimmed < l.Trimmed || s.AskedBytes < l.AskedBytes {
				t.Errorf("%s: a counter went back\n%+v\n%+v", s.Name, l, s)
			}
			s.Classes = nil // are overwritten
			last[s.Name] = s
		}
	}
	stop.Store(true)
	wg.Wait()
	if len(last) != 9 && !t.Failed() {
		t.Errorf("snapshots of %d pools, want 9", len(last))
	}
	for _, s := range basinexport.Append(nil) {
		if _, ok := last[s.Name]; ok {
			pooltest.CheckStats(t, s, true)
			if items, bytes := pooltest.Known(t, s, s.Items, s.Bytes); items.InUse != 0 || bytes.InUse != 0 {
				t.Errorf("%s: in use %d, %d bytes, after everything was put back", s.Name, items.InUse, bytes.InUse)
			}
		}
	}
	for _, p := range []any{plain, limited, values, pointers, fixed, buffers, std, sized, learning} {
		runtime.KeepAlive(p)
	}
}

// TestStatsAcrossChecks changes the level of checks while items are outstanding, in both
// directions. Their Puts must be counted.
func TestStatsAcrossChecks(t *testing.T) {
	pooltest.Alone(t)
	now := basincheck.Now()
	defer basincheck.Set(now)
	levels := []basincheck.Settings{
		{}, {Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Sampled, Every: 2}, {Level: basincheck.Full},
	}
	for i := range levels {
		levels[i].Handler = func(m *basincheck.Report) { t.Errorf("reported: %v", m) }
	}
	for _, from := range levels {
		for _, to := range levels {
			t.Run(fmt.Sprintf("from %v %d to %v %d", from.Level, from.Every, to.Level, to.Every), func(t *testing.T) {
				name := fmt.Sprintf("%s %p", t.Name(), t)
				plain := &basin.BytePool{Name: name}
				limited := &basin.BytePool{Name: name, MaxInUse: 1 << 20}
				values := &basin.Pool[*pair]{Name: name, New: func() *pair { return new(pair) }}
				fixed := &basin.FixedPool{Count: 8, Size: 100}
				fixed.Name = name
				buffers := &basin.BufferPool{Name: name}
				std := &basin.StdBufferPool{Name: name}
				learning := pooltest.LearningPool()
				learning.Name = name
				for range 5 {
					basincheck.Set(from)
					a, b, c, d, e, f, g := plain.Get(100), limited.Get(100), values.Get(), fixed.Get(), buffers.Get(), std.Get(), learning.Get()
					basincheck.Set(to)
					plain.Put(a)
					limited.Put(b)
					values.Put(c)
					fixed.Put(d)
					buffers.Put(e)
					std.Put(f)
					learning.Put(g)
				}
				basincheck.Set(basincheck.Settings{})
				n := 0
				for _, s := range basinexport.Append(nil) {
					if s.Name != name {
						continue
					}
					n++
					pooltest.CheckStats(t, s, true)
					if items, bytes := pooltest.Known(t, s, s.Items, s.Bytes); s.Gets != 5 || s.Puts != 5 || items.InUse != 0 || bytes.InUse != 0 {
						t.Errorf("%s: %d Gets, %d Puts, %d in use, %d bytes, want 5, 5, 0, 0", s.Kind, s.Gets, s.Puts, items.InUse, bytes.InUse)
					}
				}
				if n != 7 {
					t.Errorf("%d snapshots, want 7", n)
				}
				for _, p := range []any{plain, limited, values, fixed, buffers, std, learning} {
					runtime.KeepAlive(p)
				}
			})
		}
	}
}
