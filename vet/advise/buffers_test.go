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
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: needs an owner; The memory leaves post: it is passed to http.Post, which may keep it.
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

func init() {
	var real bytes.Buffer
	putMore(&real, 1)
}

func putMore(b *bytes.Buffer, n int) {
	fmt.Fprint(b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave init.$
}

func plain(w io.Writer, n int) {
	var b bytes.Buffer
	fmt.Fprint(&b, n) // fmt.Fprint, bytes.(*Buffer).Write: pool it; The memory does not leave plain.$
	w.Write(b.Bytes())
}
`, nil)
	for _, s := range r.Sites {
		want := map[string]string{"again": "a basin.StdBufferPool", "plain": "basin.GetBuffer and basin.PutBuffer",
			"capacity": "a basin.StdBufferPool", "two": "a basin.StdBufferPool", "init": "a basin.StdBufferPool", "post": ""}
		function := s.Function[strings.LastIndexByte(s.Function, '.')+1:]
		if s.Call != want[function] {
			t.Errorf("%s: %q, want %q", function, s.Call, want[function])
		}
	}
}
