//go:build asan

package uninit_test

const asanEnabled = true
