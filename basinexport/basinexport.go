//go:build go1.25

// Package basinexport reads the statistics of all basin pools of a program. It is for
// programs that log, show or export them. Packages basinprom, basinotel and
// basinexpvar use it.
//
// [Append] returns the statistics of each pool as they are. A metrics system needs
// few series, with counters that never go back. So a [Reader] adds up pools of one
// name and kind, and keeps the counts of those that are garbage.
//
// A pool is read from its first use until it is garbage. Reading keeps no pool alive.
package basinexport

import (
	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/weaklist"
)

// Append appends to dst the statistics of each pool, in the order of their first use,
// and returns the result.
//
// It overwrites the elements between the length and the capacity of dst, including
// their Classes. To read again and again without allocating, pass the last result,
// emptied:
//
//	all = basinexport.Append(all[:0])
//
// It may be called from many goroutines at once, with slices of their own.
func Append(dst []basin.Stats) []basin.Stats { return weaklist.Published[basin.Stats]().Read(dst) }

// Trim releases the idle memory of the pool with the given ID, for the next garbage
// collection to free. It briefly stops the world. It releases nothing of a FixedPool. Trim
// returns false if no pool has the ID, or the pool is garbage.
func Trim(id uint64) bool { return weaklist.Published[basin.Stats]().Trim(id) }
