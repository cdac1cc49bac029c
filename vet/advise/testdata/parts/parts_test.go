package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	doc := bytes.Repeat([]byte("0123456789"), 500)
	var kept [][]byte
	for range 3 {
		var out bytes.Buffer
		check := func(what string, ok bool) {
			t.Helper()
			if !ok {
				t.Error(what)
			}
			out.Reset()
		}
		check("Tag", Tag(&out, doc[:3], doc) == nil && bytes.Equal(out.Bytes(), binary.BigEndian.AppendUint64(slices.Concat(doc[:3], doc), uint64(len(doc)+3))))
		check("Histogram", Histogram([]uint{1, 2, 2, 900}, 600) == 2)
		check("Blocks", Blocks(&out, bytes.NewReader(doc), 999) == nil && bytes.Equal(out.Bytes(), doc))
		check("Padded", Padded(&out, doc[:30], func() int { return 16 }) == nil && out.String() == "012345678901234567890123456789\x02\x01")
		check("Unpadded", Unpadded(&out, []byte("/bcd\x02")) == nil && out.String() == "0bc")
		check("Unpadded too much", Unpadded(&out, []byte("ab\x09")) == errPadding)
		check("Longest", Longest("a\nbcd\nef") == 5)
		check("Digest", Digest(doc) == first(sha256.Sum256(doc)))
		check("Decoded", Decoded(strings.NewReader("\x01\x02\x03"), 3) == 7)
		check("Waited", Waited(500) == 500*6)
		check("Ranged", Ranged([]byte{1, 2, 3}, 700) == 6)
		check("Together", Together(600) == 600*9)
		for _, n := range []int64{0, 3, 4000} {
			b, err := Body(bytes.NewReader(doc), n)
			check("Body", b != nil && err == nil && bytes.Equal(b, doc[:n]))
			kept = append(kept, b)
		}
		b, err := Body(strings.NewReader(""), 5)
		check("Body of nothing", b != nil && len(b) == 0 && err == io.EOF)
	}
	for i, b := range kept {
		if !bytes.Equal(b, doc[:len(b)]) {
			t.Error("a kept body has changed", i)
		}
	}
}

func first(sum [32]byte) byte { return sum[0] }

// TestPanics has sizes for which make panics.
func TestPanics(t *testing.T) {
	for i, f := range []func(){
		func() { Histogram(nil, math.MaxUint-1) },
		func() { Blocks(io.Discard, strings.NewReader(""), -1) },
		func() { Blocks(io.Discard, strings.NewReader(""), math.MinInt64) },
		func() { Padded(io.Discard, nil, func() int { return -1 }) },
		func() { Padded(io.Discard, []byte("abc"), func() int { return -2 }) },
		func() { Unpadded(io.Discard, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error(i, "does not panic")
				}
			}()
			f()
		}()
	}
}

// TestTwice has slices that are extended twice: each has its own array.
func TestTwice(t *testing.T) {
	for _, c := range []bool{false, true} {
		if p, q := TwiceChosen(500, c); p != 1 || q != 2 {
			t.Error("TwiceChosen", p, q)
		}
	}
	if one := TwiceInRounds(500); one != 1 {
		t.Error("TwiceInRounds", one)
	}
	if p, q := TwiceByPointer(500); p != 1 || q != 2 {
		t.Error("TwiceByPointer", p, q)
	}
	if p, q := TwiceByFunction(500); p != 1 || q != 2 {
		t.Error("TwiceByFunction", p, q)
	}
}
