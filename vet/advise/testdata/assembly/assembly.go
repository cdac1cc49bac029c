// Package corpus passes memory to functions in assembly.
package corpus

import (
	"io"
	_ "unsafe"
)

//go:noescape
func mix(p []byte)

// mixLast mixes the end of its argument.
//
//go:noescape
func mixLast(p *byte)

func keepsPerhaps(p []byte)

//go:noescape
//go:linkname elsewhere corpus.keep
func elsewhere(p []byte)

var kept []byte

func keep(p []byte) { kept = p }

// Mixed passes a slice.
func Mixed(w io.Writer, n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	fill(b, 2)
	mix(b)
	mixLast(&b[n-1])
	w.Write(b)
	return total(b)
}

// Numbers passes an element of memory that a function makes for it.
func Numbers(n int) (sum uint64) {
	blocks := newBlocks(n)
	mixBlock(&blocks[0], &blocks[n-1])
	for _, b := range blocks {
		sum += b[0]
	}
	return sum
}

type block [128]uint64

//go:noescape
func mixBlock(to, from *block)

func newBlocks(n int) []block {
	blocks := make([]block, n) // want pool it; patch; 4096
	for i := range blocks {
		blocks[i][0] = uint64(i)
	}
	return blocks
}

// Perhaps passes it to a function that promises nothing.
func Perhaps(n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	keepsPerhaps(b)
	return total(b)
}

// Elsewhere passes it to a function that is in Go after all, and breaks its promise.
func Elsewhere(n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	elsewhere(b)
	return total(b)
}

// Later has the function called when it returns, which is before the Put.
func Later(w io.Writer, n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	defer mix(b)
	w.Write(b)
	return total(b)
}

// Beside has a goroutine call it.
func Beside(n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	go mix(b)
	return total(b)
}

// Grown passes a slice, of which the function may ask the capacity.
func Grown(n int) int {
	var b []byte
	for i := range n {
		b = append(b, byte(i)) // want pool it; no patch; 4096
	}
	mix(b)
	return total(b)
}

func fill(p []byte, v byte) {
	for i := range p {
		p[i] = v
	}
}

func total(p []byte) (sum int) {
	for _, b := range p {
		sum += int(b)
	}
	return sum
}
