package basin_test

import (
	"testing"

	"github.com/basin-go/basin"
)

// BenchmarkChecked is what a pair of Get and Put takes with each level of checks.
func BenchmarkChecked(b *testing.B) {
	type item [128]byte
	var handles basin.BufferPool
	values := basin.NewPool(func() *item { return new(item) })
	fixed := basin.NewFixedPool(16, 512)
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
		for _, what := range []struct {
			name   string
			getPut func()
		}{
			{"512", func() { basin.Put(basin.Get(512)) }},
			{"4096", func() { basin.Put(basin.Get(4096)) }},
			{"65536", func() { basin.Put(basin.Get(65536)) }},
			{"handle", func() { handles.Put(handles.Get()) }},
			{"value", func() { values.Put(values.Get()) }},
			{"fixed", func() { fixed.Put(fixed.Get()) }},
		} {
			b.Run(level.name+"/"+what.name, func(b *testing.B) {
				told := checked(b, level.c)
				b.ReportAllocs()
				for b.Loop() {
					what.getPut()
				}
				if got := told.take(); got != nil {
					b.Fatal(got)
				}
			})
		}
	}
}
