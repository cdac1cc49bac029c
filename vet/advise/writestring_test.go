package advise

import "testing"

// TestReasonsOfWriteString has writers that get their strings by io.WriteString. It makes the copy itself only if the writer
// has no method WriteString.
func TestReasonsOfWriteString(t *testing.T) {
	const inside = "io.WriteString, or a function that it calls, makes this memory, and has no argument for it."
	judged(t, `package p

import (
	"io"
	"net"
)

type client struct{ out []byte }

func (c *client) Write(b []byte) (int, error) {
	c.out = append(c.out, b...)
	return len(b), nil
}

type value struct{ c *client }

func (v value) Write(b []byte) (int, error) { return v.c.Write(b) }

type able struct{ client }

func (a *able) WriteString(s string) (int, error) {
	a.out = append(a.out, s...)
	return len(s), nil
}

type framed struct{ *able }

func own(c *client, s string) {
	io.WriteString(c, s) // io.WriteString: do not pool; `+inside+` *p.client has no method WriteString: with one, the string needs no copy.$
}

func literal(c *client) func(string) {
	return func(s string) {
		io.WriteString(c, s) // io.WriteString: do not pool; `+inside+` *p.client has no method WriteString: with one, the string needs no copy.$
	}
}

func ofValue(v value, s string) {
	io.WriteString(v, s) // io.WriteString: do not pool; `+inside+` p.value has no method WriteString: with one, the string needs no copy.$
}

func any(w io.Writer, s string) {
	io.WriteString(w, s) // io.WriteString: do not pool; `+inside+` A writer with a method WriteString would get the string without a copy.$
}

func foreign(c *net.TCPConn, s string) {
	io.WriteString(c, s) // io.WriteString: do not pool; `+inside+` A writer with a method WriteString would get the string without a copy.$
}

func has(a *able, s string) {
	io.WriteString(a, s) // io.WriteString: do not pool; `+inside+`$
}

func promoted(f framed, s string) {
	io.WriteString(f, s) // io.WriteString: do not pool; `+inside+`$
}

type both interface {
	io.Writer
	io.StringWriter
}

func behind(w both, s string) {
	io.WriteString(w, s) // io.WriteString: do not pool; `+inside+`$
}
`, nil)
}
