//go:build go1.25

package recorder_test

import (
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/trace"
)

func TestMain(m *testing.M) { pooltest.Main(m) }

// recorded returns the acquisitions of p while f runs.
func recorded(t *testing.T, every int, p *basin.BytePool, f func()) (all []trace.Acquisition, lost uint64) {
	t.Helper()
	r := recorder.Start(every)
	if r == nil {
		t.Fatal("something is being recorded")
	}
	defer r.Stop()
	f()
	r.Stop()
	id := p.Stats().ID
	all = slices.DeleteFunc(r.Open(r.Drain(nil)), func(a trace.Acquisition) bool { return a.Pool != id })
	return all, r.Lost()
}

func TestRecord(t *testing.T) {
	pooltest.Misuses(t)
	for _, tt := range []struct {
		name         string
		pool         *basin.BytePool
		do           func(p *basin.BytePool)
		sizes        []int64 // of slices that were put back
		held, larger int     // slices that were not put back, or larger than the pool keeps
	}{
		{"nothing", &basin.BytePool{}, func(*basin.BytePool) {}, nil, 0, 0},
		{"Get and Put", &basin.BytePool{}, func(p *basin.BytePool) { p.Put(p.Get(100)) }, []int64{100}, 0, 0},
		{"again, idle", &basin.BytePool{}, func(p *basin.BytePool) { p.Put(p.Get(100)); p.Put(p.Get(70)) }, []int64{70, 100}, 0, 0},
		{"not put", &basin.BytePool{}, func(p *basin.BytePool) { p.Get(100) }, nil, 1, 0},
		{"put twice", &basin.BytePool{}, func(p *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b) }, []int64{100}, 0, 0},
		{"put shortened", &basin.BytePool{}, func(p *basin.BytePool) { b := p.Get(100); p.Put(b[:1:1]) }, []int64{100}, 0, 0},
		{"put to another", &basin.BytePool{}, func(p *basin.BytePool) { new(basin.BytePool).Put(p.Get(100)) }, []int64{100}, 0, 0},
		{"foreign", &basin.BytePool{}, func(p *basin.BytePool) { p.Put(make([]byte, 128)); p.Put(nil) }, nil, 0, 0},
		{"empty", &basin.BytePool{}, func(p *basin.BytePool) { p.Put(p.Get(0)); p.Put(p.Get(-1)) }, nil, 0, 0},
		{"large", &basin.BytePool{MaxSize: 1024}, func(p *basin.BytePool) { p.Put(p.Get(1025)); p.Put(p.Get(1024)) }, []int64{1024, 1025}, 0, 1},
		{"TryPut and TryGet", &basin.BytePool{MaxInUse: 4096}, func(p *basin.BytePool) { b, _ := p.TryGet(9); p.TryPut(b) }, []int64{9}, 0, 0},
		{"refused", &basin.BytePool{MaxInUse: 4096}, func(p *basin.BytePool) { p.TryGet(5000) }, nil, 0, 0},
		{"Zero", &basin.BytePool{Zero: true}, func(p *basin.BytePool) { p.Put(p.GetZeroed(9)) }, []int64{9}, 0, 0},
		{"Append", &basin.BytePool{MaxFit: 1}, func(p *basin.BytePool) { p.Put(p.Append(p.Get(64), 1)) }, []int64{64, 128}, 0, 0},
		{"ReadAll", &basin.BytePool{}, func(p *basin.BytePool) { b, _ := p.ReadAll(struct{ io.Reader }{strings.NewReader("abc")}); p.Put(b) }, []int64{3, 4096}, 0, 0},
		{"ReadAll of a known length", &basin.BytePool{}, func(p *basin.BytePool) { b, _ := p.ReadAll(strings.NewReader("abc")); p.Put(b) }, []int64{3}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.pool.Put(tt.pool.Get(200)) // so that the next Get takes the fast path
			all, lost := recorded(t, 1, tt.pool, func() { tt.do(tt.pool) })
			var sizes []int64
			held, larger := 0, 0
			for _, a := range all {
				if a.Lifetime >= 0 {
					sizes = append(sizes, a.Size)
				} else {
					held++
				}
				if a.Outside {
					larger++
				}
			}
			slices.Sort(sizes)
			if !slices.Equal(sizes, tt.sizes) || held != tt.held || larger != tt.larger || lost != 0 {
				t.Errorf("recorded as put: %v, held: %d, larger: %d, lost: %d; want %v, %d, %d, 0", sizes, held, larger, lost, tt.sizes, tt.held, tt.larger)
			}
			before := tt.pool.Stats().Gets
			tt.pool.Put(tt.pool.Get(200))
			if all, _ := recorded(t, 1, tt.pool, func() {}); len(all) > 0 || tt.pool.Stats().Gets != before+1 {
				t.Errorf("after the recording %d acquisitions are recorded", len(all))
			}
		})
	}
}

// TestRecordOneInMany records about one slice in a hundred, with its Put.
func TestRecordOneInMany(t *testing.T) {
	p := &basin.BytePool{}
	const gets = 100_000
	all, _ := recorded(t, 100, p, func() {
		for range gets {
			p.Put(p.Get(100))
		}
	})
	for _, a := range all {
		if a.Lifetime < 0 {
			t.Fatalf("%+v was not put", a)
		}
	}
	if n := len(all); n < gets/200 || n > gets/50 {
		t.Errorf("%d of %d are recorded", n, gets)
	}
}

// TestRecordIsBounded has a program hold more slices than a recorder does.
func TestRecordIsBounded(t *testing.T) {
	p := &basin.BytePool{}
	const gets = 150_000
	held := make([][]byte, gets)
	all, lost := recorded(t, 1, p, func() {
		for i := range held {
			held[i] = p.Get(1)
		}
	})
	if len(all) != 1<<17 || uint64(len(all))+lost != gets {
		t.Errorf("%d of %d are recorded and %d lost", len(all), gets, lost)
	}
}

// TestRecordWhileUsed starts and stops recordings while some goroutines use a pool and others
// start to.
func TestRecordWhileUsed(t *testing.T) {
	p := &basin.BytePool{}
	stop := make(chan struct{})
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p.Put(p.Get(100))
				fresh := &basin.BytePool{}
				fresh.Put(fresh.Get(5))
			}
		})
	}
	for range 50 {
		r := recorder.Start(1)
		if recorder.Start(1) != nil {
			t.Error("two recordings at a time")
		}
		for len(r.Drain(nil)) == 0 {
		}
		r.Stop()
		r.Stop()
	}
	close(stop)
	users.Wait()
	if n := p.Stats().Bytes.InUse; n != 0 {
		t.Errorf("%d bytes are in use", n)
	}
}
