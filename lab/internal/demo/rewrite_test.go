package demo

import (
	"bytes"
	"testing"
)

func TestRewrite(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{"", ""},
		{"golang.or", "golang.or"},
		{"golang.org", "mirror.example.org"},
		{"golang.orgolang.org", "mirror.example.orgolang.org"},
		{"golang.ogolang.org", "golang.omirror.example.org"},
		{"see golang.org/x, golang.org/y.\n", "see mirror.example.org/x, mirror.example.org/y.\n"},
		{"golang.orggolang.org\x00", "mirror.example.orgmirror.example.org\x00"},
	} {
		body, want := []byte(test.body), banner+test.want
		if got := AppendRewritten([]byte("before "), body); string(got) != "before "+want {
			t.Errorf("AppendRewritten(%q) = %q, want %q", body, got, "before "+want)
		}
		if got := RewrittenLen(body); got != len(want) {
			t.Errorf("RewrittenLen(%q) = %d, want %d", body, got, len(want))
		}
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte("golang.orgolang.org"))
	f.Fuzz(func(t *testing.T, body []byte) {
		want := append([]byte(banner), bytes.ReplaceAll(body, originBytes, []byte(mirrorHost))...)
		got := AppendRewritten(make([]byte, 0, RewrittenLen(body)), body)
		if !bytes.Equal(got, want) || len(got) != RewrittenLen(body) {
			t.Errorf("got %q of length %d, want %q", got, RewrittenLen(body), want)
		}
	})
}
