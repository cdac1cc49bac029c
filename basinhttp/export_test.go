//go:build go1.25

package basinhttp

// GarbageOf is garbage, for tests.
var GarbageOf = garbage
