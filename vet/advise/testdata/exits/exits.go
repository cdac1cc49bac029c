// Package corpus has memory that grows, and that leaves its function in one place, where a copy can take its place.
package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

type tag struct {
	val  []byte
	list []int
	any  any
}

// Section has the bytes of a Buffer in a field of its result. It is never nil, as a SectionReader does not write itself.
func Section(r io.ReaderAt, n int64) (*tag, error) {
	t := new(tag)
	if n == 0 {
		return t, errors.New("empty")
	}
	var b bytes.Buffer
	got, err := io.Copy(&b, io.NewSectionReader(r, 0, n)) // want pool it by io.Copy, bytes.(*Buffer).ReadFrom; patch; 4096+1024
	if err != nil {
		return t, err
	} else if got != n {
		return t, io.ErrUnexpectedEOF
	}
	t.val = b.Bytes()
	return t, nil
}

// Literal has them in a literal.
func Literal(words []string) *tag {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
		b.WriteByte(' ') // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	return &tag{val: b.Bytes()}
}

var last []byte

// Global has them in a variable of the package, sometimes.
func Global(words []string, keep bool) int {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
		b.WriteByte(' ') // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	n := b.Len()
	if keep {
		last = b.Bytes()
	}
	return n
}

// Map has them in a map.
func Map(all map[string][]byte, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprint(&b, w) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
		b.WriteByte(' ')  // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	all["key"] = b.Bytes()
}

// Sent sends them.
func Sent(to chan<- []byte, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprint(&b, w) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
		b.WriteByte(' ')  // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	to <- b.Bytes()
}

// Element has them in an element, and Behind behind a pointer.
func Element(all [][]byte, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprint(&b, w) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
		b.WriteByte(' ')  // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	all[0] = b.Bytes()
}

func Behind(to *[]byte, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprint(&b, w) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
		b.WriteByte(' ')  // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	*to = b.Bytes()
}

// Reader has them behind a reader that it returns.
func Reader(words []string) io.Reader {
	var b bytes.Buffer
	for _, w := range words {
		fmt.Fprint(&b, w) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
		b.WriteByte(' ')  // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	return bytes.NewReader(b.Bytes())
}

func (t *tag) parse(data []byte) error {
	t.val = data
	return nil
}

// Parsed passes what it reads to a method that keeps it.
func (t *tag) Parsed(r io.Reader) error {
	data, err := io.ReadAll(r) // want pool it by io.ReadAll; patch; 4096+1024
	if err != nil {
		return err
	}
	return t.parse(data)
}

type parser interface{ parse(data []byte) error }

func ParsedBy(p parser, r io.Reader) error {
	var data []byte
	var chunk [2]byte
	for {
		n, err := r.Read(chunk[:])
		data = append(data, chunk[:n]...) // want pool it; patch; 4096
		data = append(data, '.')          // want pool it; patch; 1024
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	return p.parse(data)
}

// Called passes bytes to a function value.
func Called(f func([]byte), n int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want pool it; patch; 4096
		data = append(data, '.')         // want pool it; patch; 1024
	}
	f(data)
}

// List has numbers in a field. Whether the field is nil or empty may matter, and a copy of none is nil.
func (t *tag) List(next func() int) {
	var list []int
	for n := next(); n > 0; n = next() {
		list = append(list, n)  // want pool it; patch; 4096
		list = append(list, -n) // want pool it; patch; 1024
	}
	t.list = list
}

// Any has bytes in an interface.
func (t *tag) Any(words []string) {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
		b.WriteByte(' ') // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	t.any = b.Bytes()
}

func cut(b []byte) []byte { return b[1:] }

// Part has a part of them in a field.
func (t *tag) Part(words []string) {
	var data []byte
	data = append(data, '#') // want pool it; patch; 512
	for _, w := range words {
		data = append(data, w...) // want pool it; patch; 4096
		data = append(data, ';')  // want pool it; patch; 1024
	}
	part := cut(data)
	if len(part) > 2 {
		t.val = part
	}
}

type text []byte

// Named has them in an interface, by a type of their own.
func (t *tag) Named(words []string) {
	var data []byte
	for _, w := range words {
		data = append(data, w...) // want pool it; patch; 4096
		data = append(data, ';')  // want pool it; patch; 1024
	}
	t.any = text(data)
}

type numbers []int

// Numbers has numbers there, where none may be told from nil.
func (t *tag) Numbers(next func() int) {
	var list []int
	for n := next(); n > 0; n = next() {
		list = append(list, n)  // want pool it; no patch; 4096
		list = append(list, -n) // want pool it; no patch; 1024
	}
	t.any = numbers(list)
}

// Text returns them as a type of its own.
func Text(words []string) any {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
		b.WriteByte(' ') // want pool it by bytes.(*Buffer).WriteByte; patch; 1024
	}
	return struct{ t text }{text(b.Bytes())}
}

// Before stores what may be outgrown.
func Before(t *tag, words []string) {
	var data []byte
	for _, w := range words {
		data = append(data, w...) // want pool it; no patch; 4096
	}
	part := data
	data = append(data, ';') // want pool it; no patch; 1024
	part = append(part[:len(part):len(part)], data...)
	t.val = part
}

// MayBeNil copies from a reader that may write itself, and then leaves an empty Buffer nil.
func MayBeNil(t *tag, r io.Reader) {
	var b bytes.Buffer
	io.Copy(&b, r) // want pool it by io.Copy, bytes.(*Buffer).ReadFrom; no patch; 4096+1024
	t.val = b.Bytes()
}

// After writes to the bytes that others have.
func After(t *tag, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		b.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
	}
	t.val = b.Bytes()
	clear(b.Bytes())
}

// Twice has them in two fields, which share them.
func Twice(t, u *tag, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		b.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
	}
	t.val = b.Bytes()
	u.val = b.Bytes()
}

// Rounds stores them in each round of a loop.
func Rounds(t *tag, words []string) {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		b.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
		t.val = b.Bytes()
	}
}

// Deferred writes to them when it returns.
func Deferred(t *tag, words []string) {
	var b bytes.Buffer
	defer func() { b.Bytes()[0] = '!' }()
	for _, w := range words {
		b.WriteString(w) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		b.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
	}
	t.val = b.Bytes()
}

// Whole has a Buffer in an interface.
func Whole(t *tag, words []string) {
	b := new(bytes.Buffer)
	for _, w := range words {
		b.WriteString(w) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		b.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
	}
	t.any = b
}

func join(to *tag, a, b []byte) { to.val, to.any = a, b }

// Both passes them twice to one call.
func Both(t *tag, n int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	join(t, data, data)
}

// Results returns what a function makes of them, and them too.
func Results(f func([]byte) int, n int) (int, []byte) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	return f(data), data
}

func keep(lists ...[]byte) { last = lists[0] }

// Variadic passes them in a list.
func Variadic(n int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	keep(data)
}

// OneSize is made at once.
func OneSize(t *tag, s string) {
	var b bytes.Buffer
	b.WriteString(s) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	t.val = b.Bytes()
}

func filled(data []byte) (n int) {
	for i := range data {
		data[i] = '!'
	}
	return len(data)
}

func hold(to *tag, data []byte, n int) { to.val, to.list = data, []int{n} }

// Filled passes them to a call that gets them before another argument changes them.
func Filled(t *tag, n int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	hold(t, data, filled(data))
}

// FilledAt stores them beside such a call.
func FilledAt(t *tag, all []int, n int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	t.val, all[0] = data, filled(data)
}

// FilledResult returns them so.
func FilledResult(n int) ([]byte, int) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	return data, filled(data)
}

// Waited returns them beside a call that waits for a goroutine that changes them.
func Waited(n int) ([]byte, error) {
	var data []byte
	for i := range n {
		data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
		data = append(data, '.')         // want needs an owner; no patch; 1024
	}
	var wg sync.WaitGroup
	wg.Go(func() { filled(data) })
	return data, waited(&wg)
}

func waited(wg *sync.WaitGroup) error {
	wg.Wait()
	return nil
}

// Either may store the memory of its caller, which the caller still writes to.
func Either(t *tag, given []byte, n int) {
	out := given
	if n > 0 {
		var data []byte
		for i := range n {
			data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
			data = append(data, '.')         // want needs an owner; no patch; 1024
		}
		out = data
	}
	t.val = out
}

// EitherResult returns one of both.
func EitherResult(given []byte, n int) []byte {
	out := given
	if n > 0 {
		var data []byte
		for i := range n {
			data = append(data, byte('a'+i)) // want needs an owner; no patch; 4096
			data = append(data, '.')         // want needs an owner; no patch; 1024
		}
		out = data
	}
	return out
}

// Listed stores an element of a list that has the memory, too.
func Listed(t *tag, given []byte, i, n int) {
	data := make([]byte, 0, 2)
	for i := range n {
		data = append(data, byte('a'+i)) // want pool it; patch; 4096
		data = append(data, '.')         // want pool it; patch; 1024
	}
	list := make([][]byte, 2)
	list[0], list[1] = data, given
	t.val = list[i]
}

// Capacity stores a slice that others may slice up to its capacity, and CapacityResult returns one.
func Capacity(t *tag, n int) {
	data := make([]byte, 0, 64)
	for i := range n {
		data = append(data, byte('a'+i)) // want pool it; patch; 4096
		data = append(data, '.')         // want pool it; patch; 1024
	}
	t.val = data
}

func CapacityResult(n int) []int {
	list := make([]int, 0, 64)
	for i := range n {
		list = append(list, i)  // want pool it; patch; 4096
		list = append(list, -i) // want pool it; patch; 1024
	}
	return list
}

// CapacityOf has one that is no constant.
func CapacityOf(t *tag, size, n int) {
	data := make([]byte, 0, size)
	for i := range n {
		data = append(data, byte('a'+i)) // want pool it; no patch; 4096
		data = append(data, '.')         // want pool it; no patch; 1024
	}
	t.val = data
}

// Nested has a function that calls itself, and one that gets an io.Writer. Nothing is written if there is no tag.
func Nested(t *tag) ([]byte, error) {
	var b bytes.Buffer
	if err := nested(&b, t, 2); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func nested(b *bytes.Buffer, t *tag, depth int) error {
	if t == nil {
		return nil
	}
	if depth == 0 {
		return quoted(b, t.val)
	}
	b.WriteByte('[')
	defer b.WriteByte(']')
	b.WriteString("tag ") // want pool it by bytes.(*Buffer).WriteString; patch; 4096+1024
	return nested(b, t, depth-1)
}

func quoted(w io.Writer, text []byte) error {
	_, err := fmt.Fprintf(w, "%q", text)
	return err
}

// Reading has a function that may read nothing, for which a Buffer makes memory.
func Reading(r io.Reader, depth int) []byte {
	var b bytes.Buffer
	reading(&b, r, depth)
	return b.Bytes()
}

func reading(b *bytes.Buffer, r io.Reader, depth int) {
	if depth > 0 {
		b.WriteString("reads ") // want pool it by bytes.(*Buffer).WriteString; no patch; 4096+1024
		reading(b, r, depth-1)
		return
	}
	b.ReadFrom(r)
}

// Asserted has one that may find out what it has.
func Asserted(r io.Reader, words []string) []byte {
	var b bytes.Buffer
	asserted(&b, r, words)
	return b.Bytes()
}

func asserted(w io.Writer, r io.Reader, words []string) {
	if from, ok := w.(io.ReaderFrom); ok && len(words) == 0 {
		from.ReadFrom(r)
	}
	for _, word := range words {
		io.WriteString(w, word) // want pool it by io.WriteString, bytes.(*Buffer).WriteString; no patch; 4096+1024
	}
}
