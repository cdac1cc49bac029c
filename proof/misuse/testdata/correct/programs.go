//go:build go1.25

// Package correct has programs that use basin correctly, some in ways that look like misuse.
package correct

// A Program panics if basin does not do what it promises.
type Program struct {
	Name string
	Run  func()
	Heap bool // it needs slices in Go's heap, where guarded memory is not
}

// Programs has all programs.
var Programs []Program

// add lists a program.
func add(name string, run func()) { Programs = append(Programs, Program{Name: name, Run: run}) }

// addHeap is add for a program whose slices must be in Go's heap.
func addHeap(name string, run func()) {
	Programs = append(Programs, Program{Name: name, Run: run, Heap: true})
}

// must panics if ok is false.
func must(ok bool) {
	if !ok {
		panic("basin broke a promise")
	}
}

// text is larger than the smallest size classes.
const text = "0123456789012345678901234567890123456789012345678901234567890123456789"

// data is the same as bytes.
var data = []byte(text)
