//go:build go1.25

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/google/pprof/profile"
)

// data is a profile of 3,000 samples with stacks of up to 40 calls, as a server with many routes has.
var data = func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Mapping:    []*profile.Mapping{{ID: 1, Start: 1 << 20, Limit: 1 << 24, File: "/usr/bin/server"}},
	}
	for i := range 1500 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.com/server/internal/part%d.(*Handler).Serve%d", i%20, i), Filename: fmt.Sprintf("/src/server/internal/part%d/handler.go", i%20)}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: uint64(i + 1), Mapping: p.Mapping[0], Address: uint64(1<<20 + 64*i), Line: []profile.Line{{Function: f, Line: int64(i)}}})
	}
	for range 3000 {
		s := &profile.Sample{Value: []int64{1, int64(r.IntN(1e8))}}
		for range 5 + r.IntN(36) {
			s.Location = append(s.Location, p.Location[r.IntN(len(p.Location))])
		}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		panic(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		panic(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return plain
}()

// top returns the function with the largest value, and the sum of all.
func top(p *profile.Profile) string {
	var sum int64
	flat := make(map[*profile.Function]int64, len(p.Function))
	for _, s := range p.Sample {
		sum += s.Value[1]
		flat[s.Location[0].Line[0].Function] += s.Value[1]
	}
	var best *profile.Function
	for f, v := range flat {
		if best == nil || v > flat[best] || v == flat[best] && f.Name < best.Name {
			best = f
		}
	}
	return fmt.Sprint(len(p.Sample), sum, best.Name, best.Filename)
}
