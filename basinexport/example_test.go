//go:build go1.25

package basinexport_test

import (
	"fmt"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
)

// Log the statistics of all pools, reading them into the same memory each time.
func ExampleAppend() {
	p := &basin.BytePool{Name: "example"}
	p.Put(p.Get(1000))

	var all []basin.Stats
	all = basinexport.Append(all[:0])
	for _, s := range all {
		if s.Name == "example" {
			fmt.Println(s.Kind, s.Gets, s.Puts)
		}
	}
	p.Trim()
	// Output: BytePool 1 1
}

// Metrics are made by a Reader: pools of one name and kind are one series, and their counts
// stay when they are gone.
func ExampleReader() {
	var reader basinexport.Reader
	for range 2 {
		p := &basin.BytePool{Name: "requests"}
		p.Put(p.Get(1000))
		defer p.Trim()
	}
	for s := range reader.All() {
		if s.Name == "requests" {
			fmt.Println(s.Kind, s.Name, s.Gets)
		}
	}
	// Output: BytePool requests 2
}

// Release the idle memory of the largest pool, for the collector to free.
func ExampleTrim() {
	p := &basin.BytePool{Name: "spike"}
	p.Put(p.Get(1 << 20))

	for _, s := range basinexport.Append(nil) {
		if s.Name == "spike" {
			basinexport.Trim(s.ID)
		}
	}
	fmt.Println(p.Stats().Bytes.Idle)
	// Output: 0
}
