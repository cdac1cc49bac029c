package basin_test

import (
	"fmt"
	"testing"

	"github.com/basin-go/basin"
)

// BenchmarkChecked is what a pair of Get and Put takes with each level of checks.
func BenchmarkChecked(b *testing.B) {
	for _, level := range []struct {
		name string
		c    basin.Checking
	}{
		{"off", basin.Checking{}},
		{"sampled=1024", basin.Checking{Level: basin.CheckSampled, Every: 1024}},
		{"sampled=256", basin.Checking{Level: basin.CheckSampled, Every: 256}},
		{"sampled=64", basin.Checking{Level: basin.CheckSampled, Every: 64}},
		{"sampled=16", basin.Checking{Level: basin.CheckSampled, Every: 16}},
		{"full", basin.Checking{Level: basin.CheckFull}},
		{"full,guard", basin.Checking{Level: basin.CheckFull, Guard: true}},
	} {
		for _, size := range []int{512, 4096, 65536} {
			b.Run(fmt.Sprintf("%s/%d", level.name, size), func(b *testing.B) {
				told := checked(b, level.c)
				b.ReportAllocs()
				for b.Loop() {
					basin.Put(basin.Get(size))
				}
				if got := told.take(); got != nil {
					b.Fatal(got)
				}
			})
		}
	}
}
