//go:build go1.25

package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"

	"github.com/google/pprof/profile"
)

// The server takes profiles of 30 to 300 stacks and returns them without a label, as a collector of profiles does.
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
	var requests []string
	for _, stacks := range []int{30, 100, 300} {
		file, err := example(stacks)
		if err != nil {
			return nil, err
		}
		requests = append(requests, post("/", file))
	}
	return overHTTP(addr, requests...)
}

func example(stacks int) ([]byte, error) {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	for i := range 200 {
		f := &profile.Function{ID: uint64(i + 1), Name: fmt.Sprintf("example.org/server/package%d.Function%d", i%10, i), Filename: fmt.Sprintf("package%d/file%d.go", i%10, i%40)}
		loc := &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f, Line: int64(i)}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, loc)
	}
	for i := range stacks {
		s := &profile.Sample{Value: []int64{int64(i)}, Label: map[string][]string{"host": {"a"}}}
		for j := range 20 {
			s.Location = append(s.Location, p.Location[(i*7+j*3)%200])
		}
		p.Sample = append(p.Sample, s)
	}
	var file bytes.Buffer
	err := p.Write(&file)
	return file.Bytes(), err
}
