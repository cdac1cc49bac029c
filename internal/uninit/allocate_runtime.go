//go:build gc && !basin_portable

package uninit

import _ "unsafe" // for go:linkname

// allocate returns at least n bytes. It is what package strings allocates with.
// What it does without is a third of the time of 1 KiB: see allocate_portable.go.
//
//go:linkname allocate internal/bytealg.MakeNoZero
func allocate(n int) []byte
