//go:build go1.25

// Package basinexpvar publishes the statistics of all basin pools of a program
// as a variable of package expvar. It is a package of its own because expvar
// imports net/http and registers /debug/vars on the default mux.
package basinexpvar

import (
	"expvar"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
)

// Publish makes the statistics of all pools the variable of the given name, such as "basin". Its
// value is a JSON array with an object for each pool, as package json writes a [basin.Stats]. Sizes
// are in bytes and times in nanoseconds. Invalid UTF-8 in a pool's name is replaced. Reading the
// variable reads the pools. In between, nothing runs.
//
// Like [expvar.Publish], it panics if there is a variable of that name.
func Publish(name string) {
	expvar.Publish(name, expvar.Func(func() any {
		return basinexport.Append([]basin.Stats{}) // not nil, which would be null
	}))
}
