// Package corpus has slices that function literals read.
package corpus

import (
	"bytes"
	"io"
	"slices"
	"sort"
)

type word struct {
	text string
	n    int
}

// Sorted has a literal that compares elements.
func Sorted(w io.Writer, text string) {
	var words []word
	begin := 0
	for i := range len(text) {
		if text[i] == ' ' {
			words = append(words, word{text[begin:i], i - begin}) // want pool it; patch; 4096
			begin = i + 1
		}
	}
	sort.Slice(words, func(i, j int) bool { return words[i].n < words[j].n })
	for _, w2 := range words {
		io.WriteString(w, w2.text)
	}
}

// Numbers begins with an empty slice, and has a method of the literal's own.
func Numbers(max int) (sum int) {
	all := []int{}
	at := func(i int) int { return all[i] }
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want pool it; patch; 4096
		sum += at(len(all)-1) - at(0)
	}
	return sum
}

// Bytes has a literal that writes what there is.
func Bytes(w io.Writer, lines []string) (err error) {
	var out []byte
	flush := func() {
		if len(out) > 0 && err == nil {
			_, err = w.Write(out)
		}
	}
	for len(lines) > 0 {
		line := lines[0]
		lines = lines[1:]
		out = append(out, line...) // want pool it; patch; 4096
		out = append(out, '\n')
	}
	flush()
	return err
}

// Picked appends in some rounds of a loop only.
func Picked(values []int) (n int) {
	var odd []int
	for _, v := range values {
		if v%2 == 1 {
			odd = append(odd, v) // want pool it; patch; 4096
		}
	}
	slices.Sort(odd)
	for _, v := range odd {
		n = n*10 + v
	}
	return n
}

var later func() int

// Kept has a literal that others call later.
func Kept(max int) {
	all := []int{}
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want needs an owner; no patch; 4096
	}
	later = func() int { return len(all) }
}

// Appending has a literal that lets the slice grow.
func Appending(max int) (sum int) {
	all := []int{}
	add := func(i int) { all = append(all, i) } // want pool it; patch; 4096
	for i := 1; i < max; i *= 2 {
		add(i)
	}
	for _, v := range all {
		sum += v
	}
	return sum
}

// Setting has a literal that takes the slice away.
func Setting(max int, other []int) (sum int) {
	all := []int{}
	swap := func() { all = other }
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want do not pool; no patch; 4096
	}
	swap()
	for _, v := range all {
		sum += v
	}
	return sum
}

// Forked makes two slices of one.
func Forked(max int) (sum int) {
	all := []int{}
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want pool it; no patch; 4096
	}
	at := func(i int) int { return all[i] }
	a := append(all, 1)
	b := append(all, 2)
	return at(0) + a[len(a)-1] + b[len(b)-1]
}

// Stale uses a part after an append, which may write to it.
func Stale(max int) (sum int) {
	all := []int{0}
	get := func() int { return all[0] }
	part := all[:1]
	for i := 1; i < max; i *= 2 {
		all = append(all[:0], i, i) // want pool it; no patch; 4096
	}
	return part[0] + get()
}

// Nil has a literal that tells nil from an empty slice.
func Nil(max int) bool {
	var all []int
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want pool it; no patch; 4096
	}
	isNil := func() bool { return all == nil }
	return isNil()
}

// Deferred has a literal that runs after all that is deferred behind the declaration.
func Deferred(w io.Writer, max int) {
	all := []byte{}
	defer func() { w.Write(all) }()
	for i := 1; i < max; i *= 2 {
		all = append(all, byte(i)) // want pool it; patch; 4096
	}
}

// Returned gives the slice away.
func Returned(max int) []int {
	all := []int{}
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want needs an owner; no patch; 4096
	}
	sort.Slice(all, func(i, j int) bool { return all[i] > all[j] })
	return all
}

// Printed has a literal that prints the slice, so that nil would look another way.
func Printed(max int, print func(any)) {
	var all []int
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want needs an owner; no patch; 4096
	}
	show := func() { print(all) }
	show()
}

// Started has a goroutine read the slice.
func Started(max int) {
	all := []int{}
	for i := 1; i < max; i *= 2 {
		all = append(all, i) // want needs an owner; no patch; 4096
	}
	go func() { sort.Ints(all) }()
}

// Pointed has an element whose address outlives an append.
func Pointed(max int) (sum int) {
	all := []word{}
	at := func(i int) *word { return &all[i] }
	for i := 1; i < max; i *= 2 {
		all = append(all, word{"", i}) // want pool it; no patch; 4096
		first := at(0)
		all = append(all, word{"", -i})
		first.n++
	}
	for i := range all {
		sum += all[i].n
	}
	return sum
}

// Buffered has a literal that reads a Buffer.
func Buffered(w io.Writer, lines []string) {
	var b bytes.Buffer
	flush := func() { w.Write(b.Bytes()) }
	for _, line := range lines {
		b.WriteString(line) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	flush()
}

// Cloned returns a copy, which is nil for nil alone.
func Cloned(values []int) []int {
	var odd []int
	for len(values) > 0 {
		if values[0]%2 == 1 {
			odd = append(odd, values[0]) // want pool it; no patch; 4096
		}
		values = values[1:]
	}
	return slices.Clone(odd)
}
