//go:build go1.25

// Package correct is programs that use basin as it allows, some in ways that look like misuse.
package correct

// A Program panics if something is not as it should be.
type Program struct {
	Name string
	Run  func()
	Heap bool // it needs slices that are objects of the heap, which guarded memory is not
}

// Programs are all of them.
var Programs []Program

// add lists a program.
func add(name string, run func()) { Programs = append(Programs, Program{Name: name, Run: run}) }

// addHeap is add for what the runtime refuses of memory that is not on its heap.
func addHeap(name string, run func()) {
	Programs = append(Programs, Program{Name: name, Run: run, Heap: true})
}

// must panics if ok is false.
func must(ok bool) {
	if !ok {
		panic("not as it should be")
	}
}

// text is larger than the smallest size classes.
const text = "0123456789012345678901234567890123456789012345678901234567890123456789"

// data is the same as bytes.
var data = []byte(text)
