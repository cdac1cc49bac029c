//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A request puts its body a second time, while another request uses the same array.
func betweenBug() {
	a, b := basin.Get(1000), basin.Get(1000)
	basin.Put(a)
	c := basin.Get(1000) // without checks, the array of a
	basin.Put(b)
	basin.Put(a) // want: double Put
	basin.Put(c)
}

func betweenFixed() {
	a, b := basin.Get(1000), basin.Get(1000)
	basin.Put(a)
	c := basin.Get(1000)
	basin.Put(b)
	basin.Put(c)
}

func init() { add("double_put_between", betweenBug, betweenFixed) }
