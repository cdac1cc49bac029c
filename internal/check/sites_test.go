//go:build go1.25

package check

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func newSites(most int, limit int64) (*sites, *stacks, *budget) {
	s, l := newStacks(limit)
	x := new(sites)
	x.init(s, most)
	return x, s, l
}

// TestSites: a site is a stack and the name of a pool. It counts the events of its items, and refers to the
// stack of the latest Put.
func TestSites(t *testing.T) {
	l, stacks, _ := newSites(100, unlimited)
	at, other, put := stacks.retain(synthetic(1)), stacks.retain(synthetic(2)), stacks.retain(synthetic(3))
	s := l.get("a", at)
	if l.get("a", at) != s {
		t.Error("two sites of one stack and pool")
	}
	if l.get("b", at) == s || l.get("a", other) == s {
		t.Error("one site of two pools or stacks")
	}
	if l.get("a", nil) != &l.unlisted || l.unlisted.gets != 1 {
		t.Error("an acquisition without a stack is not counted as unlisted")
	}
	l.again(s)
	l.again(s)
	l.again(s)
	l.cancel(s)
	l.put(s, put)
	l.put(s, nil) // no memory for the stack
	l.leak(s, 2)
	l.leftUnfreed(s)
	if s.gets != 4 || s.puts != 2 || s.leaks != 2 || s.unfreed != 1 || s.held() != 0 || s.last != put {
		t.Errorf("%+v", s)
	}
	if n := put.refs.Load(); n != 2 {
		t.Errorf("the stack of the latest Put has %d references", n)
	}
	l.put(s, put)
	l.put(s, at)
	if s.last != at || put.refs.Load() != 1 || at.refs.Load() != 4 {
		t.Errorf("after another Put, the stack before has %d references, its own %d", put.refs.Load(), at.refs.Load())
	}
	l.put(&l.unlisted, put)
	if put.refs.Load() != 1 || l.unlisted.last != nil || l.unlisted.puts != 1 {
		t.Error("unlisted items have a latest Put")
	}
	l.again(nil) // must do nothing
}

// TestSitesForget: if there are too many sites, the one with the fewest acquisitions and nothing outstanding makes
// room. Its numbers are not lost, and later events of its items are not counted.
func TestSitesForget(t *testing.T) {
	l, stacks, budget := newSites(4, unlimited)
	add := func(at uintptr, gets, puts, leaks int) *site {
		x := stacks.retain(synthetic(at))
		defer stacks.release(x)
		var s *site
		for range gets {
			s = l.get("pool", x)
		}
		for range puts {
			l.put(s, x)
		}
		l.leak(s, leaks)
		return s
	}
	held, leaky, large, small := add(1, 3, 2, 0), add(2, 1, 0, 1), add(3, 5, 5, 0), add(4, 3, 3, 0)
	l.leftUnfreed(small)
	before := budget.used.Load()
	fifth := add(5, 2, 1, 0) // in place of small
	for s, want := range map[*site]bool{held: true, leaky: true, large: true, small: false, fifth: true} {
		if listed := l.all[s.key] == s; listed != want {
			t.Errorf("the site at %d is listed: %t", s.key.acquired.pcs, listed)
		}
	}
	if u := &l.unlisted; u.gets != 3 || u.puts != 3 || u.unfreed != 1 || u.leaks != 0 {
		t.Errorf("unlisted: %+v", u)
	}
	if used := budget.used.Load(); used != before {
		t.Errorf("%d bytes are paid for four sites, and %d for four others", before, used)
	}
	l.again(small)
	if small.gets != 3 {
		t.Error("a site that was forgotten goes on counting")
	}
	sixth := add(6, 1, 1, 0)
	if sixth == &l.unlisted || l.all[large.key] == large {
		t.Error("a site without outstanding items does not make room")
	}
	l.again(sixth) // now all have outstanding items or leaks
	if seventh := add(7, 2, 1, 0); seventh != &l.unlisted || len(l.all) != 4 {
		t.Errorf("with nothing to forget, there are %d sites", len(l.all))
	}
	if u := &l.unlisted; u.gets != 3+5+2 || u.puts != 3+5+1 {
		t.Errorf("unlisted: %+v", u)
	}
}

// TestSitesCount: in any order of events, sites and unlisted count all of them, within the limits.
func TestSitesCount(t *testing.T) {
	for seed := range uint64(20) {
		const most, limit = 5, 5*siteCost + reservedForPuts + 10*(stackCost+frameCost)
		l, stacks, budget := newSites(most, limit)
		r := rand.New(rand.NewPCG(seed, 1))
		var out []*site
		var gets, puts, leaks uint64
		for range 1000 {
			switch n := r.IntN(10); {
			case n < 5:
				x := stacks.retain(synthetic(uintptr(r.IntN(12))))
				out = append(out, l.get(strconv.Itoa(r.IntN(2)), x))
				stacks.release(x)
				gets++
			case len(out) > 0:
				i := r.IntN(len(out))
				s := out[i]
				out[i] = out[len(out)-1]
				out = out[:len(out)-1]
				if n < 9 {
					by := stacks.retain(synthetic(uintptr(r.IntN(12))))
					l.put(s, by)
					stacks.release(by)
					puts++
				} else if r.IntN(10) == 0 {
					l.leak(s, 1)
					leaks++
				} else {
					l.cancel(s)
					gets--
				}
			}
			if len(l.all) > most || budget.used.Load() > limit {
				t.Fatalf("%d sites, %d bytes", len(l.all), budget.used.Load())
			}
		}
		sum := l.unlisted
		want := int64(len(l.all)) * siteCost
		for _, s := range l.all {
			sum.gets, sum.puts, sum.leaks = sum.gets+s.gets, sum.puts+s.puts, sum.leaks+s.leaks
		}
		for _, s := range stacks.all {
			want += costOf(len(s.pcs))
		}
		if sum.gets != gets || sum.puts != puts || sum.leaks != leaks || sum.held() != uint64(len(out)) {
			t.Errorf("seed %d: %d Gets, %d Puts and %d leaks are counted, want %d, %d and %d", seed, sum.gets, sum.puts, sum.leaks, gets, puts, leaks)
		}
		if used := budget.used.Load(); used != want {
			t.Errorf("seed %d: %d bytes, want %d", seed, used, want)
		}
	}
}

// TestMayGuard: how many guarded arrays a site may have outstanding, by those on the heap.
func TestMayGuard(t *testing.T) {
	for _, tt := range []struct {
		excused, full bool
		heap, most    int
	}{
		{false, false, 0, guardedSampled}, {false, false, 5, guardedSampled + 5},
		{false, true, 0, guardedFull}, {false, true, 5, guardedFull + 5},
		{true, false, 0, guardedExcused}, {true, false, 7, guardedExcused}, {true, true, 16, guardedExcused + 2},
	} {
		l, stacks, _ := newSites(1, unlimited)
		s := l.get("pool", stacks.retain(synthetic(1)))
		if tt.excused {
			l.excuse(s)
		}
		l.holds(s, false, tt.heap)
		n := 0
		for ; n < 2*guardedFull && l.mayGuard(s, tt.full); n++ {
			l.holds(s, true, 1)
		}
		if n != tt.most {
			t.Errorf("%+v: %d are guarded", tt, n)
		}
		if l.holds(s, true, -1); !l.mayGuard(s, tt.full) {
			t.Errorf("%+v: none may be guarded after one has ended", tt)
		}
	}
}
