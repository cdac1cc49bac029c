//go:build go1.25

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"

	"github.com/google/pprof/profile"
)

// The server takes profiles and returns them without their labels and mappings, as a collector of profiles does.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := profile.Parse(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.RemoveLabel("host")
		if err := p.Write(w); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	for i := range 200 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.org/server/package%d.Function%d", i%10, i), Filename: fmt.Sprintf("package%d/file%d.go", i%10, i%40)}
		loc := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f, Line: int64(i)}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, loc)
	}
	for i := range 100 {
		s := &profile.Sample{Value: []int64{int64(i)}, Label: map[string][]string{"host": {"a"}}}
		for j := range 20 {
			s.Location = append(s.Location, p.Location[(i*7+j*3)%200])
		}
		p.Sample = append(p.Sample, s)
	}
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		return nil, err
	}
	return overHTTP(addr, post("/", file.Bytes()))
}
