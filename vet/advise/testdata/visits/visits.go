// Package corpus has slices that grow in function literals and in the bodies of ranges over functions.
package corpus

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	value       int
	left, right *node
	pair        [2]int
}

func walk(n *node, do func(*node)) {
	if n == nil {
		return
	}
	walk(n.left, do)
	do(n)
	walk(n.right, do)
}

// Walked has a literal that a function calls.
func Walked(n *node) []int {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want pool it; patch; 4096+1024
	})
	return out
}

// Nodes returns its slice in one of three ways, beside an error. A literal in a literal extends it, too.
func Nodes(n *node, most int) ([]*node, error) {
	if n == nil {
		return nil, nil
	}
	out := make([]*node, 0, 4)
	walk(n, func(n *node) {
		walk(n.left, func(n *node) {
			out = append(out, n) // want pool it; patch; 4096+1024
		})
		out = append(out, n) // want pool it; patch; 4096+1024
	})
	if len(out) > most {
		return out, errMany{}
	}
	return out, nil
}

type errMany struct{}

func (errMany) Error() string { return "many" }

// Itself has a literal that calls itself.
func Itself(n *node) []node {
	out := []node{}
	var visit func(n *node)
	visit = func(n *node) {
		if n != nil {
			visit(n.left)
			out = append(out, *n) // want pool it; patch; 4096+1024
			visit(n.right)
		}
	}
	visit(n)
	for i := range out {
		out[i].left, out[i].right = nil, nil
		out[i].pair[0]++
	}
	return out
}

// Added has a literal that it calls itself, and elements of its own.
func Added(words []string) []string {
	out := []string{"first"}
	add := func(w string) {
		if w != "" {
			out = append(out, w) // want pool it; patch; 4096+1024
		}
	}
	for _, w := range words {
		add(w)
		add(strings.ToUpper(w))
	}
	out = append(out, "last") // want pool it; patch; 4096+1024
	return out
}

// Ranged returns from the body of a range over a function, too.
func Ranged(all iter.Seq2[int, string], stop string) []string {
	var out []string
	for i, w := range all {
		if w == stop {
			return out
		}
		if i%2 == 0 {
			out = append(out, w, w) // want pool it; patch; 4096+1024
		}
	}
	return out
}

// Ordered sorts and cuts what it has.
func Ordered(all iter.Seq2[int, string]) []string {
	out := make([]string, 0)
	for _, w := range all {
		out = append(out, w) // want pool it; patch; 4096+1024
		if len(out) > 3 {
			out = out[:len(out)-1]
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i] > out[j] })
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return out
}

// Bytes has bytes.
func Bytes(all iter.Seq2[int, string]) []byte {
	var out []byte
	for _, w := range all {
		out = append(out, w...) // want pool it; patch; 4096+1024
		out = append(out, ',')  // want pool it; patch; 4096+1024
	}
	return out
}

// Joined does not return it.
func Joined(n *node) string {
	var out []string
	walk(n, func(n *node) {
		out = append(out, strings.Repeat("x", n.value)) // want pool it; patch; 4096+1024
	})
	return strings.Join(out, ",")
}

// Together has goroutines for whose end it waits.
func Together(n *node) []int {
	var out []int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			out = append(out, i) // want pool it; patch; 4096+1024
		}()
	}
	wg.Wait()
	sort.Ints(out)
	return out
}

// Mapped has one that the standard library calls.
func Mapped(all *sync.Map) []int {
	var out []int
	all.Range(func(key, _ any) bool {
		out = append(out, key.(int)) // want pool it; patch; 4096+1024
		return true
	})
	sort.Ints(out)
	return out
}

// Timed has one that it calls when it wants to.
func Timed(n int) []int {
	var out []int
	timer := time.AfterFunc(time.Hour, func() {
		out = append(out, n) // want needs an owner; no patch; 4096+1024
	})
	defer timer.Stop()
	return out
}

// Kept has a literal that is called later.
func Kept(words []string) ([]string, func(string)) {
	var out []string
	add := func(w string) {
		out = append(out, w) // want needs an owner; no patch; 4096+1024
	}
	for _, w := range words {
		add(w)
	}
	return out, add
}

var saved func(int)

func save(do func(int)) { saved = do }

// Saved has one that a function saves.
func Saved(n int) []int {
	var out []int
	save(func(n int) {
		out = append(out, n) // want needs an owner; no patch; 4096+1024
	})
	saved(n)
	return out
}

type visitor struct{ visit func(int) }

func (v *visitor) run() { v.visit(1) }

// Field has one in a field.
func Field() []int {
	var out []int
	v := visitor{func(n int) {
		out = append(out, n) // want needs an owner; no patch; 4096+1024
	}}
	v.run()
	return out
}

type walker interface{ Walk(func(*node)) }

// Unknown has one that any method may keep.
func Unknown(w walker) []int {
	var out []int
	w.Walk(func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out
}

// Started has a goroutine that may go on.
func Started(n *node) []int {
	var out []int
	done := make(chan bool, 1)
	go func() {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
		done <- true
	}()
	<-done
	return out
}

// Deferred changes what it has returned.
func Deferred(n *node) []int {
	var out []int
	defer func() {
		if len(out) > 0 {
			out[0] = -1
		}
	}()
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out
}

// Twice returns it twice.
func Twice(n *node) (a, b []int) {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out, out
}

// Part returns a part beside it.
func Part(n *node) (a, b []int) {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out, out[:1]
}

// Alias has another variable.
func Alias(n *node) (a, b []int) {
	var out, first []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
		first = out[:1]
	})
	return out, first
}

var last []int

// Stored has it in a variable of the package, too.
func Stored(n *node) []int {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	last = out
	return out
}

// Address has the address of an element.
func Address(n *node) ([]int, *int) {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	first := &out[0]
	return out, first
}

var seen *node

func (n *node) see() { seen = n }

// Method has the address of one as a receiver.
func Method(n *node) []node {
	var out []node
	walk(n, func(n *node) {
		out = append(out, *n) // want needs an owner; no patch; 4096+1024
	})
	out[0].see()
	return out
}

// Array has a part of one.
func Array(n *node) ([]node, []int) {
	var out []node
	walk(n, func(n *node) {
		out = append(out, *n) // want needs an owner; no patch; 4096+1024
	})
	return out, out[0].pair[:]
}

// Capacity asks for the capacity.
func Capacity(n *node) ([]int, int) {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out, cap(out)
}

// Behind grows while it returns.
func Behind(words []string) ([]string, int) {
	var out []string
	add := func(w string) int {
		out = append(out, w) // want needs an owner; no patch; 4096+1024
		return len(out)
	}
	add("a")
	return out, add("b")
}

// Result has a literal that returns it.
func Result(words []string) [][]string {
	var out []string
	add := func(w string) []string {
		out = append(out, w) // want needs an owner; no patch; 4096+1024
		return out
	}
	return [][]string{add("a"), add("b")}
}

// Given begins with the argument.
func Given(in []int, n *node) []int {
	out := in[:0]
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out
}

// Stale changes elements of a slice that may have been outgrown.
func Stale(words []string) []string {
	out := make([]string, 0, 1)
	add := func(w string) {
		out = append(out, w) // want needs an owner; no patch; 4096+1024
	}
	add("a")
	for i, w := range out {
		add(w)
		out[i] = "b"
		add(w)
		out[i] = "c"
	}
	return out
}

// Between has an append whose argument changes the slice that it extends.
func Between(words []string) []string {
	out := make([]string, 0, 1)
	add := func(w string) string {
		out = append(out, w) // want needs an owner; no patch; 4096+1024
		out[0] = "x"
		return w
	}
	out = append(out, "a")      // want needs an owner; no patch; 4096+1024
	out = append(out, add("b")) // want needs an owner; no patch; 4096+1024
	return out
}

// Nil tells nil from an empty slice.
func Nil(n *node) ([]int, bool) {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want pool it; no patch; 4096+1024
	})
	return out, out == nil
}

// Cut may be empty, and not nil.
func Cut(n *node) []int {
	var out []int
	walk(n, func(n *node) {
		out = append(out, n.value) // want pool it; no patch; 4096+1024
		if n.value < 0 {
			out = out[:0]
		}
	})
	return out
}

// Rounds has one for each round of a loop.
func Rounds(all []*node) [][]int {
	var list [][]int
	for _, n := range all {
		var out []int
		walk(n, func(n *node) {
			out = append(out, n.value) // want needs an owner; no patch; 4096+1024
		})
		list = append(list, out)
	}
	return list
}

// Emptied has no literal. It may be empty, and not nil.
func Emptied(list []int) []int {
	var out []int
	for _, n := range list {
		out = append(out, n) // want pool it; no patch; 4096+1024
		if n < 0 {
			out = out[:0]
		}
	}
	return out
}

// Rest may return an empty part of it, which is not nil.
func Rest(list []int) []int {
	var out []int
	for _, n := range list {
		out = append(out, n)  // want pool it; no patch; 4096+1024
		out = append(out, -n) // want pool it; no patch; 4096+1024
	}
	if len(out) == 0 {
		return out
	}
	return out[1:]
}

// Halves returns two slices that share an array.
func Halves(list []int) ([]int, []int) {
	var out []int
	for _, n := range list {
		out = append(out, n)  // want needs an owner; no patch; 4096+1024
		out = append(out, -n) // want needs an owner; no patch; 4096+1024
	}
	return out, out[:len(out)/2]
}

// Ended is returned from a loop, whose function sets an element behind that.
func Ended(n int) []int {
	var out []int
	each := func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				break
			}
		}
		if len(out) > 0 {
			out[0] = 99
		}
	}
	for x := range each {
		out = append(out, x) // want needs an owner; no patch; 4096+1024
		if x == n-2 {
			return out
		}
	}
	return nil
}

// AtEnd sets an element behind the return.
func AtEnd(n *node) []int {
	var out []int
	defer func() {
		if len(out) > 0 {
			out[0] = 98
		}
	}()
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	return out
}

// Extended is longer when a comparison has run.
func Extended(n *node) []int {
	out := make([]int, 0, 1)
	walk(n, func(n *node) {
		out = append(out, n.value) // want needs an owner; no patch; 4096+1024
	})
	k := 0
	sort.Slice(out, func(i, j int) bool {
		if k++; k == 1 {
			out = append(out, 100)
		}
		return i < j != (k%3 == 0)
	})
	return out
}
