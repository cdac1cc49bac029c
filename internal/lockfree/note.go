//go:build go1.25

package lockfree

import "weak"

// A Note is about an object in an [AddressSet].
type Note struct {
	// Word is the caller's. Only the object's present owner writes it.
	Word Word

	object weak.Pointer[byte] // of AddObject; guarded by the lock of the set
}
