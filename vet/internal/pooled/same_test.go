package pooled

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSameEachTime analyzes generated programs again and again. Most of them have more states than the analysis follows, so it
// is cut off. Each run must make the same states in the same order, or it is cut off elsewhere and finds something else.
func TestSameEachTime(t *testing.T) {
	found := 0
	for seed := range uint64(12) {
		g := &generator{r: rand.New(rand.NewPCG(seed, 2))}
		src := g.file()
		first := describe(t, src)
		for range 3 {
			if again := describe(t, src); !slices.Equal(again, first) {
				t.Fatalf("once:\n%q\nlater:\n%q\nin\n%s", first, again, src)
			}
		}
		found += len(first)
	}
	if found < 100 {
		t.Errorf("%d hits and facts, want 100: the programs show too little", found)
	}
}

// describe returns the hits and facts of a file, in the order in which the analysis has them.
func describe(t *testing.T, src string) []string {
	r, lines := resultOf(t, src)
	if r == nil {
		return nil
	}
	for _, h := range r.Hits {
		lines = append(lines, fmt.Sprint(h.Kind, h.At, h.Put, h.Get, h.Callee, h.Inner, h.Again, h.Defer, h.Typ, h.More))
	}
	return lines
}
