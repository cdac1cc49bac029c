//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// scan skips empty records, and forgets their buffers.
func scanBug(sizes []int) {
	for _, n := range sizes {
		record := basin.Get(100)[:0] // want: leak
		if n == 0 {
			continue
		}
		basin.Put(record)
	}
}

func scanFixed(sizes []int) {
	for _, n := range sizes {
		if n == 0 {
			continue
		}
		record := basin.Get(100)[:0]
		basin.Put(record)
	}
}

func init() { add("leak_in_loop", func() { scanBug([]int{1, 0}) }, func() { scanFixed([]int{1, 0}) }) }
