//go:build go1.25

package basinscope_test

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/basinscope"
)

// apart fails t unless all slices, each to its capacity, are aligned and keep their own bytes.
func apart(t *testing.T, name string, all [][]byte) {
	t.Helper()
	for i, b := range all {
		b = b[:cap(b)]
		for j := range b {
			b[j] = byte(i)
		}
	}
	for i, b := range all {
		if b = b[:cap(b)]; bytes.Count(b, []byte{byte(i)}) != len(b) {
			t.Errorf("%s: slice %d of %d bytes has bytes of another", name, i, len(b))
		}
	}
}

// TestAppendToParts: an append to a part of the last slice leaves the next slices aligned and apart.
func TestAppendToParts(t *testing.T) {
	for from := range 9 {
		for more := range 40 {
			var s basinscope.Scope
			b := s.Append(nil, []byte("01234567")...)
			part := s.Append(b[from:], bytes.Repeat([]byte("x"), more)...)
			if want := "01234567"[from:] + string(bytes.Repeat([]byte("x"), more)); string(part) != want || string(b) != "01234567" {
				t.Fatalf("from %d, %d more: %q of %q", from, more, part, b)
			}
			var all [][]byte
			for n := 1; len(all) < 100; n = n%300 + 7 {
				next := s.Get(n)
				if uintptr(unsafe.Pointer(&next[0]))%8 != 0 {
					t.Fatalf("from %d, %d more: slice %d is not aligned", from, more, len(all))
				}
				all = append(all, next)
			}
			apart(t, fmt.Sprintf("from %d, %d more", from, more), all)
			s.End()
		}
	}
}

// TestFullChunk: an append to a part of the last slice fills a chunk to its last byte, and no further.
func TestFullChunk(t *testing.T) {
	for from := range 9 {
		for left := range 9 {
			s := basinscope.Scope{Max: 4096} // so that the first chunk has 2 KiB
			s.Get(8)
			b := s.Get(8)
			for range 3 {
				b = s.Append(b, make([]byte, 500)...)
			}
			part := s.Append(b[from:], make([]byte, 2048-8-len(b)-left)...)
			apart(t, fmt.Sprintf("from %d, %d left", from, left), [][]byte{part, s.Get(1), s.Get(5), s.Get(300)})
			s.End()
		}
	}
}
