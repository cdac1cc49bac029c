//go:build go1.25

package engine

import (
	"testing"
)

// TestAbandon: idle items of other classes go: those of depots at once, those of magazines after a
// grace period. Those of the classes that stay are left alone.
func TestAbandon(t *testing.T) {
	for _, tt := range []struct {
		name   string
		local  uint
		settle func(e *Engine[int])
	}{
		{"depots", 0, func(*Engine[int]) {}},
		{"magazines, by rounds", Slots, func(e *Engine[int]) { e.reclaim(at(1)); e.reclaim(at(2)) }},
		{"magazines, by Trim", Slots, func(e *Engine[int]) { e.Trim() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			oneP(t)
			class := Class{Size: 10, Local: tt.local}
			e := newEngine[int](1e6, class, class, class, class)
			for c := range uint(4) {
				putAll(t, e, c, int(c)*10+1, int(c)*10+2)
			}
			e.Abandon(1, 2)
			audit(t, e)
			for _, c := range []uint{0, 3} {
				if x, ok := getFast(e, c); ok {
					t.Errorf("class %d still hands out %d", c, x)
				}
			}
			if tt.local == 0 || tt.name == "magazines, by rounds" {
				tt.settle(e)
				audit(t, e)
				for c, want := range []int{0, 2, 2, 0} {
					expect(t, "items", len(stack(e, uint(c))), want)
				}
			} else {
				tt.settle(e)
				audit(t, e)
				expect(t, "taken after Trim", e.idle.taken.Load(), 0)
			}
			for _, c := range []uint{0, 3} {
				s := e.Stats(c)
				expect(t, "released", s.Released, 2)
				expect(t, "puts", s.Puts, 2)
			}
		})
	}
}

// TestAbandonKeepsOwners: nobody gets somebody else's item while classes are abandoned and used again.
func TestAbandonKeepsOwners(t *testing.T) {
	oneOwner(t, func(e *Engine[int], i int) { e.Abandon(uint(i%2), uint(i%2)) })
}

// TestOutstanding: the number of outstanding items is never above the true one.
func TestOutstanding(t *testing.T) {
	oneP(t)
	for _, local := range []uint{0, 3} {
		e := newEngine[int](1e6, Class{Size: 1, Local: local}, Class{Size: 2, Local: local})
		for i := range 10 {
			e.CountGet(uint(i%2), 1)
		}
		expect(t, "outstanding", e.Outstanding(), 10)
		for i := range 10 {
			put(e, uint(i%2), i+1)
			if n := e.Outstanding(); n > int64(9-i) {
				t.Errorf("%d outstanding, of %d", n, 9-i)
			}
		}
		get(e, 0)
		if n := e.Outstanding(); n > 1 {
			t.Errorf("%d outstanding, of 1", n)
		}
		expect(t, "existing", e.Existing(0), 5)
	}
}
