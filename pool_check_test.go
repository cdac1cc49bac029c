package basin_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/checktest"
)

func TestCheckPool(t *testing.T) {
	type item [4]int
	told := checktest.Begin(t, checktest.Full)
	p := &basin.Pool[*item]{New: func() *item { return new(item) }}
	p.Name = "items"
	elsewhere := new(item)
	p.Put(elsewhere) // is allowed
	x, y := p.Get(), p.Get()
	p.Put(x)
	p.Put(y)
	if got := told.Take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	p.Put(elsewhere) // may have two owners
	p.Put(x)
	if got := checktest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.DoublePut}) {
		t.Errorf("reported %v, want a double Put", got)
	}
	if s := p.Stats(); s.Gets != 2 || s.Puts != 5 || s.Misuse[basincheck.DoublePut] != 1 || s.Items.Idle != 0 {
		t.Errorf("stats: %+v", s)
	}
	// Values that are no pointers, or point to nothing, are not told apart.
	ints := basin.Pool[int]{Name: "ints"}
	ints.Put(1)
	ints.Put(1)
	nils := new(basin.Pool[*item])
	nils.Put(nils.Get())
	nils.Put(nil)
	empty := &basin.Pool[*struct{}]{New: func() *struct{} { return new(struct{}) }}
	empty.Put(empty.Get())
	empty.Put(empty.Get())
	any := &basin.Pool[fmt.Stringer]{New: func() fmt.Stringer { return nil }}
	any.Put(any.Get())
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
}
