// Package corpus has copies of slices, strings and streams.
package corpus

import (
	"bytes"
	"io"
	"slices"
)

func Lower(w io.Writer, b []byte) {
	x := bytes.Clone(b) // want pool it by bytes.Clone; patch; 1024
	for i := range x {
		x[i] |= 0x20
	}
	w.Write(x)
}

// Part is a part of a call.
func Part(w io.Writer, b []byte) {
	w.Write(bytes.Clone(b)) // want pool it by bytes.Clone; patch; 1024
}

// After copies what the first argument writes.
func After(w io.Writer, b []byte) {
	write(w, fill(b), bytes.Clone(b)) // want pool it by bytes.Clone; no patch; 1024
}

func write(w io.Writer, n int, b []byte) { w.Write(b[:n]) }

func fill(b []byte) int {
	for i := range b {
		b[i] = 'f'
	}
	return len(b)
}

// Median has a slice of another type.
func Median(all []int) int {
	x := slices.Clone(all) // want pool it by slices.Clone; patch; 1024
	slices.Sort(x)
	return x[len(x)/2]
}

type pair struct {
	name  string
	value *int
}

// Last has elements with pointers.
func Last(all []pair) (name string) {
	x := append([]pair{}, all...) // want pool it; patch; 1024
	slices.Reverse(x)
	for _, p := range x[:1] {
		name += p.name
	}
	return name
}

// Joined appends two slices.
func Joined(w io.Writer, a, b []byte) {
	x := slices.Concat(a, b) // want pool it by slices.Concat; patch; 1024
	x[0] = '<'
	w.Write(x)
}

// Shared may have the same array in both slices.
func Shared(w io.Writer, b []byte) byte {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	y := append(x, '>')
	y[0] = '<'
	w.Write(y)
	return x[0]
}

// Extended appends to the copy.
func Extended(w io.Writer, b []byte) byte {
	x := bytes.Clone(b) // want pool it by bytes.Clone; patch; 1024
	x = append(x, '>')
	x[0] = '<'
	w.Write(x)
	return x[0]
}

// Aliased may have the first array or not.
func Aliased(w io.Writer, b []byte) byte {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	y := x
	x = append(x, '>')
	x[0] = '<'
	w.Write(x)
	return y[0]
}

// Unshared uses an idiom for a copy.
func Unshared(w io.Writer, b []byte) {
	x := append(b[:0:0], b...) // want pool it; patch; 1024
	x[0] = '!'
	w.Write(x)
}

// NilOrNot tells nil from an empty slice.
func NilOrNot(b []byte) bool {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	return x == nil
}

// NilOfPart does so with a part.
func NilOfPart(b []byte) bool {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	y := x[:len(x)/2]
	return y == nil
}

// Room asks for the capacity.
func Room(b []byte) int {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	return cap(x)
}

// Returned leaves.
func Returned(b []byte) []byte {
	return bytes.Clone(b) // want needs an owner by bytes.Clone; no patch; 1024
}

func Rounds(w io.Writer, all [][]byte) {
	for _, b := range all {
		x := bytes.Clone(b) // want reuse a variable by bytes.Clone; patch; 24
		x[0] = '0'
		w.Write(x)
	}
}

func Appended(all []string) (n int) {
	for _, s := range all {
		x := append([]byte(nil), s...) // want reuse a variable; patch; 1024
		slices.Sort(x)
		x = append(x, s...)
		n += len(x)
	}
	return n
}

func Medians(all [][]int) (sum int) {
	for _, values := range all {
		x := slices.Clone(values) // want reuse a variable by slices.Clone; patch; 1024
		slices.Sort(x)
		sum += x[len(x)/2]
	}
	return sum
}

// Before uses the copy of the round before.
func Before(all [][]byte) (same int) {
	var last []byte
	for _, b := range all {
		x := bytes.Clone(b) // want do not pool by bytes.Clone; no patch; 1024
		if bytes.Equal(x, last) {
			same++
		}
		last = x
	}
	return same
}

// Pointers would have the array keep what they point at.
func Pointers(all [][]pair) (names string) {
	for _, pairs := range all {
		x := slices.Clone(pairs) // want reuse a variable by slices.Clone; no patch; 1024
		slices.Reverse(x)
		names += x[0].name
	}
	return names
}

// Guarded is cut only if it is longer.
func Guarded(w io.Writer, b []byte, most int) {
	x := bytes.Clone(b) // want pool it by bytes.Clone; patch; 1024
	if len(x) > most {
		x = x[:most]
	}
	w.Write(x)
}

// GuardedElse is cut where the condition fails.
func GuardedElse(w io.Writer, b []byte) {
	x := bytes.Clone(b) // want pool it by bytes.Clone; patch; 1024
	if len(x) < 3 {
		w.Write(x)
		return
	}
	w.Write(x[:3])
}

// Unguarded is cut where it may be too short.
func Unguarded(w io.Writer, b []byte, most int) {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	if len(x) < most {
		x = x[:most]
	}
	w.Write(x)
}

// OtherGuard is guarded by the length of another slice.
func OtherGuard(w io.Writer, b, c []byte, most int) {
	x := bytes.Clone(b) // want pool it by bytes.Clone; no patch; 1024
	if len(c) > most {
		x = x[:most]
	}
	w.Write(x)
}

// Limited copies some bytes.
func Limited(w io.Writer, r io.Reader, n int64) {
	io.CopyN(w, r, n) // want pool it by io.CopyN, io.Copy, io.copyBuffer; patch; 32768
}

// LimitedOrEnd tells whether there were so many.
func LimitedOrEnd(w io.Writer, r io.Reader, n int64) error {
	_, err := io.CopyN(w, r, n) // want pool it by io.CopyN, io.Copy, io.copyBuffer; no patch; 32768
	return err
}

// Grouped declares the runes in a group.
func Grouped(s string) int {
	var (
		x = []rune(s) // want pool it; patch; 1024
	)
	slices.Sort(x)
	return int(x[0])
}

// Shadowed has the runes in a variable of the string's name.
func Shadowed(s string, n int) int {
	if n > 0 {
		var s = []rune(s) // want pool it; no patch; 1024
		slices.Sort(s)
		return int(s[0])
	}
	return len(s)
}

// Prefixed copies a string.
func Prefixed(w io.Writer, b []byte, s string) {
	x := append(b[:0:0], s...) // want pool it; patch; 1024
	x = append(x, b...)
	w.Write(x)
}
