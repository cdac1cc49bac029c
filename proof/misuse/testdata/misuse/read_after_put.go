//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// sum reads a slice that it has put. It sees poison, or guarded memory faults.
func sumBug() (sum int) {
	b := basin.GetZeroed(100)
	basin.Put(b)
	for _, c := range b { // guard: faults
		sum += int(c)
	}
	return sum
}

func sumFixed() (sum int) {
	b := basin.GetZeroed(100)
	for _, c := range b {
		sum += int(c)
	}
	basin.Put(b)
	return sum
}

func init() { add("read_after_put", func() { println(sumBug()) }, func() { println(sumFixed()) }) }
