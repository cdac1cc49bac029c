//go:build go1.25

package memlimit

import "math"

// A Limit is an amount of memory, in bytes, that the program should not exceed.
type Limit struct {
	Bytes  int64  // math.MaxInt64 if there is no limit
	Source string // GOMEMLIMIT, the path of a file, or "" if there is no limit
}

// None is the Limit of a program that has none.
var None = Limit{Bytes: math.MaxInt64}

// GOMEMLIMIT is the Source of a limit that this variable or debug.SetMemoryLimit has set.
const GOMEMLIMIT = "GOMEMLIMIT"
