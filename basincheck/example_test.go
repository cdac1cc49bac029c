//go:build go1.25

package basincheck_test

import (
	"fmt"
	"path"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

// The Handler receives each misuse, at the misusing call.
func ExampleSet() {
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{
		Level: basincheck.Full,
		Handler: func(r *basincheck.Report) {
			line := r.Here.Frames()[0]
			fmt.Printf("%v of %d bytes in %s\n", r.Kind, r.Size, path.Base(line.File))
		},
	})

	b := basin.Get(1000)
	basin.Put(b)
	basin.Put(b)
	// Output: double Put of 1024 bytes in example_test.go
}

// Outstanding memory is listed by the place that acquired it.
func ExampleOutstanding() {
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(basincheck.Settings{Level: basincheck.Full})

	pool := &basin.BytePool{Name: "requests"}
	a := pool.Get(1000)
	b := pool.Get(100)
	for _, s := range basincheck.Outstanding() {
		fmt.Printf("%d bytes of pool %q\n", s.Bytes, s.Pool)
	}
	pool.Put(a)
	pool.Put(b)
	fmt.Println(len(basincheck.Outstanding()), "after the Puts")
	// Output:
	// 1024 bytes of pool "requests"
	// 128 bytes of pool "requests"
	// 0 after the Puts
}

// Counts are indexed by Kind. In JSON and logs they use the names of kinds.
func ExampleCounts() {
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: func(*basincheck.Report) {}})

	pool := &basin.BytePool{}
	b := pool.Get(100)
	pool.Put(b)
	pool.Put(b)
	pool.Put(make([]byte, 128))
	misuse := pool.Stats().Misuse
	fmt.Println(misuse[basincheck.DoublePut], misuse.Total())
	for _, k := range basincheck.Kinds() {
		if n := misuse.Of(k); n > 0 {
			fmt.Printf("%s %d\n", k.Name(), n)
		}
	}
	// Output:
	// 1 2
	// double_put 1
	// foreign_put 1
}
