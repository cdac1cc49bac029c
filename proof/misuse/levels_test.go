//go:build go1.25

package misuse_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestCheckSwitchingPools changes levels while pools of other kinds are in use, without any
// misuse.
func TestCheckSwitchingPools(t *testing.T) {
	rounds := 10
	if pooltest.Long() {
		rounds = 30
	}
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	type item struct{ n int }
	var handles basin.BufferPool
	var std basin.StdBufferPool
	values := &basin.Pool[*item]{New: func() *item { return new(item) }}
	fixed := &basin.FixedPool{Count: 8, Size: 256}
	stop := make(chan bool)
	var worked atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				b := handles.Get()
				b.WriteString("some text")
				s := std.Get()
				s.WriteString("some text")
				v := values.Get()
				v.n = 1
				f := fixed.Get()
				f[0] = 1
				shared := basin.Default().NewShared(basin.Get(100))
				shared.Retain().Release()
				if b.String() != "some text" || s.String() != "some text" {
					t.Error("a buffer has two users")
				}
				shared.Release()
				fixed.Put(f)
				values.Put(v)
				std.Put(s)
				handles.Put(b)
				worked.Add(1)
			}
		}()
	}
	pooltest.SwitchLevels(told, rounds, &worked)
	close(stop)
	wg.Wait()
	runtime.GC()
	if got := told.Take(); len(got) > 0 {
		t.Errorf("%d reports, first: %v", len(got), got[0])
	}
	values.Put(values.Get())
	if before := values.Stats(); before.Misses == 0 || before.Hits == 0 {
		t.Errorf("values were not reused before, or not checked: %+v", before)
	}
}

func TestCheckStatistics(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.BytePool{Name: "to be found"}
	b := p.Get(100)
	p.Put(b)
	p.Put(b)
	for _, s := range basinexport.Append(nil) {
		if s.Name == "to be found" && s.Misuse[basincheck.DoublePut] == 1 {
			return
		}
	}
	t.Error("no snapshot has the double Put")
}
