//go:build go1.25

package lockfree

// A Note is about an object in an [AddressSet].
type Note struct {
	// Word is the caller's. Only the object's present owner writes it.
	Word Word

	_ [12]byte // or Ps would write to sixteen Words of one cache line
}
