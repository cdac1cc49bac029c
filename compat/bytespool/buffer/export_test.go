package buffer

// KeepPools returns what undoes SetCapacity.
func KeepPools() (restore func()) {
	kept := pools
	return func() { pools = kept }
}
