//go:build go1.25

package buffer

// KeepPools returns a function that undoes SetCapacity.
func KeepPools() (restore func()) {
	kept := pools
	return func() { pools = kept }
}
