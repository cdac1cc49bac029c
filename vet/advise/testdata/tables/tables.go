// Package corpus has maps that do not leave their functions.
package corpus

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
)

func Distinct(list []int) int {
	seen := make(map[int]bool, len(list)) // want pool it; patch; 208
	for _, v := range list {
		seen[v] = true
	}
	return len(seen)
}

type compression struct {
	outer map[string]int
	inner map[string]uint16
}

func (c compression) insert(s string, at int) {
	if c.outer != nil {
		c.outer[s] = at
		return
	}
	c.inner[s] = uint16(at)
}

func (c compression) find(s string) (at int, ok bool) {
	if c.outer != nil {
		at, ok = c.outer[s]
		return at, ok
	}
	short, ok := c.inner[s]
	return int(short), ok
}

type packer interface {
	pack(c compression, at int) int
}

type word string

func (w word) pack(c compression, at int) int {
	if seen, ok := c.find(string(w)); ok {
		return seen
	}
	c.insert(string(w), at)
	return at + len(w)
}

func packAll(all []packer, c compression) (at int) {
	for _, p := range all {
		at = p.pack(c, at)
	}
	return at
}

func Packed(text string) int {
	var all []packer
	for _, w := range strings.Fields(text) {
		all = append(all, word(w))
	}
	if len(all) > 1 {
		inner := make(map[string]uint16) // want pool it; patch; 208
		return packAll(all, compression{inner: inner})
	}
	return packAll(all, compression{outer: map[string]int{}})
}

func fill(m map[string]int, words []string) map[string]int {
	for i, w := range words {
		m[w] = i
	}
	return m
}

func Filled(words []string) (n int) {
	n = len(fill(map[string]int{}, words)) // want pool it; patch; 208
	return n + 1
}

type set map[string]struct{}

func (s set) add(w string) { s[w] = struct{}{} }

func Named(words []string, out io.Writer) {
	var s = set{} // want pool it; patch; 144
	for _, w := range words {
		s.add(w)
	}
	fmt.Fprint(out, len(s), s)
}

// NaNs has keys that only clear removes.
func NaNs(n int) int {
	m := make(map[float64]*int) // want pool it; patch; 144
	for range n {
		m[math.NaN()] = new(int)
	}
	return len(m)
}

// Recursive has one map for each call that is not done.
func Recursive(n int) int {
	m := map[int]int{} // want pool it; patch; 144
	m[n] = n
	if n > 0 {
		m[n-1] = Recursive(n - 1)
	}
	return len(m)
}

// Broken panics while it ranges over the map.
func Broken(n int) (err error) {
	defer func() { err = recover().(error) }()
	m := map[int]int{} // want pool it; patch; 144
	for i := range n {
		m[i] = i
	}
	for k := range m {
		m[k] /= n - n
	}
	return nil
}

// Late has the length of the map asked before it is put.
func Late(n int) (size int) {
	m := map[int]int{} // want pool it; patch; 144
	defer func() { size = len(m) }()
	for i := range n {
		m[i] = i
	}
	return 0
}

func Emptied(n int) int {
	m := map[int]int{} // want not judged; no patch; 144
	for i := range n {
		m[i] = i
		delete(m, i-10)
	}
	return len(m)
}

func Returned(n int) map[int]int {
	m := map[int]int{} // want not judged; no patch; 144
	m[n] = n
	return m
}

type visitor interface{ visit(i *item) int }

type counter struct{ n int }

func (c *counter) visit(i *item) int {
	i.next = i
	i.part = i.values[:2]
	i.values[1]++
	return i.values[c.n] + i.part[1]
}

type item struct {
	next   *item
	part   []int
	values [80]int
	name   string
}

func visitorOf(n int) visitor { return &counter{n} }

func Made(n int) int {
	i := new(item) // want pool it; patch; 704
	i.values[0] = n
	return visitorOf(0).visit(i)
}

func Literal(n int, name string) (int, string) {
	var i = &item{ // want pool it; patch; 704
		values: [80]int{n, n},
		name:   name, // of the caller
	}
	return visitorOf(0).visit(i), i.name
}

func Argument(name string) int {
	v := visitorOf(1)
	n := v.visit(&item{name: name}) // want pool it; patch; 704
	return n + 1
}

func Recovered(n int) (err error) {
	defer func() { err = recover().(error) }()
	i := &item{} // want pool it; patch; 704
	i.values[n+1] = visitorOf(n).visit(i)
	return nil
}

func Kept(n int) []int {
	i := new(item) // want needs an owner; no patch; 704
	visitorOf(n).visit(i)
	return i.part
}

func Sum(all []*big.Int) ([]byte, bool) {
	total := big.NewInt(0)
	square := new(big.Int)
	for _, x := range all {
		square.Mul(x, x)         // want pool it by math/big.(*Int).Mul; patch; 4096
		total.Add(total, square) // want pool it by math/big.(*Int).Add; patch; 4096
	}
	return total.Bytes(), total.Sign() == 0
}

func Digits(b []byte, base int64) (digits []int64) {
	x := new(big.Int).SetBytes(b) // want pool it by math/big.(*Int).SetBytes; patch; 4096
	by := big.NewInt(base)
	digit := new(big.Int)
	for x.Sign() > 0 {
		x.DivMod(x, by, digit)
		digits = append(digits, digit.Int64())
	}
	return digits
}

func Shifted(n int64) string {
	x := big.NewInt(n)
	x.Lsh(x, 70) // want pool it by math/big.(*Int).Lsh; patch; 4096
	return x.String()
}

func Product(x *big.Int) int {
	y := new(big.Int)
	y.Add(x, x) // want pool it by math/big.(*Int).Add; patch; 4096
	y.Mul(y, x) // want do not pool by math/big.(*Int).Mul; no patch; 4096
	return y.BitLen()
}

func Doubled(x *big.Int) *big.Int {
	y := new(big.Int)
	return y.Add(x, x) // want do not pool by math/big.(*Int).Add; no patch; 4096
}

func halves(r []rune) [][]rune {
	if len(r) < 2 {
		return nil
	}
	return [][]rune{r[:len(r)/2], append(r[:1], r[2:]...)}
}

func Halves(s, t string) (n int, parts string) {
	first := halves([]rune(s))      // want pool it; patch; 4096
	second := halves([]rune(t[1:])) // want pool it; patch; 4096
	if first == nil || second == nil {
		return -1, ""
	}
	for _, part := range append([]rune(nil), first[1]...) {
		n += int(part)
	}
	return n, string(second[0]) + string(second[1])
}

func Extended(s string) (string, int) {
	r := []rune(s) // want pool it; patch; 4096
	a := string(append(r, 'a'))
	b := string(append(r, 'b'))
	return a + b, len(r[:len(s)])
}

type book struct {
	pages []string
	index [10000]int
}

func (b *book) add(page string) {
	b.pages = append(b.pages, page) // want pool it; patch; 4096
	b.index[len(page)] = len(b.pages)
}

func Bound(pages []string) (n int) {
	b := &book{} // want pool it; no patch; 81920
	for _, p := range pages {
		b.add(p)
	}
	return b.index[1] + len(b.pages)
}

type pages struct{ list []byte }

func twice(b []byte) [][]byte { return [][]byte{b, b} }

func itself(b []byte) []byte { return b }

func TwiceInList(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	l := [][]byte{b, b}
	x, y := append(l[0], 'x'), append(l[1], 'y')
	return string(x) + string(y)
}

func TwiceReturned(s string) string {
	b := []byte(s) // want pool it; patch; 4096+8192
	l := twice(b)
	x, y := append(l[0], 'x'), append(l[1], 'y')
	return string(x) + string(y)
}

func TwiceInField(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	p := pages{b}
	x, y := append(p.list, 'x'), append(p.list, 'y')
	return string(x) + string(y)
}

func InTwoFields(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	p, q := pages{b}, pages{b}
	p.list = append(p.list, 'x')
	q.list = append(q.list, 'y')
	return string(p.list) + string(q.list)
}

func FieldAndVariable(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	p := pages{b}
	p.list = append(p.list, 'x')
	y := append(b, 'y')
	return string(p.list) + string(y)
}

func TwiceTheResult(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	x, y := append(itself(b), 'x'), append(itself(b), 'y')
	return string(x) + string(y)
}

func WholeAndPart(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	x, y := append(b[:n-1], "..x"...), append(b[:n-1], "..y"...)
	return string(x) + string(y)
}

func OneAfterAnother(n int) string {
	b := make([]byte, n) // want pool it; patch; 4096+8192
	p := pages{b}
	p.list = append(p.list, 'x')
	p.list = append(p.list, 'y')
	return string(p.list)
}
