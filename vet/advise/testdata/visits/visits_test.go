package corpus

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
)

func tree(depth, value int) *node {
	if depth == 0 {
		return nil
	}
	return &node{value: value, left: tree(depth-1, 2*value), right: tree(depth-1, 2*value+1)}
}

// words yields words, and panics if one is empty.
func words(all ...string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, w := range all {
			if w == "" {
				panic("empty")
			}
			if !yield(i, w) {
				return
			}
		}
	}
}

func panics(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

func TestVisits(t *testing.T) {
	var all []string
	for range 20 {
		n := tree(3, 1)
		walked, none := Walked(n), Walked(nil)
		nodes, err := Nodes(n, 100)
		_, many := Nodes(n, 2)
		itself := Itself(n)
		added := Added([]string{"a", "", "b"})
		ranged, stopped := Ranged(words("a", "b", "c"), ""), Ranged(words("a", "b", "c"), "a")
		if !panics(func() { Ranged(words("a", "", "c"), "") }) || cap(nodes[:0]) < 4 {
			t.Error("no panic")
		}
		var some sync.Map
		for i := range 5 {
			some.Store(i, true)
		}
		if mapped := Mapped(&some); len(mapped) != 5 || mapped[4] != 4 {
			t.Errorf("%v", mapped)
		}
		ordered, empty := Ordered(words("b", "a", "cc", "d", "e")), Ordered(words())
		got := fmt.Sprint(walked, none == nil, len(nodes), err, many, len(itself), itself[0].value, itself[0].pair, added, ranged, stopped == nil, ordered,
			empty == nil, string(Bytes(words("a", "b"))), Bytes(words()) == nil, Joined(n), Together(n))
		Walked(tree(4, 7)) // would write over memory that is in use
		Itself(tree(4, 7))
		Added([]string{"x", "y", "z"})
		Ranged(words("x", "y", "z"), "")
		Ordered(words("x", "y", "z"))
		again := fmt.Sprint(walked, none == nil, len(nodes), err, many, len(itself), itself[0].value, itself[0].pair, added, ranged, stopped == nil, ordered,
			empty == nil, "a,b,", true, Joined(n), []int{0, 1, 2})
		if got != again {
			t.Errorf("%s, then %s", got, again)
		}
		all = append(all, got)
	}
	const want = "[4 2 5 1 6 3 7] true 12 <nil> many 7 4 [1 0] [first a A b B last] [a a c c] true [b a cc] falsea,b,truexxxx,xx,xxxxx,x,xxxxxx,xxx,xxxxxxx[0 1 2]"
	if slices.Sort(all); all[0] != want || all[19] != want {
		t.Errorf("%s, want %s", all[0], want)
	}
}
