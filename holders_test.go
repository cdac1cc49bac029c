//go:build go1.25

package basin_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pin"
)

// heldBy returns the outstanding items and bytes of pools with the given name, by the line of this file.
func heldBy(name string) map[int]basin.Amount {
	held := make(map[int]basin.Amount)
	for _, s := range basincheck.Outstanding() {
		if s.Pool != name {
			continue
		}
		line := 0
		for _, f := range s.Stack.Frames() {
			if strings.HasSuffix(f.File, "holders_test.go") {
				line = f.Line
				break
			}
		}
		a := held[line]
		held[line] = basin.Amount{Items: a.Items + s.Items, Bytes: a.Bytes + s.Bytes}
	}
	return held
}

func thisLine() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

// TestHoldersAreKnown: at each of 40 full ceilings, all lines that hold memory are known, with exact
// figures, whether checks are off or sampled. After the Puts there are none.
func TestHoldersAreKnown(t *testing.T) {
	for level, settings := range checkSettings {
		if settings.Level == basincheck.Full {
			continue
		}
		t.Run(level, func(t *testing.T) {
			withChecks(t, settings)
			name := t.Name()
			p := &basin.BytePool{Name: name, MaxInUse: 4 << 20, MaxSize: 64 << 10}
			for trial := range 40 {
				for range 200 {
					p.Put(p.Get(4096))
				}
				var held [][]byte
				want := make(map[int]basin.Amount)
				hold := func(line int, b []byte) {
					if b == nil {
						t.Fatalf("line %d: nothing", line)
					}
					a := want[line]
					want[line] = basin.Amount{Items: a.Items + 1, Bytes: a.Bytes + int64(cap(b))}
					held = append(held, b)
				}
				get := func(n int) []byte {
					b, _ := p.GetContext(t.Context(), n)
					return b
				}
				for range 5 {
					hold(thisLine(), p.Get(64<<10))
					hold(thisLine(), p.Append(nil, make([]byte, 1000)...))
					hold(thisLine(), p.Get(1<<17)) // larger than MaxSize
				}
				b := get(1024) // the line of the func literal
				held = append(held, b)
				if try, ok := p.TryGet(100); ok {
					hold(thisLine()-1, try)
				}
				got := heldBy(name)
				for line, a := range want {
					if got[line] != a {
						t.Fatalf("trial %d, line %d: %v, want %v; all: %v", trial, line, got[line], a, got)
					}
				}
				if len(got) != len(want)+1 {
					t.Fatalf("trial %d: %v, want these and a line more: %v", trial, got, want)
				}
				sum := int64(0)
				for _, a := range got {
					sum += a.Bytes
				}
				if in := p.Stats().Bytes.InUse; sum != in {
					t.Fatalf("trial %d: lines hold %d bytes, %d are in use", trial, sum, in)
				}
				for _, b := range held {
					p.Put(b)
				}
				if got := heldBy(name); len(got) != 0 {
					t.Fatalf("trial %d: after the Puts %v", trial, got)
				}
			}
		})
	}
}

// TestHolderCounts: Gets and Puts of a place never go back, and its Leaks are the lost slices.
func TestHolderCounts(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	of := func() (s basincheck.Site) {
		for _, x := range basincheck.Sites() {
			if x.Pool == t.Name() {
				s.Gets, s.Puts, s.Leaks, s.Items = s.Gets+x.Gets, s.Puts+x.Puts, s.Leaks+x.Leaks, s.Items+x.Items
			}
		}
		if int64(s.Gets-s.Puts-s.Leaks) != s.Items {
			t.Errorf("%d gets, %d puts, %d leaks, %d outstanding", s.Gets, s.Puts, s.Leaks, s.Items)
		}
		return s
	}
	var last basincheck.Site
	for i := range 10 {
		held := make([][]byte, i)
		for i := range held {
			held[i] = p.Get(1000)
		}
		s := of()
		if s.Items != int64(i) || s.Gets < last.Gets || s.Puts < last.Puts {
			t.Errorf("%d outstanding: %+v, and before %+v", i, s, last)
		}
		last = s
		for _, b := range held {
			p.Put(b)
		}
	}
	func() {
		for range 7 {
			p.Get(1 << 12)[0] = 1
		}
	}()
	of()
	for range 100 {
		if p.Stats().Lost.Items == 7 {
			break
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if s := of(); s.Leaks != 7 || s.Items != 0 {
		t.Errorf("after the loss of 7: %+v", s)
	}
}

// TestHoldersWhileOthersUse: with goroutines that get and put, the places are never more than the ceiling
// allows, and in the end there are none.
func TestHoldersWhileOthersUse(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 << 10}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 2000 {
				b := p.Get(1 + (i*37+g)%5000)
				if i%100 == 0 {
					runtime.Gosched()
				}
				p.Put(b)
			}
		}()
	}
	for range 50 {
		heldBy(t.Name())
	}
	wg.Wait()
	if got := heldBy(t.Name()); len(got) != 0 {
		t.Errorf("after all Puts: %v", got)
	}
}

// wrongly is a way to put a slice elsewhere.
type wrongly struct {
	name  string
	into  func() (pool any, put func([]byte))
	drops bool // at once
}

// busyGets are so many that a pool has magazines, if there are any.
var busyGets = map[bool]int{true: 50_000, false: 100}[pin.Available]

var wrongPools = []wrongly{
	{"a pool", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other"}
		return q, q.Put
	}, false},
	{"a busy pool", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other"}
		for range busyGets {
			q.Put(q.Get(64 << 10))
		}
		return q, q.Put
	}, false},
	{"a pool with a ceiling", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other", MaxInUse: 1 << 30}
		return q, q.Put
	}, true},
	{"a pool that keeps nothing", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other", MaxIdle: basin.KeepNone}
		return q, q.Put
	}, true},
	{"a pool for small slices", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other", MaxSize: 4096}
		return q, q.Put
	}, true},
	{"a pool, the capacity cut", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other"}
		return q, func(b []byte) { q.Put(b[: 16<<10 : 16<<10]) }
	}, false},
	{"a pool with a ceiling, the capacity cut", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "other", MaxInUse: 1 << 30}
		return q, func(b []byte) { q.Put(b[:1000:1000]) }
	}, true},
	{"one of 300 pools with ceilings", func() (any, func([]byte)) {
		pools := make([]basin.BytePool, 300)
		for i := range pools {
			pools[i].Name, pools[i].MaxInUse = "other", 1<<20
			pools[i].Put(pools[i].Get(1000))
		}
		return &pools[299], pools[299].Put
	}, true},
	{"a FixedPool", func() (any, func([]byte)) {
		q := &basin.FixedPool{Name: "other", Count: 4, Size: 64 << 10}
		return q, q.Put
	}, true},
	{"a FixedPool that clears, the capacity cut", func() (any, func([]byte)) {
		q := &basin.FixedPool{Name: "other", Count: 4, Size: 64 << 10, Zero: true}
		return q, func(b []byte) { q.Put(b[:7:7]) }
	}, true},
	{"a bytes.Buffer", func() (any, func([]byte)) {
		q := &basin.StdBufferPool{Name: "other", InitialSize: 64 << 10}
		return q, func(b []byte) { q.Put(bytes.NewBuffer(b)) }
	}, false},
	{"a bytes.Buffer of a busy pool", func() (any, func([]byte)) {
		q := &basin.StdBufferPool{Name: "other", InitialSize: 64 << 10}
		for range 50_000 {
			q.Put(q.Get())
		}
		return q, func(b []byte) { q.Put(bytes.NewBuffer(b)) }
	}, false},
	{"a bytes.Buffer that is too large", func() (any, func([]byte)) {
		q := &basin.StdBufferPool{Name: "other", MaxSize: 1024}
		return q, func(b []byte) { q.Put(bytes.NewBuffer(b)) }
	}, true},
	{"handles", func() (any, func([]byte)) {
		q := &basin.BytePool{Name: "between"}
		h := &basin.BufferPool{Name: "other", InitialSize: 64 << 10, Bytes: q}
		return h, func(b []byte) {
			q.Put(b)
			h.Put(h.Get())
		}
	}, false},
}

// TestPutElsewhere: 200 requests that each put their slice into another pool all get one, and the accounts
// of both pools are exact.
func TestPutElsewhere(t *testing.T) {
	const n, size = 200, 64 << 10
	for _, w := range wrongPools {
		for how, get := range map[string]func(*basin.BytePool) []byte{
			"GetContext": func(p *basin.BytePool) []byte {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				b, _ := p.GetContext(ctx, size)
				return b
			},
			"TryGet": func(p *basin.BytePool) []byte { b, _ := p.TryGet(size); return b },
		} {
			t.Run(w.name+"/"+how, func(t *testing.T) {
				withChecks(t, basincheck.Settings{})
				l := logTo(t)
				p := &basin.BytePool{Name: t.Name(), MaxInUse: 16 * size}
				q, put := w.into()
				for i := range n {
					b := get(p)
					if b == nil {
						// Under a loaded machine, a search may have used its time up.
						for wait := time.Second; b == nil; wait *= 2 {
							if wait > 10*time.Second {
								t.Fatalf("request %d: refused; %v", i, p.Stats())
							}
							time.Sleep(wait)
							b = get(p)
						}
						t.Logf("request %d: refused for a time", i)
					}
					b[0] = 1
					put(b)
				}
				s := foundIn(p, uint64(n-p.Stats().Items.InUse))
				found := int64(s.Misuse.Of(basincheck.WrongPool))
				if found+s.Items.InUse != n || s.Bytes.InUse != s.Items.InUse*size || int64(s.Puts) != found || s.Lost.Items != 0 ||
					s.PeakInUse.Bytes > 16*size {
					t.Errorf("found %d: %v", found, s)
				}
				if w.drops && found != n {
					t.Errorf("found %d of %d that were dropped", found, n)
				}
				if q, ok := q.(*basin.BytePool); ok {
					o := q.Stats()
					if o.Items.InUse != 0 || o.Misuse.Total() != 0 {
						t.Errorf("the other pool: %v", o)
					}
				}
				for range 200 {
					if len(l.with("put into another pool")) > 0 {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				lines := l.with("put into another pool")
				if len(lines) < 1 || len(lines) > 2 {
					t.Fatalf("%d lines in the log: %q", len(lines), lines)
				}
				for _, part := range []string{t.Name(), "into=", "holders_test.go", "slices="} {
					if !strings.Contains(lines[0], part) {
						t.Errorf("the log does not say %s: %q", part, lines[0])
					}
				}
			})
		}
	}
}

// TestElsewhereIsNoOnesTwice: a slice that was put into both pools makes no room, and no two users of
// the pools get the same array.
func TestElsewhereIsNoOnesTwice(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	const size = 4096
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 4 * size}
	q := &basin.BytePool{Name: "other"}
	for range 20 {
		b := p.Get(size)
		p.Put(b)
		q.Put(b)
		var all [][]byte
		for range 4 {
			b, ok := p.TryGet(size)
			if !ok {
				t.Fatalf("no room: %v", p.Stats())
			}
			all = append(all, b)
		}
		for idle := q.Stats().Items.Idle; q.Stats().Items.Idle == idle; { // until a search, which may be late, takes b out of q
			if b, ok := p.TryGet(size); ok {
				// b is held by one of all: its array is nobody's else, but its room was given back.
				all = append(all, b)
			}
			time.Sleep(time.Millisecond)
		}
		all = append(all, q.Get(size))
		seen := make(map[*byte]bool)
		for _, b := range all {
			if seen[&b[0]] {
				t.Fatal("two users have one array")
			}
			seen[&b[0]] = true
		}
		q.Put(all[len(all)-1])
		for _, b := range all[:len(all)-1] {
			p.Put(b)
		}
		if s := p.Stats(); s.Items.InUse != 0 || s.Bytes.InUse != 0 {
			t.Fatalf("after all Puts: %v", s)
		}
	}
}

// TestElsewhereOnlyOwn: searches take nothing out of other pools that is their own, whatever the addresses
// of arrays that have died.
func TestElsewhereOnlyOwn(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	const size = 1024
	q := &basin.BytePool{Name: "other"}
	for range 20 {
		p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 * size}
		func() {
			for range 64 {
				p.Get(size)[0] = 1
			}
		}()
		go runtime.GC()
		var all [][]byte
		for range 200 { // some of them where arrays of p have died
			all = append(all, q.Get(size))
		}
		for _, b := range all {
			q.Put(b)
		}
		before := q.Stats()
		for range 10 {
			p.TryGet(size)
		}
		if s := q.Stats(); s.Items.Idle != before.Items.Idle {
			t.Fatalf("%d idle, and before the searches %d", s.Items.Idle, before.Items.Idle)
		}
		if n := p.Stats().Misuse.Total(); n != 0 {
			t.Fatalf("%d misuses", n)
		}
		runtime.KeepAlive(p)
	}
}

// TestElsewhereWhileOthersUse: goroutines put slices of a pool into another one that others use, and all
// accounts are exact in the end.
func TestElsewhereWhileOthersUse(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	const size = 4096
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 * size}
	q := &basin.BytePool{Name: "other"}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range 300 {
				b := p.Get(size)
				for j := range b {
					b[j] = byte(g)
				}
				runtime.Gosched()
				if n := bytes.Count(b, []byte{byte(g)}); n != len(b) {
					t.Errorf("%d of %d bytes are mine", n, len(b))
				}
				if (i+g)%4 == 0 {
					q.Put(b)
				} else {
					p.Put(b)
				}
			}
		}()
		go func() {
			defer wg.Done()
			for range 3000 {
				b := q.Get(size)
				b[0] = byte(g)
				q.Put(b)
			}
		}()
	}
	wg.Wait()
	q.Put(p.Get(size)) // others may have been taken out of q by its users
	for range 500 {    // all that is in q by now; a search that found nothing puts off the next
		if p.Stats().Items.InUse == 0 {
			break
		}
		var all [][]byte
		for {
			b, ok := p.TryGet(size)
			if !ok {
				break
			}
			all = append(all, b)
		}
		for _, b := range all {
			p.Put(b)
		}
		time.Sleep(20 * time.Millisecond)
	}
	s := p.Stats()
	if s.Items.InUse != 0 && s.Lost.Items == 0 || s.Gets-s.Puts-uint64(s.Lost.Items) != uint64(s.Items.InUse) || s.Bytes.InUse != s.Items.InUse*size {
		t.Errorf("in the end: %v", s)
	}
	if s.Misuse.Of(basincheck.WrongPool) == 0 && s.Lost.Items == 0 { // lost: the other pool has let it go before a search
		t.Error("nothing was found in the other pool")
	}
}

// TestWaitersGetRoomFromElsewhere: a request that waits already is served after the slice that it waits
// for has been put into another pool.
func TestWaitersGetRoomFromElsewhere(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 4096}
	q := &basin.BytePool{Name: "other"}
	b := p.Get(4096)
	got := make(chan error)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_, err := p.GetContext(ctx, 4096)
		got <- err
	}()
	for p.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	q.Put(b)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestPutElsewhereChecked: at each level of checks, a slice that is put into a wrong pool gives its room back.
func TestPutElsewhereChecked(t *testing.T) {
	logTo(t)
	for _, s := range []basincheck.Settings{
		{}, {Level: basincheck.Sampled, Every: 256}, {Level: basincheck.Sampled, Every: 2}, {Level: basincheck.Sampled, Every: 2, Guard: true},
		{Level: basincheck.Full}, {Level: basincheck.Full, Guard: true},
	} {
		t.Run(fmt.Sprint(s.Level, s.Every, s.Guard), func(t *testing.T) {
			s.Handler = func(r *basincheck.Report) {
				if r.Kind != basincheck.WrongPool {
					t.Errorf("%v", r)
				}
			}
			withChecks(t, s)
			p := &basin.BytePool{Name: t.Name(), MaxInUse: 256 << 10}
			q := &basin.BytePool{Name: "other"}
			const n = 2000
			for i := range n {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				b, err := p.GetContext(ctx, 64<<10)
				cancel()
				if err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
				q.Put(b)
			}
			if s := foundIn(p, n-4); s.Lost != (basin.Amount{}) || s.Bytes.InUse != s.Items.InUse*(64<<10) || s.Gets-s.Puts != uint64(s.Items.InUse) || s.Misuse.Of(basincheck.WrongPool) < n-4 {
				t.Errorf("%v", s)
			}
		})
	}
}

// foundIn returns p's statistics once n of its slices have been found in other pools. A search makes room first
// and counts then, and it may be another goroutine's.
func foundIn(p *basin.BytePool, n uint64) basin.Stats {
	for range 20_000 {
		if p.Stats().Misuse.Of(basincheck.WrongPool) >= n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return p.Stats()
}

// TestWaitersGetAllThatTheyNeed: the ceiling is not full, but has too little room for the request.
func TestWaitersGetAllThatTheyNeed(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 64 << 10}
	q := &basin.BytePool{Name: "other"}
	held, b := p.Get(16<<10), p.Get(32<<10)
	got := make(chan error)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_, err := p.GetContext(ctx, 48<<10)
		got <- err
	}()
	for p.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	q.Put(b)
	if err := <-got; err != nil {
		t.Error(err)
	}
	p.Put(held)
}

// TestHoldersAtFull: full checks do not track slices that were taken before, and those larger than MaxSize. They
// are among the holders nevertheless, and nothing is there twice.
func TestHoldersAtFull(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	name := t.Name()
	p := &basin.BytePool{Name: name, MaxInUse: 1 << 20, MaxSize: 64 << 10}
	want := make(map[int]basin.Amount)
	var held [][]byte
	hold := func(line int, b []byte) {
		want[line] = basin.Amount{Items: 1, Bytes: int64(cap(b))}
		held = append(held, b)
	}
	hold(thisLine(), p.Get(1000))
	hold(thisLine(), p.Get(100_000))
	full := basincheck.Settings{Level: basincheck.Full, Handler: func(r *basincheck.Report) {
		if r.Pool == name { // and not one of an earlier test, whose memory is found only now
			t.Errorf("%v", r)
		}
	}}
	basincheck.Set(full)
	hold(thisLine(), p.Get(1000))
	hold(thisLine(), p.Get(100_000))
	check := func(when string) {
		t.Helper()
		got := heldBy(name)
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
		for line, a := range want {
			if got[line] != a {
				t.Errorf("%s: line %d: %v, want %v", when, line, got[line], a)
			}
		}
	}
	check("full")
	basincheck.Set(basincheck.Settings{})
	check("off again")
	basincheck.Set(full)
	check("full again")
	for _, b := range held {
		p.Put(b)
	}
	if got := heldBy(name); len(got) != 0 {
		t.Errorf("after the Puts: %v", got)
	}
}

// TestLostBuffers: Buffers that become garbage without Free, and results of Detach, are no leaks, under a ceiling
// either. Storage of a Shared is.
func TestLostBuffers(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	logTo(t)
	for name, size := range map[string]int{"small": 1000, "larger than MaxSize": 100_000} {
		t.Run(name, func(t *testing.T) {
			p := &basin.BytePool{Name: t.Name(), MaxInUse: 16 << 20, MaxSize: 64 << 10}
			h := &basin.BufferPool{Bytes: p, InitialSize: 64}
			of := func() (s basincheck.Site) {
				for _, x := range basincheck.Sites() {
					if x.Pool == t.Name() {
						s.Gets, s.Puts, s.Leaks, s.Unfreed, s.Items = s.Gets+x.Gets, s.Puts+x.Puts, s.Leaks+x.Leaks, s.Unfreed+x.Unfreed, s.Items+x.Items
					}
				}
				return s
			}
			lose := func(f func(*basin.Buffer)) {
				for range 3 {
					b := h.Get()
					b.Write(make([]byte, size))
					f(b)
				}
				of() // or nobody has seen the Gets
			}
			lose(func(*basin.Buffer) {})
			lose(func(b *basin.Buffer) { b.Detach() })
			lose(func(*basin.Buffer) { basin.NewBuffer(p.Get(size)) })
			lose(func(b *basin.Buffer) { p.NewShared(b.Detach()) })
			func() { p.Get(size)[0] = 1 }()
			of()
			for range 200 {
				if p.Stats().Items.InUse == 0 {
					break
				}
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
			if s := of(); s.Items != 0 || s.Leaks != 4 || s.Unfreed != 12 || s.Gets-s.Puts-s.Leaks-s.Unfreed != 0 || p.Stats().Lost.Items != 16 {
				t.Errorf("%+v; %v", s, p.Stats())
			}
		})
	}
}

// TestGoStatementHolds: a goroutine that begins in Get has no line of the program in its stack. Its row says
// so, and is not one of basin's lines.
func TestGoStatementHolds(t *testing.T) {
	withChecks(t, basincheck.Settings{})
	p := &basin.BytePool{Name: t.Name(), MaxInUse: 1 << 20}
	go p.Get(1000)
	for p.Stats().Items.InUse == 0 {
		time.Sleep(time.Millisecond)
	}
	for _, s := range basincheck.Outstanding() {
		if f := s.Stack.Line(); s.Pool == t.Name() && f.Function != "go github.com/basin-go/basin.(*BytePool).Get" {
			t.Errorf("it is at %s %s:%d", f.Function, f.File, f.Line)
		}
	}
}

// TestPutElsewhereAfterChecks: slices that checks have tracked are put into a wrong pool when those checks
// have ended, or others have begun. All of them make room again.
func TestPutElsewhereAfterChecks(t *testing.T) {
	logTo(t)
	handler := func(r *basincheck.Report) {
		if r.Kind != basincheck.WrongPool {
			t.Errorf("%v", r)
		}
	}
	const n, size = 16, 4096
	ways := slices.DeleteFunc(slices.Clone(wrongPools), func(w wrongly) bool {
		_, ok := first(w.into()).(*basin.BytePool)
		return !ok || strings.Contains(w.name, "cut") // for slices of another size
	})
	for i, before := range []basincheck.Settings{
		{Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Full}, {Level: basincheck.Full, Guard: true},
	} {
		for j, after := range []basincheck.Settings{{}, {Level: basincheck.Sampled, Every: 16}, {Level: basincheck.Sampled, Guard: true}} {
			for k, w := range ways {
				if testing.Short() && (i != j || k%3 != i) {
					continue
				}
				t.Run(fmt.Sprint(before.Level, before.Guard, after.Level, after.Guard, ", ", w.name), func(t *testing.T) {
					before.Handler, after.Handler = handler, handler
					withChecks(t, before)
					p := &basin.BytePool{Name: t.Name(), MaxInUse: n * size}
					q, put := w.into()
					var held [n][]byte
					for i := range held {
						held[i] = p.Get(size)
					}
					basincheck.Set(after)
					for _, b := range held {
						put(b)
					}
					for i := range held {
						ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
						b, err := p.GetContext(ctx, size)
						cancel()
						if err != nil {
							t.Fatalf("request %d: %v; %v", i, err, p.Stats())
						}
						held[i] = b
					}
					for _, b := range held {
						p.Put(b)
					}
					if s := foundIn(p, n); s.Gets != 2*n || s.Puts != 2*n || s.Bytes.InUse != 0 || s.Lost != (basin.Amount{}) || s.Misuse.Of(basincheck.WrongPool) != n {
						t.Errorf("%v", s)
					}
					if s := q.(*basin.BytePool).Stats(); s.Items.InUse != 0 || s.Misuse.Total() != 0 {
						t.Errorf("the other pool: %v", s)
					}
				})
			}
		}
	}
}

func first(pool any, _ func([]byte)) any { return pool }
