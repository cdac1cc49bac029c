package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
)

type copied struct{ buf []byte }

func (c *copied) add(s string) {
	c.buf = append(c.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Copied has two structs with one slice.
func Copied(s string) string {
	c := &copied{}
	c.add(s)
	d := *c
	d.add("d")
	c.add("c")
	return string(d.buf) + string(c.buf)
}

type saved struct{ buf []byte }

func (s *saved) add(text string) {
	s.buf = append(s.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Saved uses a slice after an append.
func Saved(text string) string {
	s := saved{}
	s.add("ab")
	head := s.buf[:2]
	s.add(text)
	s.buf[0] = 'x'
	return string(head)
}

type handed struct{ buf []byte }

func (h *handed) add(s string) {
	h.buf = append(h.buf, s...) // want needs an owner; no patch; 4096+8192
}

type alias *handed

func addTo(a alias) { (*handed)(a).add("more") }

// Handed passes the struct as a pointer of another type.
func Handed(s string) string {
	h := &handed{}
	h.add(s)
	head := h.buf
	addTo(h)
	h.buf[0] = 'x'
	return string(head)
}

type stored struct {
	buf  []byte
	seen map[string][]byte
}

func (s *stored) add(text string) {
	s.buf = append(s.buf, text...) // want needs an owner; no patch; 4096+8192
	s.seen[text] = s.buf
}

// Stored has the memory in a map of the struct.
func Stored(text string) []byte {
	s := &stored{seen: map[string][]byte{}}
	s.add(text)
	return s.seen[text]
}

type other struct{ part []byte }

type passed struct{ buf []byte }

func (p *passed) add(s string) {
	p.buf = append(p.buf, s...) // want needs an owner; no patch; 4096+8192
}

func (p *passed) to(o *other) { o.part = p.buf[1:] }

// Passed stores a part in another struct.
func Passed(s string, o *other) {
	p := &passed{}
	p.add(s)
	p.to(o)
}

type called struct{ buf []byte }

func (c *called) add(s string) {
	c.buf = append(c.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Called has a method value.
func Called(all []string) string {
	c := &called{}
	add := c.add
	for _, s := range all {
		add(s)
	}
	return string(c.buf)
}

type held struct{ buf []byte }

func (h *held) Write(p []byte) (int, error) {
	h.buf = append(h.buf, p...) // want needs an owner; no patch; 4096+8192
	return len(p), nil
}

var lastWriter io.Writer

// Held has the struct in an interface, which is kept.
func Held(s string) int {
	h := &held{}
	lastWriter = h
	io.WriteString(lastWriter, s)
	return len(h.buf)
}

type late struct{ buf []byte }

func (l *late) add(s string) {
	l.buf = append(l.buf, s...) // want needs an owner; no patch; 4096+8192
}

func (l *late) finish() { l.buf[0] = '!' }

// Late changes the result when it returns.
func Late(s string) []byte {
	l := &late{}
	defer l.finish()
	l.add(s)
	return l.buf
}

type behind struct{ buf []byte }

func (b *behind) add(s string) {
	b.buf = append(b.buf, s...) // want needs an owner; no patch; 4096+8192
}

func (b *behind) finish() int {
	b.buf[0] = '!'
	return len(b.buf)
}

// Behind changes the result behind it.
func Behind(s string) ([]byte, int) {
	b := &behind{}
	b.add(s)
	return b.buf, b.finish()
}

type maybe struct{ buf []byte }

func (m *maybe) add(s string) {
	m.buf = append(m.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Maybe returns nil, or an empty slice.
func Maybe(all []string) []byte {
	m := &maybe{}
	for _, s := range all {
		m.buf = m.buf[:0]
		m.add(s)
	}
	return m.buf
}

type partly struct{ buf []byte }

func (p *partly) add(s string) {
	p.buf = append(p.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Partly returns a part, which may be empty, and not nil.
func Partly(s string) []byte {
	p := &partly{}
	p.add(s)
	return p.buf[len(s):]
}

type ranged struct{ buf []byte }

func (r *ranged) add(s string) {
	r.buf = append(r.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Ranged appends while it ranges over the slice.
func Ranged(s string) (n int) {
	r := &ranged{}
	r.add(s)
	for i, c := range r.buf {
		r.add(string(c))
		r.buf[len(s)-1-i] = 'x'
		n += int(c)
	}
	return n
}

type swapped struct{ buf []byte }

func (s *swapped) add(text string) {
	s.buf = append(s.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Swapped gives each struct the slice of the other.
func Swapped(text string) string {
	a, b := &swapped{}, &swapped{}
	a.add(text)
	a.buf, b.buf = b.buf, a.buf
	b.add("b")
	return string(b.buf)
}

type longer struct{ buf []byte }

func (l *longer) add(s string) {
	l.buf = append(l.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Longer has elements behind the length.
func Longer(s string) byte {
	l := &longer{}
	l.add(s)
	l.buf = slices.Grow(l.buf, 8)
	l.buf = l.buf[:len(l.buf)+1]
	return l.buf[len(l.buf)-1]
}

type literal struct{ buf []byte }

func (l *literal) add(s string) {
	l.buf = append(l.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Literal begins with a slice of its caller.
func Literal(begin []byte, s string) string {
	l := &literal{buf: begin}
	l.add(s)
	return string(l.buf)
}

type again struct{ buf []byte }

func (a *again) add(s string) {
	a.buf = append(a.buf, s...) // want pool it; no patch; 4096+8192
}

// Again sets the variable again.
func Again(all []string) (n int) {
	a := &again{}
	a.add("a")
	b := a
	for _, s := range all {
		b.add(s)
	}
	if n = len(a.buf); n > 4 {
		a = nil
	}
	return n
}

type made struct{ buf []byte }

func newMade() *made { return &made{buf: make([]byte, 0, 8)} } // want needs an owner; no patch; 4096

func (m *made) add(s string) {
	m.buf = append(m.buf, s...) // want needs an owner; no patch; 4096+8192
}

var kept *made

// Made is done with its struct.
func Made(s string) int {
	m := newMade()
	m.add(s)
	return len(m.buf)
}

// Kept keeps it.
func Kept(s string) {
	kept = newMade()
	kept.add(s)
}

type spread struct{ buf []byte }

func (s *spread) add(text string) {
	s.buf = append(s.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Spread has goroutines that it does not wait for.
func Spread(text string) {
	s := &spread{}
	s.add(text)
	go s.add(text)
}

type viewed struct{ buf []byte }

func (v *viewed) add(s string) {
	v.buf = append(v.buf, s...) // want needs an owner; no patch; 4096+8192
}

func (v *viewed) bytes() []byte { return v.buf }

// Viewed uses the result of a method after an append.
func Viewed(s string) string {
	v := &viewed{}
	v.add(s)
	head := v.bytes()
	v.add(s)
	v.buf[0] = '!'
	return string(head)
}

type round struct{ buf []byte }

func (r *round) add(s string) {
	r.buf = append(r.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Rounds makes one in each round.
func Rounds(all []string) (n int) {
	for _, s := range all {
		r := round{}
		r.add(s)
		n += len(r.buf)
	}
	return n
}

type addressed struct{ buf []byte }

func (a *addressed) add(s string) {
	a.buf = append(a.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Addressed has the address of the field.
func Addressed(s string) string {
	a := &addressed{}
	a.add(s)
	extend(&a.buf)
	return string(a.buf)
}

func extend(at *[]byte) { *at = append((*at)[:1:1], *at...) }

type reset struct{ buf []byte }

func (r *reset) add(s string) {
	r.buf = append(r.buf, s...) // want needs an owner; no patch; 4096+8192
}

// Reset has another slice later.
func Reset(s string) []byte {
	r := &reset{}
	r.add(s)
	out := r.buf
	r.buf = nil
	r.add(s)
	return out
}

type written struct{ out []byte }

func (w *written) Write(b []byte) (int, error) {
	w.out = append(w.out, b...) // want needs an owner; no patch; 4096
	return len(b), nil
}

// Written uses a slice after a function may have written to the struct.
func Written(n int) string {
	w := &written{}
	w.Write([]byte("ab"))
	head := w.out
	fmt.Fprint(w, n)
	w.out[0] = 'x'
	return string(head)
}

type wrapped struct{ out []byte }

func (w *wrapped) Write(b []byte) (int, error) {
	w.out = append(w.out, b...) // want needs an owner; no patch; 4096
	return len(b), nil
}

// Wrapped gives the struct to a writer that has it later, too.
func Wrapped(s string) (int, *bufio.Writer) {
	w := &wrapped{}
	b := bufio.NewWriter(w)
	b.WriteString(s)
	return len(w.out), b
}

// A Drawer may be a type of anyone.
type Drawer interface{ Draw(p *Canvas) }

// A Canvas is what they draw on.
type Canvas struct{ out []byte }

// Add draws.
func (c *Canvas) Add(s string) {
	c.out = append(c.out, s...) // want needs an owner; no patch; 4096
}

// Draw passes it to a method that may keep it.
func Draw(d Drawer) int {
	c := &Canvas{}
	d.Draw(c)
	return len(c.out)
}

type shown struct{ *bytes.Buffer }

func newShown() *shown { return &shown{Buffer: new(bytes.Buffer)} }

func (s *shown) add(text string) {
	s.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Shown returns the bytes.
func Shown(text string) []byte {
	s := newShown()
	s.add(text)
	return s.Bytes()
}

type sized struct{ *bytes.Buffer }

func newSized() *sized { return &sized{bytes.NewBuffer(nil)} }

func (s *sized) add(text string) {
	s.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Sized asks for the capacity.
func Sized(text string) int {
	s := newSized()
	s.add(text)
	return s.Cap()
}

type headed struct{ *bytes.Buffer }

func newHeaded() *headed {
	h := &headed{new(bytes.Buffer)}
	h.WriteString("head")
	return h
}

func (h *headed) add(text string) {
	h.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Headed has a Buffer with a text.
func Headed(text string) string {
	h := newHeaded()
	h.add(text)
	return h.String()
}

type exchanged struct{ *bytes.Buffer }

func newExchanged() *exchanged { return &exchanged{new(bytes.Buffer)} }

func (e *exchanged) add(text string) {
	e.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Exchanged gives the Buffer to another.
func Exchanged(text string) string {
	e, f := newExchanged(), newExchanged()
	e.add(text)
	f.Buffer = e.Buffer
	return f.String()
}

type asked struct{ *bytes.Buffer }

func newAsked() *asked { return &asked{new(bytes.Buffer)} }

func (a *asked) add(text string) {
	a.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Asked tells nil from no bytes.
func Asked(text string) bool {
	a := newAsked()
	a.add(text)
	return a.Bytes() == nil
}

type whole struct{ out bytes.Buffer }

func (w *whole) add(text string) {
	w.out.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

func (w *whole) bytes() []byte { return w.out.Bytes() }

// Whole returns the bytes by a method.
func Whole(text string) []byte {
	w := &whole{}
	w.add(text)
	return w.bytes()
}

type fresh struct{ out bytes.Buffer }

func (f *fresh) add(text string) {
	f.out.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Fresh has another Buffer later.
func Fresh(text string) string {
	f := &fresh{}
	f.add(text)
	f.out = bytes.Buffer{}
	f.add("!")
	return f.out.String()
}

type twin struct{ out bytes.Buffer }

func (t *twin) add(text string) {
	t.out.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

// Twin copies the struct.
func Twin(text string) string {
	t := twin{}
	t.add(text)
	u := t
	u.add("u")
	return t.out.String() + u.out.String()
}

type valued struct{ out bytes.Buffer }

func (v *valued) add(text string) {
	v.out.WriteString(text) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096+8192
}

func (v valued) with(text string) string {
	v.out.WriteString(text)
	return v.out.String()
}

// Valued has a method that writes to a copy.
func Valued(text string) string {
	v := valued{}
	v.add(text)
	return v.with("a") + v.with("b")
}

type alpha struct{ buf []byte }

type beta alpha

func (b *beta) add(text string) {
	b.buf = append(b.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Beta converts the struct, whose copy has the same slice.
func Beta(text string) string {
	a := alpha{}
	b := beta(a)
	b.add(text)
	c := alpha(b)
	d := beta(c)
	d.add("d")
	b.add("b")
	return string(d.buf) + string(b.buf)
}

type element struct{ n int }

type elements struct{ all []element }

func (e *elements) add(n int) *element {
	e.all = append(e.all, element{n}) // want needs an owner; no patch; 4096+8192
	return &e.all[len(e.all)-1]
}

// Elements has the address of an element after an append.
func Elements(n int) int {
	e := &elements{}
	first := e.add(n)
	e.add(n)
	first.n++
	return e.all[0].n
}

type named struct{ buf []byte }

func (n *named) add(text string) {
	n.buf = append(n.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Named has a result with a name, which a deferred function reads.
func Named(text string) (out []byte) {
	n := &named{}
	defer func() { println(len(out)) }()
	n.add(text)
	out = n.buf
	return
}

type pair struct{ buf []byte }

func (p *pair) add(text string) {
	p.buf = append(p.buf, text...) // want needs an owner; no patch; 4096+8192
}

// Pair returns two parts of one array.
func Pair(text string) ([]byte, []byte) {
	p := &pair{buf: make([]byte, 0, 8)}
	p.add(text)
	p.buf = append(p.buf, '.')
	return p.buf, p.buf[1:]
}

// A field that begins with make is never nil, but these methods may return nil, or other memory.

type maybeNil struct{ buf []byte }

func (e *maybeNil) add(s string) { e.buf = append(e.buf, s...) } // want needs an owner; no patch; 4096+1024
func (e *maybeNil) bytes() []byte {
	if len(e.buf) == 0 {
		return nil
	}
	return e.buf
}

// MaybeNil returns nil if there are no lines.
func MaybeNil(lines []string) []byte {
	e := &maybeNil{buf: make([]byte, 0, 16)}
	for _, l := range lines {
		e.add(l)
	}
	return e.bytes()
}

type maybeGiven struct{ buf []byte }

func (e *maybeGiven) add(s string) { e.buf = append(e.buf, s...) } // want needs an owner; no patch; 4096+1024
func (e *maybeGiven) into(dst []byte) []byte {
	if len(dst) >= len(e.buf) {
		return dst[:copy(dst, e.buf)]
	}
	return e.buf
}

// MaybeGiven may return the memory of its caller.
func MaybeGiven(lines []string, dst []byte) []byte {
	e := &maybeGiven{buf: make([]byte, 0, 16)}
	for _, l := range lines {
		e.add(l)
	}
	return e.into(dst)
}

type replacedWhole struct{ buf []byte }

func (e *replacedWhole) add(s string) { e.buf = append(e.buf, s...) } // want needs an owner; no patch; 4096+1024
func (e *replacedWhole) reset()       { *e = replacedWhole{} }

// ReplacedWhole returns nil after a reset.
func ReplacedWhole(lines []string) []byte {
	e := &replacedWhole{buf: make([]byte, 0, 16)}
	for _, l := range lines {
		e.add(l)
	}
	if len(lines) > 100 {
		e.reset()
	}
	return e.buf
}

type sizedResult struct{ buf []byte }

func (e *sizedResult) add(s string) { e.buf = append(e.buf, s...) } // want pool it; no patch; 4096+1024

// SizedResult returns a slice whose capacity is that of its maker, if it has not grown.
func SizedResult(lines []string, n int) []byte {
	e := &sizedResult{buf: make([]byte, 0, n)}
	for _, l := range lines {
		e.add(l)
	}
	return e.buf
}

type cutResult struct{ buf []byte }

func (e *cutResult) add(s string) { e.buf = append(e.buf, s...) } // want pool it; no patch; 4096+1024

// CutResult returns a part with less capacity.
func CutResult(lines []string) []byte {
	e := &cutResult{buf: make([]byte, 0, 64)}
	e.add("[")
	for _, l := range lines {
		e.add(l)
	}
	return e.buf[1:]
}

type sealedBeside struct{ buf []byte }

func (e *sealedBeside) add(s string) { e.buf = append(e.buf, s...) } // want needs an owner; no patch; 4096+1024

func seal(b []byte) int {
	for i := range b {
		b[i] ^= 1
	}
	return len(b)
}

// SealedBeside changes the elements in the same statement.
func SealedBeside(lines []string) ([]byte, int) {
	e := &sealedBeside{}
	for _, l := range lines {
		e.add(l)
	}
	return e.buf, seal(e.buf)
}

type emptied struct{ items []int }

func (e *emptied) add(n int) { e.items = append(e.items, n) } // want needs an owner; no patch; 4096+1024

func (e emptied) result() []int {
	if len(e.items) == 0 {
		e.items = []int{}
	}
	return e.items
}

// Emptied is never nil.
func Emptied(n int) []int {
	e := &emptied{}
	for i := range n {
		e.add(i)
	}
	return e.result()
}
