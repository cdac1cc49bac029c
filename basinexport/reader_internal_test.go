//go:build go1.25

package basinexport

var Count = addCounters
