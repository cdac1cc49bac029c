package advise

import "testing"

// TestReasonsOfTables has maps that come from a pool where nothing has them when the function returns, and nothing has emptied them.
func TestReasonsOfTables(t *testing.T) {
	judged(t, `package p

import (
	"fmt"
	"maps"
	"sync"
)

func once(list []int) int {
	seen := make(map[int]bool, len(list)) // : pool it; The memory does not leave once.$
	for _, v := range list {
		seen[v] = true
	}
	return len(seen)
}

type index struct{ by map[string]int }

func (i *index) add(s string) { i.by[s]++ } // : pool it; The memory does not leave number.

func number(words []string) int {
	by := index{by: map[string]int{}}
	for _, w := range words {
		by.add(w)
	}
	fmt.Println(by.by)
	return by.by["x"]
}

func set(m map[string]int, words []string) {
	for _, w := range words {
		m[w] = len(w) // : pool it; The memory does not leave passes.
	}
}

func passes(words []string) (n int) {
	m := map[string]int{}
	defer func() { n = len(m) }() // before the Put
	set(m, words)
	return 0
}

func large(list []int) int {
	seen := map[int]bool{} // : pool it; The memory does not leave large. There is no patch: the map grows large, and clear takes as long as the largest map of its pool is large.
	for _, v := range list {
		seen[v] = true
	}
	return len(seen)
}

func computed(next func() int) int {
	seen := make(map[int]bool, next()) // : pool it; The memory does not leave computed. There is no patch: its size is computed
	return len(seen)
}

func full() int {
	seen := map[int]bool{1: true} // : pool it; The memory does not leave full. There is no patch: it is a literal with elements
	return len(seen)
}

func generic[K comparable](list []K) int {
	seen := map[K]bool{} // : not judged; This is a map
	for _, v := range list {
		seen[v] = true
	}
	return len(seen)
}

func huge(list []int) int {
	seen := map[int][1024]byte{} // : not judged; This is a map
	for _, v := range list {
		seen[v] = [1024]byte{}
	}
	return len(seen)
}

func emptied(list []int) int {
	seen := map[int]bool{} // : not judged; This is a map
	for _, v := range list {
		seen[v] = true
	}
	delete(seen, 0)
	return len(seen)
}

func without(m map[int]bool) { clear(m) }

func cleared(list []int) int {
	seen := map[int]bool{} // : not judged; This is a map
	for _, v := range list {
		seen[v] = true
	}
	without(seen)
	return len(seen)
}

type cache struct{ seen map[int]bool }

func (c *cache) stored(list []int) {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	for _, v := range list {
		seen[v] = true
	}
	c.seen = seen
}

func returned(list []int) map[int]bool {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	for _, v := range list {
		seen[v] = true
	}
	return seen
}

func counted(list []int) func() int {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	for _, v := range list {
		seen[v] = true
	}
	return func() int { return len(seen) }
}

func shared(list []int) {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	go func() {
		for _, v := range list {
			seen[v] = true
		}
	}()
}

func sent(to chan map[int]bool) {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	to <- seen
}

var kept []map[int]bool

func keep(m map[int]bool) { kept = append(kept, m) }

func passesToKeeper(list []int) {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	keep(seen)
}

func boxed(list []int) any {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	return seen
}

func nested(all map[int]any) {
	seen := map[int]any{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	all[1] = seen
}

func itself() int {
	seen := map[int]any{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	seen[0] = seen
	return len(seen[0].(map[int]any))
}

func keys() any {
	seen := map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	return maps.Keys(seen)
}

func before() (n int) {
	var seen map[int]bool
	defer func() { n = len(seen) }() // after the Put
	seen = map[int]bool{} // : not judged; This is a map, and maps are judged only if they surely stay in the function that makes them.$
	return 0
}

func waits(list []int) (n int) {
	seen := map[int]bool{} // : pool it; The memory does not leave waits.
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		seen[len(list)] = true
	}()
	wg.Wait()
	return len(seen)
}
`, func(i int, s *synthetic) {
		s.objects, s.bytes = s.bytes/208, s.bytes/208*208
		if s.name == "a.example/p.large" {
			s.objects, s.bytes = s.bytes/18432, s.bytes/18432*18432
		}
	})
}
