//go:build go1.25 && !asan

package testenv

const ASan = false
