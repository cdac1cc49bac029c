// Package corpus has structs with a slice that methods extend, such as encoders.
package corpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

type encoder struct {
	buf   []byte
	depth int
	name  string
}

func (e *encoder) text(s string) {
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, s...) // want pool it; patch; 4096
	e.buf = append(e.buf, '"')
}

func (e *encoder) number(n int) {
	e.buf = strconv.AppendInt(e.buf, int64(n), 10) // want pool it by strconv.AppendInt; patch; 2048
}

func (e *encoder) list(all []string) {
	e.depth++
	e.buf = append(append(e.buf, '['), e.name...)
	for _, s := range all {
		e.text(s)
		e.buf = append(e.buf, ',')
	}
	if len(all) > 0 {
		e.buf = e.buf[:len(e.buf)-1]
	}
	e.buf = append(e.buf, ']')
	e.depth--
}

// Text returns a copy, and begins with a literal.
func Text(all []string) string {
	e := &encoder{name: "list"}
	e.list(all)
	return string(e.buf)
}

// Sizes has no pointer, and the capacity of make.
func Sizes(all []string) (n int) {
	e := encoder{buf: make([]byte, 0, 8+len(all)), depth: 1} // want pool it; patch; 1024
	for _, s := range all {
		e.text(s)
		n = max(n, len(e.buf))
		e.buf = e.buf[:0]
	}
	e.number(n)
	return n*100 + len(e.buf)
}

// Write gives the bytes to a writer, or panics before.
func Write(w io.Writer, all []string) error {
	e := encoder{
		depth: 2,
		buf:   []byte{},
	}
	if len(all) == 0 {
		panic("nothing")
	}
	e.list(all)
	_, err := w.Write(e.buf)
	return err
}

type writer struct{ data []byte }

const head = 8

func newWriter(size int) *writer {
	return &writer{data: make([]byte, 0, 2*head)} // want needs an owner; no patch; 512
}

func (w *writer) uint(n uint32) {
	w.data = binary.BigEndian.AppendUint32(w.data, n) // want pool it by encoding/binary.bigEndian.AppendUint32; patch; 4096+8192
}

func (w *writer) rune(r rune) { w.data = utf8.AppendRune(w.data, r) }

func (w *writer) bytes() []byte { return w.data }

func (w *writer) patch(at int, n uint32) { binary.BigEndian.PutUint32(w.data[at:], n) }

// Packet returns the memory, by a method.
func Packet(all []uint32) []byte {
	w := newWriter(len(all))
	w.uint(0)
	for _, n := range all {
		w.uint(n)
	}
	w.patch(0, uint32(len(all)))
	return w.bytes()
}

// Runes returns a part of it, and ends early.
func Runes(all []rune) ([]byte, bool) {
	w := newWriter(len(all))
	for _, r := range all {
		if r == 0 {
			return w.data, false
		}
		w.rune(r)
	}
	last := len(w.data) - 1
	return w.data[:last], true
}

// Count only asks for its length.
func Count(n int) int {
	w := newWriter(n)
	for i := range n {
		w.uint(uint32(i))
	}
	return len(w.bytes())
}

// A Log has an exported name, and a slice that has none.
type Log struct {
	lines []string
}

func (l *Log) add(s string) {
	l.lines = append(l.lines, s) // want pool it; patch; 4096+8192
}

// Lines returns what nothing has been added to as nil.
func Lines(all []string) []string {
	var l Log
	for _, s := range all {
		if s != "" {
			l.add(s)
		}
	}
	return l.lines
}

// Sorted sorts it.
func Sorted(all []string) string {
	l := new(Log)
	for _, s := range all {
		l.add(s)
	}
	slices.Sort(l.lines)
	if len(l.lines) > 0 {
		return l.lines[0]
	}
	return ""
}

type nested struct{ out []byte }

func (n *nested) tree(depth int) {
	n.out = append(n.out, '(') // want pool it; patch; 4096
	for i := range depth {
		n.tree(i)
	}
	if depth > 2 {
		n.out = append(n.out, Nested(depth-2)...)
	}
	n.out = append(n.out, ')')
}

// Nested calls itself while it has the memory.
func Nested(depth int) string {
	n := nested{}
	n.tree(depth)
	return string(n.out)
}

// A Page has a slice that its function leaves nil, and others may get one, too.
type Page struct {
	title string
	lines []string
}

// NewPage is for everyone.
func NewPage(title string) *Page {
	return &Page{title: title}
}

func (p *Page) add(line string) *Page {
	p.lines = append(p.lines, line)
	return p
}

func (p *Page) count() int { return len(p.title) + len(p.lines) }

var newest *Page

// Newest keeps one.
func Newest(title string) int {
	newest = NewPage(title)
	newest.add(title)
	return newest.count()
}

// Pages is done with it.
func Pages(all []string) int {
	p := NewPage("page")
	for _, s := range all {
		p.lines = append(p.lines, s) // want pool it; patch; 4096
	}
	return p.count()
}

type printer struct {
	out    []byte
	indent int
}

func (p *printer) Write(b []byte) (int, error) {
	p.out = append(p.out, b...) // want pool it; patch; 4096
	return len(b), nil
}

// A node is of this package alone, as others have no method print.
type node interface{ print(p *printer) }

type leaf string

func (l leaf) print(p *printer) { fmt.Fprintf(p, "%*s%s\n", p.indent, "", string(l)) }

type branch []node

func (b branch) print(p *printer) {
	p.indent++
	for _, n := range b {
		n.print(p)
	}
	p.indent--
	io.WriteString(p, "end\n")
}

func line(w io.Writer) { w.Write([]byte("-\n")) }

// Print passes the struct as a writer, and by an interface.
func Print(words []string) string {
	var all branch
	for _, s := range words {
		all = append(all, leaf(s), branch{leaf("in " + s)})
	}
	var top node = all
	p := &printer{}
	top.print(p)
	line(p)
	return string(p.out)
}

type tracked struct {
	*bytes.Buffer
	params []string
}

func newTracked() *tracked {
	return &tracked{Buffer: new(bytes.Buffer)}
}

func (t *tracked) param(s string) {
	t.params = append(t.params, s)
	fmt.Fprintf(t.Buffer, "$%d", len(t.params)) // want pool it by fmt.Fprintf, bytes.(*Buffer).Write; patch; 4096
}

func (t *tracked) quoted(s string) {
	t.WriteByte('`')
	t.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; patch; 8192
	t.WriteByte('`')
}

// Query ends with the text, and the parameters.
func Query(names []string) (string, []string) {
	t := newTracked()
	for _, s := range names {
		t.quoted(s)
		t.WriteString(" = ")
		t.param(s)
	}
	return t.String(), t.params
}

// Quoted gives the bytes to a writer.
func Quoted(w io.Writer, names []string) error {
	t := newTracked()
	for _, s := range names {
		t.quoted(s)
	}
	_, err := t.WriteTo(w)
	return err
}

type report struct {
	bytes.Buffer
	title string
}

func newReport(title string) *report { return &report{title: title} }

func (r *report) row(n int) {
	fmt.Fprintf(r, "%s: ", r.title)
	fmt.Fprintln(&r.Buffer, n) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
}

// Report has a Buffer that is no pointer.
func Report(n int) (string, int) {
	r := newReport("report")
	for i := range n {
		r.row(i)
	}
	if n > 50 {
		r.Truncate(n)
	}
	return r.String(), r.Len()
}

type joined struct {
	out bytes.Buffer
	n   int
}

func (j *joined) add(s string) {
	if j.n > 0 {
		j.out.WriteString(", ")
	}
	j.out.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	j.n++
}

// Join makes the struct itself.
func Join(w io.Writer, all []string) error {
	j := joined{}
	for _, s := range all {
		j.add(s)
	}
	if j.out.Len() > 100 {
		j.out.Next(50)
	}
	_, err := w.Write(j.out.Bytes())
	return err
}

type sink struct{ out []byte }

func (s *sink) add(text string) {
	s.out = append(s.out, text...) // want pool it; patch; 4096+8192
}

// Direct extends the slice itself, cuts it, and returns it.
func Direct(all []string) []byte {
	s := &sink{out: make([]byte, 0, 16)}
	for _, text := range all {
		s.add(text)
		s.out = append(s.out, ';')
	}
	if len(s.out) > 0 {
		s.out = s.out[:len(s.out)-1]
	}
	return s.out
}

type twoFields struct {
	items []int
	texts []string
}

func newTwoFields(n int) *twoFields {
	e := &twoFields{}
	e.fill(n)
	return e
}

func (e *twoFields) fill(n int) {
	for i := range n {
		e.items = append(e.items, i)   // want pool it; patch; 4096+1024
		e.texts = append(e.texts, "x") // want pool it; patch; 4096+1024
	}
}

// TwoFields is done with both slices.
func TwoFields(n int) int {
	e := newTwoFields(n)
	return len(e.items) + len(e.texts)
}
