//go:build go1.25

package main

import (
	"bytes"

	"github.com/basin-go/basin/basinscope"
	"golang.org/x/net/html"
)

func answer() string {
	var s basinscope.Scope
	defer s.End()
	n, err := html.ParseWithOptions(bytes.NewReader(page), html.In(&s))
	if err != nil {
		panic(err)
	}
	return count(n)
}
