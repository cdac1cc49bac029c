//go:build go1.25 && !asan

package pooltest

const ASan = false
