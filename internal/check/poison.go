package check

import "bytes"

// Poison is what every byte of an array is after it was put. It is no ASCII, no UTF-8,
// and as a length or a pointer it is absurd.
const Poison = 0xDB

// Fill fills b with poison.
func Fill(b []byte) { fill(b, Poison) }

// Damage returns the first offset in b that is not poison, or -1.
func Damage(b []byte) int { return differs(b, Poison) }

// blocks are runs of each byte that is used to fill.
var blocks = map[byte][]byte{0: make([]byte, 4096), Poison: bytes.Repeat([]byte{Poison}, 4096)}

// fill sets every byte of b to c.
func fill(b []byte, c byte) {
	for block := blocks[c]; len(b) > 0; {
		b = b[copy(b, block):]
	}
}

// differs returns the first offset in b that is not c, or -1.
func differs(b []byte, c byte) int {
	block := blocks[c]
	for at := 0; at < len(b); at += len(block) {
		part := b[at:min(at+len(block), len(b))]
		if bytes.Equal(part, block[:len(part)]) {
			continue
		}
		for i := range part {
			if part[i] != c {
				return at + i
			}
		}
	}
	return -1
}
