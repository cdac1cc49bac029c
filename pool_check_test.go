//go:build go1.25

package basin_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestCheckPool(t *testing.T) {
	type item [4]int
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p := &basin.Pool[*item]{New: func() *item { return new(item) }}
	p.Name = "items"
	elsewhere := new(item)
	p.Put(elsewhere) // allowed
	x, y := p.Get(), p.Get()
	p.Put(x)
	p.Put(y)
	if got := told.Take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	p.Put(elsewhere) // may have two owners
	p.Put(x)
	if got := pooltest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.DoublePut}) {
		t.Errorf("reported %v, want a double Put", got)
	}
	if s := p.Stats(); s.Gets != 2 || s.Puts != 4 || s.Drops.Double != 1 || s.Misuse[basincheck.DoublePut] != 1 || s.Items.Idle != 0 {
		t.Errorf("stats: %+v", s)
	}
	// Values that are not pointers, or point to nothing, cannot be identified.
	ints := basin.Pool[int]{Name: "ints"}
	ints.Put(1)
	ints.Put(1)
	nils := new(basin.Pool[*item])
	nils.Put(nils.Get())
	nils.Put(nil)
	empty := &basin.Pool[*struct{}]{New: func() *struct{} { return new(struct{}) }}
	empty.Put(empty.Get())
	empty.Put(empty.Get())
	nothing := &basin.Pool[any]{New: func() any { return nil }}
	nothing.Put(nothing.Get())
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}

// TestCheckPoolOfSlices puts slices twice. An array has an address, and a double Put gives it two
// users.
func TestCheckPoolOfSlices(t *testing.T) {
	for _, s := range []basincheck.Settings{pooltest.FullChecking, {Level: basincheck.Sampled, Every: 1}} {
		told := pooltest.BeginChecks(t, s)
		p := &basin.Pool[[]byte]{
			New:   func() []byte { return make([]byte, 0, 1000) },
			Reset: func(b []byte) []byte { return b[:0] },
		}
		b := p.Get()
		p.Put(append(b, "text"...)) // the same array
		if got := told.Take(); got != nil {
			t.Fatalf("%v, one Put: reported %v", s.Level, got)
		}
		p.Put(b)
		if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.DoublePut || got[0].Size != 1000 || !pooltest.InCaller(got[0].Acquired) || !pooltest.InCaller(got[0].FirstPut) {
			t.Errorf("%v: reported %v, want a double Put of 1000 bytes", s.Level, got)
		}
		// append has made another array. The first one is garbage, and no leak.
		grown := append(p.Get(), make([]byte, 2000)...)
		p.Put(grown)
		testenv.RunCleanups()
		if got := told.Take(); got != nil {
			t.Errorf("%v, grown: reported %v", s.Level, got)
		}
		p.Put(grown)
		if got, want := len(told.Take()), s.Level == basincheck.Full; (got == 1) != want {
			t.Errorf("%v, grown and put twice: %d reports, want one: %v", s.Level, got, want)
		}
		p.Put(nil)
		p.Put(nil)
		p.Put([]byte{})
		p.Put([]byte{})
		if got := told.Take(); got != nil {
			t.Errorf("%v, put of nothing: reported %v", s.Level, got)
		}
		if sites := basincheck.Outstanding(); len(sites) > 0 {
			t.Errorf("%v: outstanding: %v", s.Level, sites)
		}
	}
	// Put slices among other types, and with elements that are not bytes.
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	var any basin.Pool[any]
	ints := make([]int, 10)
	any.Put(ints)
	any.Put(ints[:3])
	any.Put([]struct{}{{}})
	any.Put([]struct{}{{}})
	if got := told.Take(); len(got) != 1 || got[0].Size != 10*strconv.IntSize/8 {
		t.Errorf("[]int put twice: reported %v", got)
	}
}
