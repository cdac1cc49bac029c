package corpus

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha512"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestKinds runs the functions that may be patched, three times, so that memory is reused.
func TestKinds(t *testing.T) {
	input := strings.Repeat("basin\n", 1000)
	read := func(r io.Reader, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for range 3 {
		var w bytes.Buffer
		check := func(name, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %.40q, want %.40q", name, got, want)
			}
			w.Reset()
		}
		Numbered(&w, []int{1, 22, 123456789, 3})
		check("Numbered", w.String(), "1221234567893")
		ReadAndAppended(&w, strings.NewReader(input))
		check("ReadAndAppended", w.String(), input+"\n")
		if err := ZippedFast(&w, strings.NewReader(input)); err != nil {
			t.Error(err)
		}
		zipped := w.String()
		check("ZippedFast", read(gzip.NewReader(&w)), input)
		if err := ZippedAgain(&w, []byte(input)); err != nil {
			t.Error(err)
		}
		w.Next(4)
		check("ZippedAgain", read(zlib.NewReader(&w)), input)
		if err := Deflated(&w, []byte(input)); err != nil {
			t.Error(err)
		}
		deflated := w.String()
		check("Deflated", read(flate.NewReader(&w), nil), input)
		for _, bad := range []string{"", deflated[:10]} {
			if _, err := Inflated(strings.NewReader(bad)); err != io.ErrUnexpectedEOF {
				t.Error(err)
			}
		}
		s, err := Inflated(strings.NewReader(deflated))
		if err != nil {
			t.Error(err)
		}
		check("Inflated", s, input)
		for _, bad := range []string{"", "no gzip, but longer than a header", zipped[:20]} {
			if _, err := Unzipped(&w, strings.NewReader(bad)); err == nil {
				t.Errorf("%q is unzipped", bad)
			}
		}
		if n, err := Unzipped(&w, strings.NewReader(zipped)); n != int64(len(input)) || err != nil {
			t.Error(n, err)
		}
		check("Unzipped", w.String(), input)
		s, _ = Summed([]byte(input))
		check("Summed", s, fmt.Sprintf("%x", sha512.Sum512([]byte(input))))
		if n, longest, err := Lines(strings.NewReader(input + strings.Repeat("x", 60000))); n != 1001 || longest != 60000 || err != nil {
			t.Error(n, longest, err)
		}
		if _, _, err := Lines(strings.NewReader(strings.Repeat("x", 1<<16))); err == nil {
			t.Error("a line of 64 KiB is none that is too long")
		}
		CopiedInLoop(&w, []io.Reader{strings.NewReader(input), io.LimitReader(strings.NewReader(input), 3)})
		check("CopiedInLoop", w.String(), input+"bas")
		rec := httptest.NewRecorder()
		Answer(rec, map[string]string{"a": "<b>"})
		check("Answer", rec.Body.String(), `{"a":"\u003cb\u003e"}`)
		rec = httptest.NewRecorder()
		Answer(rec, func() {})
		check("Answer", rec.Body.String(), "json: unsupported type: func()\n")
		HelpedAsWriter(&w, []string{"a", input})
		check("HelpedAsWriter", w.String(), "a"+input)
		Helped(&w, []string{"a", input})
		check("Helped", w.String(), "a"+input)
		check("SliceCompressed", read(zlib.NewReader(bytes.NewReader(SliceCompressed([]byte(input))))), input)
		block, err := BlockCompressed([]byte(input))
		check("BlockCompressed", read(flate.NewReader(bytes.NewReader(block)), err), input)
		if err := CheckedLater(&w, []byte(input)); err != nil {
			t.Error(err)
		}
		check("CheckedLater", read(gzip.NewReader(&w)), input)
		if n, err := CheckedByAnother(&w, []byte(input)); n != len(input) || err != nil {
			t.Error(n, err)
		}
		check("CheckedByAnother", read(zlib.NewReader(&w)), input)
		Fatal(&w, []byte(input))
		check("Fatal", read(gzip.NewReader(&w)), input)
		Either(&w, []byte(input), false)
		check("Either", w.String(), input)
		Either(&w, []byte(input), true)
		check("Either", read(zlib.NewReader(&w)), input)
		Converted(&w, "basin")
		check("Converted", w.String(), "c`rho")
		ZippedRows(&w, [][]string{{"a", input}, {"b"}})
		check("ZippedRows", read(gzip.NewReader(&w)), "a,\""+input+"\"\nb\n")
		if a, b, c := SumEither([]byte(input), false), SumEither([]byte(input), true), sha512.Sum512([]byte(input)); a == b || b != c[0] {
			t.Error(a, b)
		}
	}
}
