package wire

import "unsafe"

// String returns b as a string, without a copy.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
