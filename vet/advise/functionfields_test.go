package advise

import "testing"

// TestReasonsOfFunctionFields has function values in fields that only the package can set.
func TestReasonsOfFunctionFields(t *testing.T) {
	const may = "it is passed to a function value, which may keep it."
	judged(t, `package p

import "io"

type decoder struct {
	decode func([]byte) int
	keep   func([]byte) int
	given  func([]byte) int
	taken  func([]byte) int
	method func([]byte) int
	Open   func([]byte) int
	sum    int
}

var kept []byte

func count(b []byte) int { return len(b) }

func keep(b []byte) int { kept = b; return 0 }

func (d *decoder) add(b []byte) int { d.sum += len(b); return d.sum }

func New(f func([]byte) int, twice bool) *decoder {
	d := &decoder{decode: count, keep: count, given: f, taken: count, Open: count}
	if twice {
		d.decode = func(b []byte) int { return 2 * len(b) }
		d.keep = keep
	}
	d.method = d.add
	io.WriteString(io.Discard, d.String())
	return d
}

func (d *decoder) String() string {
	at := &d.taken
	set(at)
	return ""
}

func set(at *func([]byte) int) { *at = keep }

func (d *decoder) Decoded(n int) int {
	b := make([]byte, n) // : could stay on the stack; It does not leave (*decoder).Decoded
	return d.decode(b)
}

func (d *decoder) Kept(n int) int {
	b := make([]byte, n) // : needs an owner; The memory leaves (*decoder).Kept: it is passed to p.keep, where it is stored in the variable kept of the package.
	return d.keep(b)
}

func (d *decoder) Given(n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave (*decoder).Given: `+may+`
	return d.given(b)
}

func (d *decoder) Taken(n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave (*decoder).Taken: `+may+`
	return d.taken(b)
}

func (d *decoder) Method(n int) int {
	b := make([]byte, n) // : could stay on the stack; It does not leave (*decoder).Method
	return d.method(b)
}

func (d *decoder) Opened(n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave (*decoder).Opened: `+may+`
	return d.Open(b)
}

type raw struct {
	decode func([]byte) int
	size   int
}

type other struct {
	decode func([]byte) int
	size   int
}

func (r *raw) Converted(n int) int {
	b := make([]byte, n) // : needs an owner; The memory may leave (*raw).Converted: `+may+`
	return r.decode(b)
}

func NewRaw(o other, f func([]byte) int) *raw {
	o.decode = f
	r := raw(o)
	return &r
}

type box[T any] struct{ decode func([]byte) int }

func (x *box[T]) Generic(n int) int {
	b := make([]byte, n) // : needs an owner
	return x.decode(b)
}

func NewBox[T any]() *box[T] { return &box[T]{decode: keep} }
`, nil)
}
