//go:build go1.25

package main

import "github.com/google/pprof/profile"

func answer() string {
	p, err := profile.ParseUncompressed(data)
	if err != nil {
		panic(err)
	}
	return top(p)
}
