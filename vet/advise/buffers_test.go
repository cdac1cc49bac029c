package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfBuffers has Buffers that no pool can hold, and some that must be real ones, for which the advice names another
// pool than for others.
func TestReasonsOfBuffers(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

func capacity(w io.Writer, n int) int {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave capacity. There is no patch: its capacity is asked for, which is another in a pool.$
	w.Write(b.Bytes())
	return b.Cap()
}

func again(w io.Writer, n int) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave again. There is no patch: its variable is set again, or copied.$
	w.Write(b.Bytes())
	b = bytes.Buffer{}
}

func post(n int) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: needs an owner; The memory may leave post: it is passed to http.Post, which may keep it.
	http.Post("", "", &b)
}

func two(w io.Writer, n int) {
	var b, c bytes.Buffer
	put(&b, n)
	w.Write(b.Bytes())
	w.Write(c.Bytes())
}

func put(b *bytes.Buffer, n int) {
	fmt.Fprint(b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave two. There is no patch: it is written in a way
}

func begin() {
	var real bytes.Buffer
	putMore(&real, 1)
}

func putMore(b *bytes.Buffer, n int) {
	fmt.Fprint(b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave begin.$
}

func plain(w io.Writer, n int) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave plain.$
	w.Write(b.Bytes())
}
`, nil)
	for _, s := range r.Sites {
		want := map[string]string{"again": "a basin.StdBufferPool", "plain": "basin.GetBuffer and basin.PutBuffer",
			"capacity": "a basin.StdBufferPool", "two": "a basin.StdBufferPool", "begin": "a basin.StdBufferPool", "post": ""}
		function := s.Function[strings.LastIndexByte(s.Function, '.')+1:]
		if s.Call != want[function] {
			t.Errorf("%s: %q, want %q", function, s.Call, want[function])
		}
	}
}

// TestReasonsOfFields has Buffers of several functions in a field.
func TestReasonsOfFields(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"fmt"
	"io"
)

type lines struct{ w io.Writer }

func (l *lines) put(s string) {
	fmt.Fprintln(l.w, s) // fmt.Fprintln, bytes.(*Buffer).Write: pool it; Field lines.w has different Buffers, of which some do not leave their functions, such as p.first.$
}

func first(s string) string {
	var b bytes.Buffer
	l := lines{w: &b}
	l.put(s)
	return b.String()
}

func second(s string) *lines {
	l := &lines{w: new(bytes.Buffer)}
	l.put(s)
	return l
}

type kept struct{ w io.Writer }

func (k *kept) put(s string) {
	fmt.Fprintln(k.w, s) // fmt.Fprintln, bytes.(*Buffer).Write: needs an owner; The memory leaves (*kept).put: it belongs to the value of field kept.w.
}

func one(s string) *kept {
	k := &kept{w: new(bytes.Buffer)}
	k.put(s)
	return k
}

func two(s string) *kept {
	k := &kept{w: new(bytes.Buffer)}
	k.put(s)
	return k
}
`, nil)
}

// TestReasonsOfExits has memory that grows and leaves in one place, each with its reason.
func TestReasonsOfExits(t *testing.T) {
	const copied = ": it can grow in memory of a pool, if a copy takes its place there, once of the right size."
	judged(t, `package p

import (
	"bytes"
	"io"
)

type tag struct{ val []byte }

func field(t *tag, a, b string) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: pool it; It grows in field, which stores it in field tag.val`+copied+`$
	buf.WriteString(b) // bytes.(*Buffer).WriteString: pool it; It grows in field
	t.val = buf.Bytes()
}

func copied(t *tag, a string, r io.Reader) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: pool it; It grows in copied, which stores it in field tag.val`+copied+` There is no patch: its bytes may be nil or empty, and a Buffer of a pool does not tell which.$
	io.Copy(&buf, r) // io.Copy, bytes.(*Buffer).ReadFrom: pool it; It grows in copied
	t.val = buf.Bytes()
}

type Keeper interface{ Keep(b []byte) }

func method(k Keeper, a, b string) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: pool it; It grows in method, which passes it to method Keep of an interface`+copied+`$
	buf.WriteString(b) // bytes.(*Buffer).WriteString: pool it; It grows in method
	k.Keep(buf.Bytes())
}

func value(f func([]byte), a, b string) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: pool it; It grows in value, which passes it to a function value`+copied+`$
	buf.WriteString(b) // bytes.(*Buffer).WriteString: pool it; It grows in value
	f(buf.Bytes())
}

func reader(a, b string) io.Reader {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: pool it; It grows in reader, which passes it to bytes.NewReader`+copied+`$
	buf.WriteString(b) // bytes.(*Buffer).WriteString: pool it; It grows in reader
	return bytes.NewReader(buf.Bytes())
}

func expression(t *tag, a, b string) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves expression: it is passed to
	buf.WriteString(b) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves expression: it is passed to
	(*tag).set(t, buf.Bytes())
}

func (t *tag) set(b []byte) { t.val = b }

func later(t *tag, a, b string) {
	var buf bytes.Buffer
	buf.WriteString(a) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves later: it is stored in field tag.val.
	t.val = buf.Bytes()
	buf.WriteString(b) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves later: it is stored in field tag.val.
}
`, func(i int, s *synthetic) {
		if i%2 == 0 {
			s.bytes /= 4
		}
	})
}

// TestBufferOfOneOrAnother has writes to a Buffer that is the caller's, or the function's own.
func TestBufferOfOneOrAnother(t *testing.T) {
	judged(t, `package p

import "bytes"

func line(out *bytes.Buffer, s string, most int) {
	own := out
	if most > 0 {
		own = &bytes.Buffer{}
	}
	own.WriteString(s) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves line: it belongs to the caller, who passes it as out, unless the function has its own.
	if own != out {
		out.Write(own.Bytes()[:most])
	}
}
`, nil)
}
