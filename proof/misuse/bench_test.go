//go:build go1.25

package misuse_test

import (
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// BenchmarkChecked measures a pair of Get and Put at each level of checks.
func BenchmarkChecked(b *testing.B) {
	type item [128]byte
	var handles basin.BufferPool
	values := &basin.Pool[*item]{New: func() *item { return new(item) }}
	fixed := &basin.FixedPool{Count: 16, Size: 512}
	for _, level := range []struct {
		name string
		c    basincheck.Settings
	}{
		{"off", basincheck.Settings{}},
		{"sampled=1024", basincheck.Settings{Level: basincheck.Sampled, Every: 1024}},
		{"sampled=256", basincheck.Settings{Level: basincheck.Sampled, Every: 256}},
		{"sampled=64", basincheck.Settings{Level: basincheck.Sampled, Every: 64}},
		{"sampled=16", basincheck.Settings{Level: basincheck.Sampled, Every: 16}},
		{"full", basincheck.Settings{Level: basincheck.Full}},
		{"full,guard", basincheck.Settings{Level: basincheck.Full, Guard: true}},
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
				told := pooltest.BeginChecks(b, level.c)
				b.ReportAllocs()
				for b.Loop() {
					what.getPut()
				}
				if got := told.Take(); got != nil {
					b.Fatal(got)
				}
			})
		}
	}
}
