// Package basinexpvar publishes the statistics of all basin pools of a program
// as a variable of package expvar. It is a package of its own because expvar
// imports net/http and registers /debug/vars on the default mux.
package basinexpvar

import (
	"expvar"

	"github.com/basin-go/basin"
)

// Publish makes the statistics of all pools the variable of the given name, such
// as "basin". Its value is a JSON array with an object for each pool, as package
// json writes a [basin.Snapshot]: sizes are in bytes, times in nanoseconds, and in a
// pool's name what is not UTF-8 is replaced. The pools are read whenever the
// variable is; nobody who does not look pays for it.
//
// As [expvar.Publish], it panics if there is a variable of that name.
func Publish(name string) {
	expvar.Publish(name, expvar.Func(func() any {
		return basin.AppendSnapshots([]basin.Snapshot{}) // not nil, which would be null
	}))
}
