//go:build go1.25

package weaklist

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// A thing is what a test lists, and a record its statistics.
type (
	thing struct {
		id      atomic.Uint64
		name    string
		trimmed int
	}
	record struct {
		id   uint64
		name string
		list []int // which read must get as it was
	}
)

func add(l *List, name string) *thing {
	x := &thing{name: name}
	Add(l, x, &x.id, nil, func(x *thing) { x.trimmed++ })
	return x
}

// read returns the record of each thing, and of each other item with its reader as the name.
func read(l *List, dst []record) []record {
	return Read(l, dst, func(x, reader any, id uint64, r *record) {
		if x, ok := x.(*thing); ok {
			r.id, r.name = id, x.name
			return
		}
		r.id, r.name = id, reader.(string)
	})
}

// TestRead reads things of two types in the order of their IDs, over the elements that dst has.
func TestRead(t *testing.T) {
	var l List
	a, b := add(&l, "a"), add(&l, "b")
	var other struct{ id atomic.Uint64 }
	Add(&l, &other, &other.id, "other", func(*struct{ id atomic.Uint64 }) {})
	if a.id.Load() != 1 || b.id.Load() != 2 || other.id.Load() != 3 {
		t.Errorf("IDs %d, %d and %d, want 1, 2 and 3", a.id.Load(), b.id.Load(), other.id.Load())
	}
	dst := append(make([]record, 0, 3), record{name: "before"})
	dst[:2][1].list = []int{7}
	got := read(&l, dst)
	names := make([]string, len(got))
	for i, r := range got {
		names[i] = r.name
	}
	if want := []string{"before", "a", "b", "other"}; !slices.Equal(names, want) {
		t.Errorf("read %q, want %q", names, want)
	}
	if got[1].id != 1 || got[3].id != 3 {
		t.Errorf("IDs %d and %d reach read, want 1 and 3", got[1].id, got[3].id)
	}
	if !slices.Equal(got[1].list, []int{7}) {
		t.Errorf("the list of an element of dst became %v", got[1].list)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
	runtime.KeepAlive(&other)
}

// TestTrim trims by ID, before and after things became garbage.
func TestTrim(t *testing.T) {
	var l List
	a, _, c := add(&l, "a"), add(&l, "b"), add(&l, "c")
	for _, id := range []uint64{1, 3} {
		if !l.Trim(id) {
			t.Errorf("nothing has the ID %d", id)
		}
	}
	for _, id := range []uint64{0, 4} {
		if l.Trim(id) {
			t.Errorf("something has the ID %d", id)
		}
	}
	if a.trimmed != 1 || c.trimmed != 1 {
		t.Errorf("a was trimmed %d times, c %d times, want 1", a.trimmed, c.trimmed)
	}
	testenv.CollectUntil(func() bool { return !l.Trim(2) })
	if l.Trim(2) {
		t.Error("garbage was trimmed")
	}
	if got := read(&l, nil); len(got) != 2 || got[0].name != "a" || got[1].name != "c" || len(l.all) != 2 {
		t.Errorf("after b became garbage: %+v, %d entries", got, len(l.all))
	}
	if !l.Trim(3) || c.trimmed != 2 {
		t.Errorf("c was trimmed %d times, want 2", c.trimmed)
	}
	runtime.KeepAlive(a)
}

// TestEach calls a function for each thing that is not garbage.
func TestEach(t *testing.T) {
	var l List
	a, _ := add(&l, "a"), add(&l, "b")
	names := func() (all []string) {
		l.Each(func(x any) { all = append(all, x.(*thing).name) })
		return all
	}
	testenv.CollectUntil(func() bool { return len(names()) == 1 })
	if got := names(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("visited %q, want a", got)
	}
	runtime.KeepAlive(a)
}

// TestSweep: a list that nobody reads does not grow with the garbage.
func TestSweep(t *testing.T) {
	var l List
	kept := add(&l, "kept")
	for range 50 {
		for range 20 {
			add(&l, "garbage")
		}
		testenv.CollectUntil(func() bool { n := 0; l.Each(func(any) { n++ }); return n == 1 })
	}
	if len(l.all) > 60 {
		t.Errorf("%d entries, of 1,001 things of which one lives", len(l.all))
	}
	if kept.id.Load() != 1 || !l.Trim(1) {
		t.Error("the first thing has gone")
	}
	if last := add(&l, "last"); last.id.Load() != 1002 {
		t.Errorf("ID %d, want 1002: one was given twice", last.id.Load())
	}
}

// things is a Readable list.
type things struct{ List }

func (l *things) Read(dst []record) []record { return read(&l.List, dst) }

// TestPublish returns the list that was published.
func TestPublish(t *testing.T) {
	before := published
	t.Cleanup(func() { published = before })
	l := new(things)
	if Publish(l); Published[record]() != Readable[record](l) {
		t.Error("another list than the one that was published")
	}
}

// TestConcurrent adds, reads and visits at once, for the race detector.
func TestConcurrent(t *testing.T) {
	var l List
	var all [4][]*thing
	var work sync.WaitGroup
	for i := range all {
		work.Go(func() {
			for range 100 {
				all[i] = append(all[i], add(&l, "thing"))
				read(&l, nil)
				l.Trim(1)
				l.Each(func(any) {})
			}
		})
	}
	work.Wait()
	got := read(&l, nil)
	for i, r := range got {
		if r.id != uint64(i+1) {
			t.Fatalf("the thing at %d has the ID %d", i, r.id)
		}
	}
	if len(got) != 400 {
		t.Errorf("%d things, want 400", len(got))
	}
	runtime.KeepAlive(all)
}
