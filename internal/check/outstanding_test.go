//go:build go1.25

package check

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// TestSort: the order of sites does not depend on the order in which they come.
func TestSort(t *testing.T) {
	sorted := []Site{
		{Pool: "z", Bytes: 100, Items: 1},
		{Pool: "z", Bytes: 50, Items: 3},
		{Pool: "a", Bytes: 50, Items: 2},
		{Pool: "z", Leaks: 2},
		{Pool: "y", Leaks: 1, Gets: 7},
		{Pool: "a", Gets: 9},
		{Pool: "a", Gets: 8, Acquired: []uintptr{1}},
		{Pool: "a", Gets: 8, Acquired: []uintptr{1, 2}},
		{Pool: "a", Gets: 8, Acquired: []uintptr{2}},
		{Pool: "b", Gets: 8},
		{},
	}
	for seed := range uint64(50) {
		list := slices.Clone(sorted)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if Sort(list); !reflect.DeepEqual(list, sorted) {
			t.Fatalf("seed %d: %+v", seed, list)
		}
	}
	Sort(nil)
}

// TestOutstanding: outstanding items of all kinds are listed by pool and place, those that need not be put are not.
// A sample multiplies them.
func TestOutstanding(t *testing.T) {
	pointer, slice := reflect.TypeFor[*[8]int64](), reflect.TypeFor[[]int64]()
	for _, every := range []int{1, 5} {
		tr, o, _ := begin(t, every, every == 1)
		other, held := NewOwner("other"), NewOwner("held")
		held.Held.Store(true)
		var keep []any
		for range 3 {
			keep = append(keep, array(tr, o, 100)) // one site
		}
		keep = append(keep, array(tr, o, 7000), array(tr, other, 64), array(tr, held, 32))
		x, y := array(tr, o, 64), array(tr, o, 64)
		tr.Put(o, x, 64)
		tr.Exempt(y)
		v, w := new([8]int64), new([8]int64)
		for range 2 {
			tr.GetValue(o, unsafe.Pointer(v), pointer, 1000)
		}
		tr.GetValue(o, unsafe.Pointer(w), slice, 1000) // need not be put
		block := make([]byte, 4*300)
		f := tr.Fixed(other, block, 300, false)
		for _, i := range []int{0, 1, 2} {
			getsFixed(f, i)
		}
		f.Get(3, false)
		f.Put(2)
		m := int64(every)
		type line struct {
			pool         string
			items, bytes int64
		}
		want := []line{{o.Name, m, 7000 * m}, {o.Name, 2 * m, 2000 * m}, {"other", 2 * m, 600 * m}, {o.Name, 3 * m, 300 * m}, {"other", m, 64 * m}}
		if every == 1 {
			want = append(want, line{"held", 1, 32})
		}
		for name, list := range map[string][]Site{"Outstanding": tr.Outstanding(), "Sites": tr.Sites()} {
			var got []line
			for _, s := range list {
				if s.Items > 0 {
					got = append(got, line{s.Pool, s.Items, s.Bytes})
				}
				if len(s.Acquired) == 0 || s.Goroutine != 0 {
					t.Errorf("%s: %+v", name, s)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("one in %d, %s: %v, want %v", every, name, got, want)
			}
		}
		runtime.KeepAlive([]any{keep, x, y, v, w, f})
	}
}

// TestSitesOf: a site has the numbers of one line, also of items that are gone, and the place of the latest Put.
func TestSitesOf(t *testing.T) {
	const every = 4
	tr, o, _ := begin(t, every, false)
	var last *byte
	for i := range 6 {
		last = array(tr, o, 64)
		if i < 3 {
			tr.Put(o, last, 64)
		} else if i < 5 {
			puts(tr, o, last, 64)
		}
	}
	tr.table.died(tr.table.shard(addr(last)).records[addr(last)])
	got := tr.Sites()
	if len(got) != 1 {
		t.Fatalf("sites: %+v", got)
	}
	s := got[0]
	if s.Gets != 6*every || s.Puts != 5*every || s.Leaks != every || s.Unfreed != 0 || s.Items != 0 || s.Bytes != 0 || s.Pool != o.Name ||
		innermost(s.Acquired) != "array" || innermost(s.LastPut) != "puts" {
		t.Errorf("%+v, put at %s", s, innermost(s.LastPut))
	}
	tr.sites.most = 1 // which has a leak, so it does not make room for others
	other := NewOwner("other")
	tr.Put(other, array(tr, other, 64), 64)
	tr.sites.leftUnfreed(&tr.sites.unlisted)
	got = tr.Sites()
	if i := slices.IndexFunc(got, func(s Site) bool { return s.Acquired == nil }); len(got) != 2 || i < 0 || got[i].Pool != "" ||
		got[i].Gets != every || got[i].Puts != every || got[i].Unfreed != every {
		t.Errorf("the sum of unlisted sites is missing: %+v", got)
	}
}

// TestOutstandingByGoroutine: items of several goroutines are told apart if records note goroutines.
func TestOutstandingByGoroutine(t *testing.T) {
	defer Goroutines.Store(Goroutines.Load())
	Goroutines.Store(true)
	tr, o, _ := begin(t, 1, true)
	type made struct {
		xs []*byte
		by uint64
	}
	all := make(chan made)
	want := make(map[uint64]int64)
	var keep []made
	for n := range 3 {
		go func() {
			var m made
			for range n + 1 {
				m.xs = append(m.xs, array(tr, o, 64))
			}
			m.by = Goroutine()
			all <- m
		}()
		m := <-all
		want[m.by] = int64(n + 1)
		keep = append(keep, m)
	}
	got := make(map[uint64]int64)
	for _, s := range tr.Outstanding() {
		got[s.Goroutine] += s.Items
	}
	if !reflect.DeepEqual(got, want) || len(want) != 3 {
		t.Errorf("items by goroutine: %v, want %v", got, want)
	}
	if s := tr.Sites(); len(s) != 1 || s[0].Items != 6 {
		t.Errorf("they are not one site: %+v", s)
	}
	_, f := tr.Put(o, keep[1].xs[0], 1)
	if f.Kind != misuse.ReslicedPut || f.Goroutine != keep[1].by {
		t.Errorf("acquired by goroutine %d, want %d", f.Goroutine, keep[1].by)
	}
	runtime.KeepAlive(keep)
}
