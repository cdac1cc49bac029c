//go:build go1.25

package engine

import "testing"

// TestWatch begins checks. Items that a sample cannot know stay on the fast path, unless all are checked.
func TestWatch(t *testing.T) {
	for _, c := range []struct{ checked, all, pointers, structs bool }{
		{false, false, true, true},
		{true, false, false, true},
		{true, true, false, false},
	} {
		if got := visible[*int](c.checked, c.all); got != c.pointers {
			t.Errorf("checked %t, all %t: a table of pointers is visible: %t", c.checked, c.all, got)
		}
		if got := visible[[4]int](c.checked, c.all); got != c.structs {
			t.Errorf("checked %t, all %t: a table of arrays is visible: %t", c.checked, c.all, got)
		}
	}
}

func visible[T any](checked, all bool) bool {
	var table Table[T]
	var e Engine[T]
	e.Init(&table, 1<<20, nil, Config[T]{
		Classes: func() []Class { return []Class{{Size: 1, Local: Slots}} },
	})
	var x T
	e.Put(0, x) // begins
	e.grow(0)
	e.Watch(checked, all)
	return table.Has(0)
}
