//go:build go1.25

package guard

// On s390x the call takes its arguments in memory, so shut does without.
const mmap uintptr = 0
