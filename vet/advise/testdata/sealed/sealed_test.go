package corpus

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		p, err := Read(strings.NewReader("\x00\x01\x02\x03"), 0, 4)
		u, err2 := Read(strings.NewReader("abc"), 1, 3)
		if n, ok := p.(*Number); !ok || err != nil || n.N != 0x10203 {
			t.Error(p, err)
		}
		if s, ok := u.(*Text); !ok || err2 != nil || s.S != "abc" {
			t.Error(u, err2)
		}
		if p, err := Read(strings.NewReader("abc"), 2, 3); p != nil || err == nil {
			t.Error(p, err)
		}
		r := &Raw{}
		if err := Reread(r, []byte("abc")); err != nil {
			t.Error(err)
		}
		if b, err := io.ReadAll(r.R); err != nil || string(b) != "abc" {
			t.Errorf("%q, %v", b, err)
		}
		keys := new(Keys)
		if err := CopyRows(keys, &Limited{&Counted{end: 9}, 7}, 2); err != nil || strings.Join(keys.All, "") != "abcdefg" {
			t.Error(keys.All, err)
		}
		q := new(Queue)
		Send(q, 3)
		if Nexts(&Counted{end: 2}, 5) != 2 || Fill(q, 4) != 4 || len(q.all) != 1 || len(q.all[0]) != 3 {
			t.Error(q.all)
		}
		var out bytes.Buffer
		if err := Joined(&out, Items); err != nil || out.String() != "abcdef" {
			t.Error(out.String(), err)
		}
		for _, n := range []int{0, 1, 100} {
			out.Reset()
			if err := Whole(&out, Items, n); err != nil || out.String() != "abcdef" {
				t.Error(n, out.String(), err)
			}
		}
	}
}
