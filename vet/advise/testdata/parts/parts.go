// Package corpus makes memory within larger expressions, of sizes that an int may not hold, and has structs of the function
// that keep parts of it.
package corpus

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"strings"
	"sync"
)

// Tag has a size that is computed without int.
func Tag(w io.Writer, head, body []byte) error {
	b := make([]byte, uint64(len(head))+uint64(len(body))+8) // want pool it; patch; 4096
	n := copy(b, head)
	n += copy(b[n:], body)
	binary.BigEndian.PutUint64(b[n:], uint64(n))
	_, err := w.Write(b)
	return err
}

// Histogram panics for a size that no slice can have, with and without a pool.
func Histogram(values []uint, most uint) (peak int) {
	counts := make([]int, most+1) // want pool it; patch; 4096
	for _, v := range values {
		counts[min(v, most)]++
	}
	for _, n := range counts {
		peak = max(peak, n)
	}
	return peak
}

// Blocks has one array for all rounds.
func Blocks(w io.Writer, r io.Reader, size int64) (err error) {
	for err == nil {
		block := make([]byte, size) // want reuse a variable; patch; 4096
		var n int
		n, err = io.ReadFull(r, block)
		if _, err := w.Write(block[:n]); err != nil {
			return err
		}
	}
	return nil
}

type count uint64

// Named has a size of a type of its own.
func Named(w io.Writer, n count) {
	b := make([]byte, n) // want pool it; no patch; 4096
	w.Write(b)
}

// Padded begins with a part of its memory, and grows into the rest.
func Padded(w io.Writer, text []byte, over func() int) error {
	b := make([]byte, len(text)+over())[:len(text)] // want pool it; patch; 4096
	copy(b, text)
	for missing := 16 - len(b)%16; missing > 0; missing-- {
		b = append(b, byte(missing))
	}
	_, err := w.Write(b)
	return err
}

// Kept is like Padded, but its caller gets the memory.
func Kept(text []byte) []byte {
	b := make([]byte, len(text)+16)[:len(text)] // want needs an owner; no patch; 4096
	copy(b, text)
	return append(b, 1)
}

// Unpadded has a part that surely ends within the length.
func Unpadded(w io.Writer, padded []byte) error {
	b := append([]byte{}, padded...) // want pool it; patch; 4096
	b[0]++
	text, err := unpad(b)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

var errPadding = errors.New("padding")

func unpad(b []byte) ([]byte, error) {
	n := int(b[len(b)-1])
	if n > len(b) {
		return nil, errPadding
	}
	return b[:len(b)-n], nil
}

// Beyond may have a part that ends behind the length.
func Beyond(w io.Writer, text []byte, by int8) error {
	b := append([]byte{}, text...) // want pool it; no patch; 4096
	_, err := w.Write(b[:len(b)-int(by)])
	return err
}

// Body is never nil, because io.CopyN has the Buffer make memory.
func Body(r io.Reader, n int64) ([]byte, error) {
	buf := new(bytes.Buffer)
	_, err := io.CopyN(buf, r, n) // want pool it by io.CopyN, bytes.(*Buffer).ReadFrom; patch; 4096
	buf.WriteString("")           // want pool it by bytes.(*Buffer).WriteString; patch; 512
	return buf.Bytes(), err
}

// Rest may be nil, if the reader writes nothing.
func Rest(r io.Reader) ([]byte, error) {
	var buf bytes.Buffer
	_, err := io.Copy(&buf, r) // want pool it by io.Copy, bytes.(*Buffer).ReadFrom; no patch; 4096
	buf.WriteString("")        // want pool it by bytes.(*Buffer).WriteString; no patch; 512
	return buf.Bytes(), err
}

// Some reads on one way only.
func Some(r io.Reader, n int64) ([]byte, error) {
	var buf bytes.Buffer
	var err error
	if n > 0 {
		_, err = io.CopyN(&buf, r, n) // want pool it by io.CopyN, bytes.(*Buffer).ReadFrom; no patch; 4096
	}
	buf.WriteString("") // want pool it by bytes.(*Buffer).WriteString; no patch; 512
	return buf.Bytes(), err
}

// A lines reads from a reader that others make.
type lines struct {
	r    *bufio.Reader
	last []byte
}

func newLines(n int, r *bufio.Reader) *lines { return &lines{r: r} }

// Longest keeps each line in a field of its struct.
func (l *lines) Longest() (n int) {
	for {
		line, err := l.r.ReadSlice('\n')
		if n = max(n, len(line)); err != nil {
			return n
		}
		l.last = line[:1]
	}
}

// Longest makes its reader within a larger expression, before all else.
func Longest(text string) int {
	l := newLines(1, bufio.NewReader(strings.NewReader(text))) // want pool it by bufio.NewReader; patch; 4096
	return l.Longest() + len(l.last)
}

// Second evaluates another call first.
func Second(text string, next func() int) int {
	l := newLines(next(), bufio.NewReader(strings.NewReader(text))) // want pool it by bufio.NewReader; no patch; 4096
	return l.Longest()
}

// Perhaps may not evaluate the call.
func Perhaps(text string, ok bool) bool {
	return ok && newLines(1, bufio.NewReader(strings.NewReader(text))).Longest() > 1 // want pool it by bufio.NewReader; no patch; 4096
}

// Started has a goroutine that may outlive it.
func Started(text string, n chan<- int) {
	l := newLines(1, bufio.NewReader(strings.NewReader(text))) // want needs an owner by bufio.NewReader; no patch; 4096
	go func() { n <- l.Longest() }()
}

// Opened returns the struct that has its reader.
func Opened(text string) *lines {
	return newLines(1, bufio.NewReader(strings.NewReader(text))) // want needs an owner by bufio.NewReader; no patch; 4096
}

func digest(h hash.Hash, p []byte) byte {
	h.Write(p)
	return h.Sum(nil)[0]
}

// Digest makes its hash for an argument.
func Digest(p []byte) byte {
	d := digest(sha256.New(), p) // want pool it by crypto/sha256.New; patch; 128
	return d
}

// A decoder cuts its field.
type decoder struct {
	rest   []byte
	field  []byte
	parent *parent
}

type parent struct{ rest []byte }

func (d *decoder) next() byte {
	b := d.rest[0]
	d.field, d.rest = d.rest[:1], d.rest[1:]
	return b
}

func (d *decoder) give() { d.parent.rest = d.rest }

// Decoded has a decoder of its own.
func Decoded(r io.Reader, n int) (sum int) {
	b := make([]byte, n) // want pool it; patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return -1
	}
	d := decoder{rest: b}
	for len(d.rest) > 0 {
		sum += int(d.next())
	}
	return sum + len(d.field)
}

// Given has one that gives a part to a value of its caller.
func Given(p *parent, r io.Reader, n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return -1
	}
	d := decoder{rest: b, parent: p}
	d.give()
	return int(d.next())
}

// Shared has one of its caller.
func Shared(d *decoder, r io.Reader, n int) int {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return -1
	}
	d.rest = b
	return int(d.next())
}

// Last returns a part that its decoder keeps.
func Last(r io.Reader, n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return nil
	}
	d := decoder{rest: b}
	d.next()
	return d.field
}

func fill(p []byte, with byte) {
	for i := range p {
		p[i] = with
	}
}

func total(p []byte) (sum int) {
	for _, b := range p {
		sum += int(b)
	}
	return sum
}

// Waited has goroutines fill its memory, and waits for them.
func Waited(n int) int {
	b := make([]byte, 4*n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Add(4)
	for i := range 4 {
		go func() {
			defer wg.Done()
			fill(b[i*n:(i+1)*n], byte(i))
		}()
	}
	wg.Wait()
	return total(b)
}

// Ranged starts a goroutine for each element.
func Ranged(values []byte, n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	for i, v := range values {
		wg.Add(1)
		go func(part []byte) {
			defer wg.Done()
			fill(part[i:i+1], v)
		}(b)
	}
	wg.Wait()
	return total(b)
}

func filler(wg *sync.WaitGroup, p []byte) {
	fill(p, 7)
	wg.Done()
}

// Together starts a function of the package, and a literal by the group itself.
func Together(n int) int {
	b := make([]byte, n) // want pool it; patch; 4096
	c := make([]byte, n) // want pool it; patch; 4096
	wg := sync.WaitGroup{}
	wg.Add(1)
	go filler(&wg, b)
	wg.Go(func() { fill(c, 2) })
	wg.Wait()
	return total(b) + total(c)
}

// Early may return before the goroutine ends.
func Early(n int, hurry bool) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fill(b, 1)
	}()
	if hurry {
		return
	}
	wg.Wait()
}

// Risky may panic while the goroutine runs, and a caller may go on.
func Risky(n int, f func()) {
	b := make([]byte, n) // want pool it; patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fill(b, 1)
	}()
	f()
	wg.Wait()
}

// Begun waits for the beginning of the goroutine alone.
func Begun(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
		fill(b, 1)
	}()
	wg.Wait()
}

// Deferred calls Done before another deferred function uses the memory.
func Deferred(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer fill(b, 1)
		defer wg.Done()
	}()
	wg.Wait()
}

// Other waits for another group.
func Other(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg, other sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fill(b, 1)
	}()
	other.Wait()
}

// Twice uses a group again, whose count may then hide a goroutine of before.
func Twice(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fill(b, 1)
	}()
	wg.Wait()
	wg.Add(1)
	wg.Done()
}

var kept []byte

// Keeping waits for a goroutine that keeps the memory.
func Keeping(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		kept = b
	}()
	wg.Wait()
}

// Nested waits for a goroutine that starts another.
func Nested(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		go fill(b, 1)
	}()
	wg.Wait()
}

// Passed has a group that another function may use.
func Passed(n int, use func(*sync.WaitGroup)) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var wg sync.WaitGroup
	use(&wg)
	wg.Add(1)
	go func() {
		defer wg.Done()
		fill(b, 1)
	}()
	wg.Wait()
}
