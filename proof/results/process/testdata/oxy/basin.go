//go:build basin

package main

import "github.com/basin-go/basin"

func init() { buffers = basin.Default().Sized(32 << 10) }
