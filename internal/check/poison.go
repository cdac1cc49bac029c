package check

import "bytes"

// Poison is what every byte of an array is after it was put. It is no ASCII, no UTF-8,
// and as a length or a pointer it is absurd.
const Poison = 0xDB

var poisoned = bytes.Repeat([]byte{Poison}, 4096)

// poison fills b.
func poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, poisoned):]
	}
}

// damage returns the first offset in b that is not poison, or -1.
func damage(b []byte) int {
	for at := 0; at < len(b); at += len(poisoned) {
		part := b[at:min(at+len(poisoned), len(b))]
		if bytes.Equal(part, poisoned[:len(part)]) {
			continue
		}
		for i, c := range part {
			if c != Poison {
				return at + i
			}
		}
	}
	return -1
}
