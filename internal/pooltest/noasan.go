//go:build !asan

package pooltest

const ASan = false
