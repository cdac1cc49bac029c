//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// An entry is evicted from a cache while somebody is about to read it.
func evictBug() {
	entry := basin.Default().NewShared(basin.Get(100))
	cached := entry
	entry.Release()
	_ = cached.Bytes() // want: use after release
}

func evictFixed() {
	entry := basin.Default().NewShared(basin.Get(100))
	cached := entry.Retain()
	entry.Release()
	_ = cached.Bytes()
	cached.Release()
}

func init() { add("shared_bytes_after_release", evictBug, evictFixed) }
