//go:build go1.25

package guard

import "syscall"

// discard replaces the pages of b by zero pages.
func discard(b []byte) { syscall.Madvise(b, syscall.MADV_DONTNEED) }
