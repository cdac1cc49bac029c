//go:build go1.25

package readerpool

import (
	"io"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestReaders(t *testing.T) {
	r := New([]byte("abc"))
	if r.Len() != 3 {
		t.Errorf("%d bytes to read", r.Len())
	}
	Release(r)
	Release(nil)
	if next := New(nil); next.Len() != 0 {
		t.Errorf("%d bytes to read of nothing", next.Len())
	}
}

// TestBegins: a reader that was partly read starts at the beginning for its next user.
func TestBegins(t *testing.T) {
	for range 3 {
		r := New([]byte("abcdef"))
		if text, err := io.ReadAll(io.LimitReader(r, 3)); string(text) != "abc" || err != nil {
			t.Errorf("%q and %v, want abc", text, err)
		}
		Release(r)
	}
}

func TestReuse(t *testing.T) {
	if basincheck.Now().Level == basincheck.Full {
		t.Skip("nothing is reused under full checks")
	}
	Release(New(nil))
	if n := pooltest.Allocs(100, func() { Release(New(nil)) }); n != 0 {
		t.Errorf("%v allocations for a New and a Release", n)
	}
}
