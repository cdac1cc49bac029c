//go:build go1.25

package main

import (
	"github.com/basin-go/basin/basinscope"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func answer() string {
	var s basinscope.Scope
	defer s.End()
	t, err := ptrace.UnmarshalIn(&s, data)
	if err != nil {
		panic(err)
	}
	return count(t)
}
