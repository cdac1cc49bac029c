//go:build go1.25

package check

import "bytes"

// Poison is the value of every byte of an array after its Put. It is neither ASCII nor valid
// UTF-8, and is absurd as a length or a pointer.
const Poison = 0xDB

// Fill fills b with poison.
func Fill(b []byte) { fill(b, Poison) }

// Damage returns the offset of the first byte in b that is not poison, or -1.
func Damage(b []byte) int { return differs(b, Poison) }

// blocks has 4096 bytes of each value that fill can write.
var blocks = map[byte][]byte{0: make([]byte, 4096), Poison: bytes.Repeat([]byte{Poison}, 4096)}

// fill sets every byte of b to c.
func fill(b []byte, c byte) {
	for block := blocks[c]; len(b) > 0; {
		b = b[copy(b, block):]
	}
}

// differs returns the offset of the first byte in b that is not c, or -1.
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
