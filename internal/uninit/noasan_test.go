//go:build go1.25 && !asan

package uninit_test

const asanEnabled = false
