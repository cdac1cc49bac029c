// Package corpus has slices that append makes of two others.
package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
)

// Prefixed has a head of a size that only the caller knows.
func Prefixed(w io.Writer, t byte, size int, data []byte) {
	head := make([]byte, size)
	head[size-1] = t
	all := append(head, data...) // want pool it; patch; 4096+1024
	w.Write(all)
}

// Literal has elements before it.
func Literal(w io.Writer, c byte, data string) {
	all := append([]byte{1, c}, data...) // want pool it; patch; 4096+1024
	w.Write(all)
}

// Converted has a string before it, which may be empty.
func Converted(data []byte, s string) [32]byte {
	all := append([]byte(s), data...) // want pool it; patch; 4096+1024
	return sha256.Sum256(all)
}

// Header has an array before it.
func Header(w io.Writer, data []byte) {
	var h [8]byte
	binary.BigEndian.PutUint64(h[:], uint64(len(data)))
	all := append(h[:], data...) // want pool it; patch; 4096+1024
	w.Write(all)
}

// Nested has three parts.
func Nested(w io.Writer, a, b []byte, c byte) {
	all := append(append([]byte{}, a...), b...) // want pool it; patch; 4096+1024
	w.Write(all)
}

// Argument has it in a call.
func Argument(w io.Writer, t byte, data []byte) {
	head := make([]byte, 4, 8)
	head[0] = t
	sum(w, append(head, data...)) // want pool it; patch; 4096+1024
}

func sum(w io.Writer, b []byte) { w.Write(b) }

// Rounds has it in the rounds of a loop.
func Rounds(w io.Writer, all [][]byte) {
	for i, data := range all {
		line := append([]byte{byte(i)}, data...) // want reuse a variable; patch; 4096+1024
		w.Write(line)
	}
}

// Grown appends to the new slice.
func Grown(w io.Writer, data []byte) {
	all := append([]byte{'<'}, data...) // want pool it; patch; 4096+1024
	more := append(all, '>')
	w.Write(more)
}

// The memory before it is used later.

func Later(w io.Writer, t byte, data []byte) {
	head := make([]byte, 16, 32)
	all := append(head, data...) // want pool it; no patch; 4096+1024
	all[0] = t
	w.Write(all)
	w.Write(head)
}

func Twice(w io.Writer, data []byte) {
	head := make([]byte, 2, 8192)
	a := append(head, data...) // want pool it; no patch; 4096+1024
	b := append(head, 'b')
	w.Write(a)
	w.Write(b)
}

func Behind(w io.Writer, data []byte) {
	var h [9000]byte
	all := append(h[:8], data...) // want pool it; no patch; 4096+1024
	w.Write(all)
	w.Write(h[:9])
}

func Read(w io.Writer, data []byte) {
	head := make([]byte, 2, 8192)
	show := func() { w.Write(head[:3]) }
	all := append(head, data...) // want pool it; no patch; 4096+1024
	w.Write(all)
	show()
}

// Others may have the memory before it.

var kept = make([]byte, 4, 8192)

func Kept(w io.Writer, data []byte) {
	all := append(kept, data...) // want pool it; no patch; 4096+1024
	w.Write(all)
}

func Given(w io.Writer, head, data []byte) {
	all := append(head, data...) // want needs an owner; no patch; 4096+1024
	w.Write(all)
}

// Nil tells nil from empty.
func Nil(w io.Writer, a, b []byte) bool {
	all := append(append([]byte(nil), a...), b...) // want pool it; no patch; 4096+1024
	w.Write(all)
	return all == nil
}

// A part is computed within the statement.

func Computed(w io.Writer, f *os.File) {
	all := append([]byte{1}, f.Name()...) // want pool it; no patch; 4096+1024
	w.Write(all)
}

func Rest(w io.Writer, data []byte) []byte {
	all := append([]byte{1}, data...) // want needs an owner; no patch; 4096+1024
	w.Write(all)
	return all[1:]
}

// Carried has the slice of a round in the next one.
func Carried(w io.Writer, lines [][]byte) {
	var last []byte
	for _, data := range lines {
		line := append([]byte{2}, data...) // want do not pool; no patch; 4096+1024
		if !bytes.Equal(line, last) {
			w.Write(line)
		}
		last = line
	}
}

// Wide reads what append leaves behind the length.
func Wide(w io.Writer, data []byte) {
	all := append([]byte{3}, data...) // want pool it; no patch; 4096+1024
	w.Write(all[:cap(all)])
}

type text []byte

func Named(w io.Writer, t text, data []byte) {
	all := append(text{4}, data...) // want pool it; no patch; 4096+1024
	w.Write(all)
}

func Boxed(w io.Writer, data []byte) {
	var all any = append([]byte{5}, data...) // want pool it; no patch; 4096+1024
	w.Write(all.([]byte))
}

// Moves has an inner append that writes to what the outer one reads.
func Moves(n int) int {
	h := numbered(n)
	all := append(append(h[:1], h[2:n/2]...), h[1:n]...) // want pool it; no patch; 4096
	return summed(all)
}

// Writes has one that writes an element which the outer one reads.
func Writes(n int, data []byte) int {
	h := numbered(n)
	all := append(append(append(h[:1], 77, 78), h[2]), data...) // want pool it; no patch; 4096
	return summed(all)
}

// NestedNew has a new slice before all.
func NestedNew(n int) int {
	h := numbered(n)
	all := append(append(append([]byte(nil), h[:1]...), h[2:n/2]...), h[1:n]...) // want pool it; patch; 4096
	return summed(all)
}

func numbered(n int) []byte {
	h := make([]byte, n)
	for i := range h {
		h[i] = byte(i)
	}
	numbers = h
	return h
}

var numbers []byte

func summed(p []byte) (n int) {
	for i, b := range p {
		n += i % 7 * int(b)
	}
	return n
}
