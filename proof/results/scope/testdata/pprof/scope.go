//go:build go1.25

package main

import (
	"github.com/basin-go/basin/basinscope"
	"github.com/google/pprof/profile"
)

func answer() string {
	var s basinscope.Scope
	defer s.End()
	p, err := profile.ParseIn(&s, data)
	if err != nil {
		panic(err)
	}
	return top(p)
}
