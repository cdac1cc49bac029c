// Package corpus has Buffers that reach their writes by another way than a variable of the function.
package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

func emit(w io.Writer, n ...int) {
	for _, i := range n {
		fmt.Fprintln(w, i) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	}
}

// Spread passes a Buffer beside a list.
func Spread(n ...int) string {
	var b bytes.Buffer
	emit(&b, n...)
	return b.String()
}

// Several passes it beside several numbers.
func Several(n int) string {
	var b bytes.Buffer
	emit(&b, n, n)
	return b.String()
}

func all(n int, to ...io.Writer) {
	for _, w := range to {
		fmt.Fprintln(w, n)
	}
}

// Listed passes it as one of several writers.
func Listed(w io.Writer, n int) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, n) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	all(n, w, &b)
	return b.String()
}

func indented(out *bytes.Buffer, src []byte) error {
	if err := json.Indent(out, src, "", " "); err != nil {
		return err
	}
	return out.WriteByte('\n') // want pool it by bytes.(*Buffer).WriteByte; patch; 4096
}

// Indented passes a Buffer that must be a real one.
func Indented(w io.Writer, src []byte) error {
	var out bytes.Buffer
	if err := indented(&out, src); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Library passes it to another module.
func Library(w io.Writer, src []byte) error {
	out := new(bytes.Buffer)
	if err := json.Compact(out, src); err != nil { // want pool it by encoding/json.Compact, bytes.(*Buffer).Write; patch; 4096
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

// Capacity begins with some, and has a variable of the type.
func Capacity(w io.Writer, words []string) {
	b := bytes.NewBuffer(make([]byte, 0, 64))
	var same *bytes.Buffer = b
	for _, word := range words {
		same.WriteString(word) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	w.Write(b.Bytes())
}

func started(b *bytes.Buffer, n int) *bytes.Buffer {
	fmt.Fprint(b, n, ":") // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
	return b
}

// Again sets its variable again, to the same Buffer.
func Again(w io.Writer, n int) {
	b := new(bytes.Buffer)
	b.WriteByte('>')
	b = started(b, n)
	w.Write(b.Bytes())
}

// Asserted has its type asked for.
func Asserted(w io.Writer, n int) {
	var b bytes.Buffer
	asserted(&b, n)
	w.Write(b.Bytes())
}

func asserted(w io.Writer, n int) {
	if b, ok := w.(*bytes.Buffer); ok {
		b.WriteString("n=")
	}
	fmt.Fprint(w, n) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
}

// Printed is the argument of a function that takes anything.
func Printed() string {
	var b bytes.Buffer
	b.WriteString("x") // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	return fmt.Sprint(&b)
}

// Method is called by a value that has it, and by parentheses.
func Method(n int) string {
	var b bytes.Buffer
	write := b.WriteString
	for range n {
		write("w") // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	(&b).WriteByte('.')
	fmt.Fprint((&b), n)
	return b.String()
}

// Rounds has one for each round.
func Rounds(w io.Writer, list [][]byte) {
	for _, src := range list {
		var out bytes.Buffer
		json.Indent(&out, src, "", " ") // want reuse a variable by encoding/json.Indent, bytes.(*Buffer).Write; patch; 4096
		w.Write(out.Bytes())
	}
}

type sink struct{ w io.Writer }

// Field has it in a field of a struct that stays.
func Field(n int) string {
	var b bytes.Buffer
	s := sink{w: &b}
	for i := range n {
		fmt.Fprintln(s.w, i) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	}
	return b.String()
}

type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p) // want pool it by bytes.(*Buffer).Write; patch; 4096
	c.n += n
	return n, err
}

// Counted has it behind a writer of the package.
func Counted(n int) (string, int) {
	var b bytes.Buffer
	c := &counter{w: &b}
	for range n {
		c.Write([]byte("some text\n"))
	}
	return b.String(), c.n
}

type real struct{ out *bytes.Buffer }

func (r real) put(s string) {
	r.out.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
}

// RealField has it in a field that only a real one fits.
func RealField(words []string) string {
	var b bytes.Buffer
	r := real{&b}
	for _, w := range words {
		r.put(w)
	}
	return b.String()
}

// Set sets fields and variables, one after the other.
func Set(n int) string {
	var b bytes.Buffer
	var s sink
	s.w = &b
	var w io.Writer = &b
	fmt.Fprintln(w, n) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	w = io.Writer(&b)
	fmt.Fprintln(w, n)
	fmt.Fprintln(s.w, n)
	return b.String()
}

// Multi has it behind a writer to several.
func Multi(w io.Writer, r io.Reader) (string, error) {
	var b bytes.Buffer
	mw := io.MultiWriter(&b, w)
	if _, err := io.Copy(mw, r); err != nil { // want pool it by io.Copy, bytes.(*Buffer).Write; patch; 4096
		return "", err
	}
	return b.String(), nil
}

// Buffered has it behind a bufio.Writer.
func Buffered(n int) string {
	var b bytes.Buffer
	bw := bufio.NewWriter(&b)
	for i := range n {
		fmt.Fprintln(bw, i) // want pool it by fmt.Fprintln, bufio.(*Writer).Write, bytes.(*Buffer).Write; patch; 4096
	}
	bw.Flush()
	return b.String()
}

// Through passes a writer that has it to a function.
func Through(w io.Writer, n int) string {
	var b bytes.Buffer
	through(io.MultiWriter(w, &b), n)
	return b.String()
}

func through(w io.Writer, n int) {
	fmt.Fprintln(w, n) // want pool it by fmt.Fprintln, io.(*multiWriter).Write, bytes.(*Buffer).Write; patch; 4096
}

// Moved has the bytes of one Buffer written to another.
func Moved(w io.Writer, n int) string {
	var b, from bytes.Buffer
	fmt.Fprintln(&from, n)
	to := new(bytes.Buffer)
	from.WriteTo(to) // want pool it by bytes.(*Buffer).WriteTo, bytes.(*Buffer).Write; patch; 4096
	io.Copy(w, &b)   // want needs an owner by io.Copy, bytes.(*Buffer).WriteTo, bytes.(*Buffer).Write; no patch; 4096
	return to.String()
}

// Exported has it in a field that others may set in other structs.
func Exported(n int) string {
	var b bytes.Buffer
	s := Sink{W: &b}
	fmt.Fprintln(s.W, n) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
	return b.String()
}

type Sink struct{ W io.Writer }

type lines struct {
	w io.Writer
	n int
}

func (l *lines) put(s string) {
	l.n++
	fmt.Fprintln(l.w, s) // want pool it by fmt.Fprintln, bytes.(*Buffer).Write; patch; 4096
}

// First and Second have Buffers of their own in a field of one type, and Third keeps its own.
func First(s string) string {
	var b bytes.Buffer
	l := lines{w: &b}
	l.put(s)
	return b.String()
}

func Second(s string) string {
	b := new(bytes.Buffer)
	l := &lines{w: b}
	l.put(s)
	return b.String()
}

func Third(s string) *lines {
	var b bytes.Buffer
	l := &lines{w: &b}
	l.put(s)
	return l
}

// Room asks for the capacity.
func Room(w io.Writer, n int) int {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; no patch; 4096
	w.Write(b.Bytes())
	return b.Cap()
}

// Emptied is set again.
func Emptied(w io.Writer, n int) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; no patch; 4096
	w.Write(b.Bytes())
	b = bytes.Buffer{}
}

// Request may keep it.
func Request(n int) (*http.Request, error) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // want needs an owner by fmt.Fprint, bytes.(*Buffer).Write; no patch; 4096
	return http.NewRequest("GET", "/", &b)
}

var sinks []sink

// Kept keeps the struct.
func Kept(n int) {
	var b bytes.Buffer
	s := sink{w: &b}
	fmt.Fprintln(&b, n) // want needs an owner by fmt.Fprintln, bytes.(*Buffer).Write; no patch; 4096
	sinks = append(sinks, s)
}

func typeOf(w io.Writer) string { return fmt.Sprintf("%T", w) }

// Typed has its type printed by a function that gets it as a writer.
func Typed(n int) string {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
	return b.String() + typeOf(&b)
}

// TypedField has the type printed of a field that has it.
func TypedField(n int) string {
	var b bytes.Buffer
	s := sink{w: &b}
	fmt.Fprint(s.w, n) // want pool it by fmt.Fprint, bytes.(*Buffer).Write; patch; 4096
	return b.String() + fmt.Sprintf("%T", s.w)
}

// Named has a Buffer of an empty string.
func Named(w io.Writer, all []string) error {
	b := bytes.NewBufferString("")
	for _, s := range all {
		b.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; patch; 1024+2048
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Begun has a Buffer that begins with a text.
func Begun(w io.Writer, all []string) error {
	b := bytes.NewBufferString("list:")
	for _, s := range all {
		b.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; no patch; 1024+2048
	}
	_, err := w.Write(b.Bytes())
	return err
}
