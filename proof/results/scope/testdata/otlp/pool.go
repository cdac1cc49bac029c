//go:build go1.25

package main

import (
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func init() {
	if err := featuregate.GlobalRegistry().Set("pdata.useProtoPooling", true); err != nil {
		panic(err)
	}
}

func answer() string {
	t, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(data)
	if err != nil {
		panic(err)
	}
	defer t.Free()
	return count(t)
}
