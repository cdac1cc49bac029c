//go:build basin

package main

import "github.com/basin-go/basin/adapters/basinarrow"

func init() { allocator = &basinarrow.Allocator{} }
