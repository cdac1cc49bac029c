//go:build go1.25

package basincheck_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		set, now basincheck.Settings
	}{
		{basincheck.Settings{}, basincheck.Settings{}},
		{basincheck.Settings{Every: 7, Guard: true}, basincheck.Settings{}},
		{basincheck.Settings{Level: basincheck.Sampled}, basincheck.Settings{Level: basincheck.Sampled, Every: basincheck.DefaultEvery}},
		{basincheck.Settings{Level: basincheck.Sampled, Every: 7, Guard: true}, basincheck.Settings{Level: basincheck.Sampled, Every: 7, Guard: guard.Available}},
		{basincheck.Settings{Level: basincheck.Full, Every: 7}, basincheck.Settings{Level: basincheck.Full}},
	} {
		pooltest.BeginChecks(t, basincheck.Settings{})
		basincheck.Set(tt.set)
		got := basincheck.Now()
		if got.Level != tt.now.Level || got.Every != tt.now.Every || got.Guard != tt.now.Guard {
			t.Errorf("after Set(%+v): %+v, want %+v", tt.set, got, tt.now)
		}
	}
	for _, bad := range []struct {
		c    basincheck.Settings
		want string
	}{
		{basincheck.Settings{Level: 3}, "Settings.Level is 3"},
		{basincheck.Settings{Level: basincheck.Sampled, Every: -1}, "Settings.Every is -1"},
	} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, bad.want) {
					t.Errorf("Set(%+v): %s, want a panic with %q", bad.c, msg, bad.want)
				}
			}()
			basincheck.Set(bad.c)
		}()
	}
	names := fmt.Sprint(basincheck.Off, basincheck.Sampled, basincheck.Full, basincheck.Level(9))
	if want := "off sampled full Level(9)"; names != want {
		t.Errorf("levels are called %s, want %s", names, want)
	}
}

func TestSetHandlerAlone(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	b := basin.Get(100)
	other := new(pooltest.Reports)
	c := pooltest.FullChecking
	c.Handler = other.Handle
	basincheck.Set(c)
	basin.Put(b)
	basin.Put(b)
	if len(told.Take()) != 0 || !slices.Equal(pooltest.Kinds(other.Take()), []basincheck.Kind{basincheck.DoublePut}) {
		t.Error("an exchanged handler was not told, alone, of items outstanding from before")
	}
}

func TestOutstanding(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	if s := basincheck.Outstanding(); len(s) != 0 {
		t.Fatalf("at first: %v", s)
	}
	p := &basin.BytePool{Name: "big"}
	var held [][]byte
	for range 3 {
		held = append(held, p.Get(1000))
	}
	held = append(held, basin.Get(100))
	s := basincheck.Outstanding()
	if len(s) != 2 || s[0].Pool != "big" || s[0].Items != 3 || s[0].Bytes != 3*1024 || !pooltest.InCaller(s[0].Stack) ||
		s[1].Pool != "default" || s[1].Items != 1 || s[1].Bytes != 128 {
		t.Errorf("outstanding: %+v", s)
	}
	p.Put(held[0])
	if s := basincheck.Outstanding(); s[0].Items != 2 {
		t.Errorf("after a Put: %+v", s)
	}
	basincheck.Set(basincheck.Settings{})
	if s := basincheck.Outstanding(); s != nil {
		t.Errorf("with checking off: %+v", s)
	}
	runtime.KeepAlive(held)
}

// TestSites has lines that put back, that leak and that keep, at each level.
func TestSites(t *testing.T) {
	take := func(p *basin.BytePool) []byte { return p.Get(100) }
	give := func(p *basin.BytePool, b []byte) { p.Put(b) }
	for _, s := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}, {Level: basincheck.Sampled, Every: 3}} {
		pooltest.BeginChecks(t, s)
		every := uint64(max(s.Every, 1))
		p := &basin.BytePool{Name: "p"}
		for range 300 {
			give(p, take(p))
		}
		var held [][]byte
		for range 300 {
			held = append(held, p.Get(1000))
		}
		for range 300 {
			p.Get(2000)
		}
		testenv.CollectUntil(func() bool { // cleanups run one by one
			return slices.ContainsFunc(basincheck.Sites(), func(x basincheck.Site) bool { return x.Leaks > 0 && x.Leaks == x.Gets })
		})
		tracked := basincheck.Stats().Tracked
		all := uint64(0)
		byLine := map[string]basincheck.Site{}
		for _, x := range basincheck.Sites() {
			f := x.Stack.Frames()[0]
			byLine[f.Function[strings.LastIndex(f.Function, ".")+1:]+" "+fmt.Sprint(x.Bytes > 0)+fmt.Sprint(x.Leaks > 0)] = x
			all += x.Gets
			if uint64(x.Items) != x.Gets-x.Puts-x.Leaks || x.Gets%every != 0 || x.Pool != "p" {
				t.Errorf("%+v: %+v, want the outstanding items", s, x)
			}
		}
		if all != tracked*every || len(byLine) != 3 {
			t.Errorf("%+v: %d gets at %d lines, of %d tracked", s, all, len(byLine), tracked)
		}
		put, leaks, holds := byLine["func1 falsefalse"], byLine["TestSites falsetrue"], byLine["TestSites truefalse"]
		if put.Gets == 0 || put.Puts != put.Gets || !strings.HasSuffix(put.LastPut.Frames()[0].Function, "TestSites.func2") {
			t.Errorf("%+v: items put back are %+v", s, put)
		}
		if leaks.Gets == 0 || leaks.Leaks != leaks.Gets || leaks.LastPut != nil || leaks.Leaks != p.Stats().Misuse.Of(basincheck.Leak) {
			t.Errorf("%+v: leaks are %+v, and the pool has %d", s, leaks, p.Stats().Misuse.Of(basincheck.Leak))
		}
		if holds.Gets == 0 || holds.Items != int64(holds.Gets) || holds.Bytes != 1024*holds.Items {
			t.Errorf("%+v: held items are %+v", s, holds)
		}
		if list := basincheck.Outstanding(); len(list) != 1 || list[0].Items != holds.Items {
			t.Errorf("%+v: outstanding is %+v", s, list)
		}
		runtime.KeepAlive(held)
	}
}

// TestSitesOfKinds compares the Sites of each kind of pool. Objects that need not be put back
// must not count.
func TestSitesOfKinds(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	slices := &basin.BytePool{Name: "slices"}
	handles := &basin.BufferPool{Name: "handles"}
	std := &basin.StdBufferPool{Name: "std"}
	values := &basin.Pool[*[10]int]{Name: "values", New: func() *[10]int { return new([10]int) }}
	arrays := &basin.Pool[[]byte]{Name: "arrays", New: func() []byte { return make([]byte, 100) }}
	fixed := &basin.FixedPool{Name: "fixed", Count: 2, Size: 100}
	for i := range 5 {
		a, b, c, d, e, f := slices.Get(100), handles.Get(), std.Get(), values.Get(), arrays.Get(), fixed.Get()
		if i < 3 {
			slices.Put(a)
			handles.Put(b)
			std.Put(c)
			values.Put(d)
			arrays.Put(e)
			fixed.Put(f)
			continue
		}
		defer runtime.KeepAlive([]any{&a[0], b, c, d, &f[0]})
	}
	var free basin.Buffer // need not be freed
	free.Write(make([]byte, 10_000))
	got := map[string][3]uint64{}
	for _, s := range basincheck.Sites() {
		sum := got[s.Pool]
		got[s.Pool] = [3]uint64{sum[0] + s.Gets, sum[1] + s.Puts, sum[2] + uint64(s.Items)}
	}
	for _, name := range []string{"slices", "handles", "std", "values", "fixed"} {
		if got[name] != [3]uint64{5, 3, 2} {
			t.Errorf("%s: gets, puts and outstanding are %v, want 5, 3 and 2", name, got[name])
		}
	}
	for name, n := range got {
		if n[2] > 2 || n[0]-n[1] != n[2] || name == "arrays" && n[0] > 0 {
			t.Errorf("%q: gets, puts and outstanding are %v", name, n)
		}
	}
	runtime.KeepAlive(&free)
}

// TestManySites has more lines than Sites remembers. Lines without outstanding objects give way
// first, and are counted in one Site without a stack.
func TestManySites(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	var held [][]byte
	p := &basin.BytePool{Name: "p"}
	const stacks = 1 << 10
	for i := range stacks {
		down2(10, i, func() { p.Put(p.Get(100)) })
	}
	down2(10, 0, func() { held = append(held, p.Get(100)) })
	listed, gets, puts, rest := 0, uint64(0), uint64(0), false
	for _, s := range basincheck.Sites() {
		listed++
		gets += s.Gets
		puts += s.Puts
		rest = rest || s.Stack == nil
	}
	if tracked := basincheck.Stats().Tracked; listed > 513 || gets != tracked || puts != gets-1 || !rest {
		t.Errorf("%d sites with %d gets and %d puts of %d tracked, others %v", listed, gets, puts, tracked, rest)
	}
	if list := basincheck.Outstanding(); len(list) != 1 || list[0].Items != 1 {
		t.Errorf("outstanding: %+v", list)
	}
	if u := basincheck.Stats(); u.Bytes > u.MaxBytes {
		t.Errorf("%d bytes, more than %d", u.Bytes, u.MaxBytes)
	}
	runtime.KeepAlive(held)
}

// down2 calls do from one of 2**depth stacks. The bits of which choose it.
//
//go:noinline
func down2(depth, which int, do func()) {
	switch {
	case depth == 0:
		do()
	case which&1 == 0:
		down2(depth-1, which>>1, do)
	default:
		down2(depth-1, which>>1, do)
	}
}
