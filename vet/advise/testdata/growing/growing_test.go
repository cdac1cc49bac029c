package corpus

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSame has each function return what it returned before the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	doc := bytes.Repeat([]byte("0123456789"), 500)
	parts := strings.Split(strings.Repeat("abc def ", 300), " ")
	block, _ := aes.NewCipher(doc[:16])
	aead, _ := cipher.NewGCM(block)
	var kept [][]byte
	for range 3 {
		var out bytes.Buffer
		check := func(what string, ok bool) {
			if !ok {
				t.Error(what)
			}
		}
		check("Sum", Sum(1, doc) == crc32.ChecksumIEEE(slices.Concat(make([]byte, 15), []byte{1}, doc)))
		check("Joined", Joined(parts) == crc32.ChecksumIEEE([]byte(strings.Join(parts, ","))))
		check("Trimmed", Trimmed(doc[:9]) == 2*sum(doc[:9])-doc[8]+doc[8])
		kept = append(kept, Message(7, parts), Message(8, parts[:1]))
		b, err := MessageOrError(parts)
		kept = append(kept, b)
		check("MessageOrError", err == nil)
		b, err = MessageOrError(nil)
		check("MessageOrError of nothing", b == nil && err == io.EOF)
		check("Message", string(Message(1, nil)) == "id=1 ")
		check("Text", Text([]string{"a", "b"}) == "a b 2")
		tr := &tree{"root", []*tree{{"a", nil}, {"b", []*tree{{"c", nil}}}}}
		check("Visited", Visited(&out, tr) == nil && out.String() == "rootabc")
		out.Reset()
		check("Sorted", Sorted(&out, 100) == nil && out.Bytes()[0] <= out.Bytes()[1])
		n, err := Longest(iotest.OneByteReader(strings.NewReader("a\nbcd\nef")), 16)
		check("Longest", n == 3 && err == nil)
		out.Reset()
		check("Sealed", Sealed(&out, aead, doc[:12], doc) == nil && bytes.Equal(out.Bytes(), aead.Seal(nil, doc[:12], doc, nil)))
		out.Reset()
		seal := &sealer{aead}
		check("Length", seal.Length(doc[:12], doc) == len(doc)-1+16)
		check("Opened", seal.Opened(&out, doc[:12], seal.Sealed(doc[:12], doc)) == nil && bytes.Equal(out.Bytes(), doc))
		out.Reset()
		check("Encrypted", Encrypted(&out, cipher.NewCBCEncrypter(block, doc[:16]), doc[:4096]) == nil && out.Len() == 4096)
		out.Reset()
		check("Slurped", Slurped(&out, bytes.NewReader(doc)) == nil && bytes.Equal(out.Bytes(), doc))
	}
	for range 3 {
		n, err := Checked(bytes.NewReader(doc), 1001)
		if err != nil || n != crc32.ChecksumIEEE(doc[:1000]) {
			t.Error("Checked", n, err)
		}
		n, err = Longer(bytes.NewReader(doc), 1001)
		if err != nil || n != crc32.ChecksumIEEE(append(doc[:1000:1000], '.')) {
			t.Error("Longer", n, err)
		}
		if n, err := Checked(bytes.NewReader(nil), 10); n != 0 || err != io.EOF {
			t.Error("Checked of nothing", n, err)
		}
		var out bytes.Buffer
		check := func(what, want string) {
			t.Helper()
			if got := out.String(); got != want {
				t.Errorf("%s: %.100q, want %.100q", what, got, want)
			}
			out.Reset()
		}
		Lifted(&out, "lifted")
		check("Lifted", "lifted")
		LiftedMake(&out, []byte("made"))
		check("LiftedMake", "made")
		NotLifted(&out, "next", func() bool { return true })
		check("NotLifted", "next")
		Changed(&out, "before")
		check("Changed", "changed")
		Rounds(&out, []int{2, 1, 3})
		check("Rounds", "\x01\x00\x01\x01\x00\x00")
		if n := Matrix(&out, 3); n != 2*(1+602+2+604) {
			t.Error("Matrix", n)
		}
		check("Matrix", "[0]\n[0]\n[0 2]\n[0 2]\n")
		BufferRounds(&out, []string{"a", "bc"})
		check("BufferRounds", "0 a1 bc")
		Names(&out, 3)
		check("Names", "0 1 2")
		if s := Tokens("a   bcd ef"); s != "bcd" {
			t.Error("Tokens", s)
		}
		if n := Nodes(parts[:20]); n == nil || n.name != parts[19] {
			t.Error("Nodes", n)
		}
		Inner(4)
		if len(last) != 1 || last[0] != 3 {
			t.Error("Inner", last)
		}
		EscapedTitle(&out, "ab")
		check("EscapedTitle", "%a%b.")
		if s := EscapedBody("c"); s != "%c" {
			t.Error("EscapedBody", s)
		}
		EscapedKept("d")
		if string(last) != "%d" {
			t.Errorf("EscapedKept: %s", last)
		}
		Indented(&out, &tree{"r", []*tree{{"a", nil}, {"b", nil}}}, 3)
		check("Indented", "r a b")
		SortedNames(&out, []string{"c", "a", "b"})
		check("SortedNames", "abc")
		letters := []string{"c", "a", "b", ""}
		SortedGrown(&out, func() (next string) { next, letters = letters[0], letters[1:]; return next })
		check("SortedGrown", "abc")
		SortedBefore(&out, []string{"c", "a", "b"})
		check("SortedBefore", "cba")
		Digits(&out, 4)
		check("Digits", "0 1 2 3 ")
		if s := Sizes([]string{"a", "bc"}); !slices.Equal(s, []int{1, 0, 2, 1}) || Sizes(nil) != nil {
			t.Error("Sizes", s)
		}
		for _, names := range [][]string{nil, {"a", "b"}, {}} {
			b, err := Encoded(names)
			if want, _ := json.Marshal(append([]string(nil), names...)); err != nil || !bytes.Equal(b, want) {
				t.Errorf("Encoded: %s, %v", b, err)
			}
			b, err = EncodedList(names)
			if want, _ := json.Marshal(append([]string{}, names...)); err != nil || !bytes.Equal(b, want) {
				t.Errorf("EncodedList: %s, %v", b, err)
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a negative size does not panic")
				}
			}()
			Rounds(&out, []int{1, -1})
		}()
		out.Reset()
		if err := Quoted(&out, doc); err != nil || out.String() != `"`+string(doc)+`"` {
			t.Error("Quoted", err)
		}
	}
	for i, b := range kept {
		if !bytes.Equal(b, kept[i%3]) {
			t.Errorf("message %d was overwritten", i)
		}
	}
}

func sum(p []byte) (n byte) {
	for _, c := range p {
		n += c
	}
	return n
}
