package corpus

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSame runs the functions that may be patched, three times, so that memory is reused.
func TestSame(t *testing.T) {
	input := strings.Repeat("basin", 1000)
	for range 3 {
		var w bytes.Buffer
		check := func(name, want string) {
			t.Helper()
			if got := w.String(); got != want {
				t.Errorf("%s: %.40q, want %.40q", name, got, want)
			}
			w.Reset()
		}
		zeros := strings.Repeat("\x00", 3000)
		Write(&w, 3000)
		check("Write", zeros)
		WriteAppended(&w, 2)
		check("WriteAppended", "hello")
		if n, err := ReadFull(strings.NewReader(input), 3000); n != 0x62617369 || err != nil {
			t.Error(n, err)
		}
		if s, err := Sum(strings.NewReader(input), 5000); !strings.HasPrefix(s, "b9") && s == "" || err != nil {
			t.Error(s, err)
		}
		if s, err := Copied(strings.NewReader(input), 5000); s != input || err != nil {
			t.Error(s, err)
		}
		ByCallee(&w, 100)
		check("ByCallee", strings.Repeat("\x01", 50))
		AppendedByCallee(&w, 3)
		check("AppendedByCallee", "\x03\x02\x01\n")
		rec := httptest.NewRecorder()
		Body(rec, httptest.NewRequest("POST", "/", strings.NewReader(input)))
		if rec.Body.String() != strings.ToUpper(input) {
			t.Error("Body")
		}
		if n, err := Decoded(strings.NewReader(`{"N": 7}`)); n != 7 || err != nil {
			t.Error(n, err)
		}
		Encoded(&w, map[string]string{"a": input})
		check("Encoded", `{"a":"`+input+"\"}\n")
		Buffered(&w, []string{"a", input, "b"})
		check("Buffered", "a"+input+"b")
		if s := BufferedPointer([]string{input, "x"}); s != input+"x" {
			t.Error("BufferedPointer")
		}
		BufferedLiteral(strings.NewReader(input), &w)
		check("BufferedLiteral", input)
		Printed(&w, input)
		check("Printed", input)
		InCase(&w, 3000, 1)
		check("InCase", zeros)
		if err := File(filepath.Join(t.TempDir(), "f"), 10); err != nil {
			t.Error(err)
		}
		Reader(&w, 3000)
		check("Reader", zeros)
		Short(&w, 3000)
		check("Short", zeros)
		Same(&w, []byte(input))
		check("Same", input)
		Sizes(&w, input, 3000)
		check("Sizes", input+zeros)
		BufferedValue(&w, input)
		check("BufferedValue", input)
		BufferedVariable(&w, input)
		check("BufferedVariable", input)
		BufferedSized(&w, input)
		check("BufferedSized", input+".")
		LengthAndCapacity(&w, 3000, 3001)
		check("LengthAndCapacity", zeros+".")
		HeadAndBody(&w, input)
		check("HeadAndBody", "\x00\x00\x13\x88"+input)
		if n := Capacity(&w, 3001); n != 3001 {
			t.Errorf("the capacity is %d, not 3001", n)
		}
		Forked(&w, 3000)
		check("Forked", zeros+"\x01"+zeros+"\x02")
		ByLiteral(&w, 3000)
		check("ByLiteral", "x"+zeros[1:])
		ByLiteralAppended(&w, 3)
		check("ByLiteralAppended", "\x00\x01\x02")
		ByLiteralBuffer(&w, input)
		check("ByLiteralBuffer", input+".")
		ByDeferred(&w, 3000)
		check("ByDeferred", "x"+zeros[1:])
		unzipped := func() string {
			z, err := gzip.NewReader(&w)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(z)
			if err != nil {
				t.Error(err)
			}
			w.Reset()
			return string(b)
		}
		if Zipped(&w, []byte(input)); unzipped() != input {
			t.Error("Zipped")
		}
		if ZippedString(&w, input); unzipped() != input {
			t.Error("ZippedString")
		}
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte("line\n"+input), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := ReadFile(name); s != "line\n" || err != nil {
			t.Error(s, err)
		}
		for i := range uint32(100) {
			if n := Numbers([]uint32{i, 1, 2}); n != i+3 {
				t.Errorf("the sum is %d, not %d", n, i+3)
			}
		}
		if n, c := NumbersAppended(make([]float64, 99)); n != 99 || c != 100 {
			t.Error(n, c)
		}
		if n := Runes("a\u00e9\u4e16\xff\U0001f600", "b\u00e9\u4e17\ufffd\U0001f600zz"); n != 3+5 {
			t.Errorf("%d runes, not 8", n)
		}
		if r := RunesAlone("ab\u4e16"); r != '\u4e16' {
			t.Errorf("%q", r)
		}
		calls := 0
		Counted(&w, []byte(input), func() int { calls++; return 6000 })
		check("Counted", input)
		if calls != 1 {
			t.Errorf("the size was computed %d times", calls)
		}
		for name, f := range map[string]func(){
			"Write":                       func() { Write(&w, -1) },
			"WriteAppended":               func() { WriteAppended(&w, -1) },
			"ReadFull":                    func() { ReadFull(strings.NewReader(input), -1) },
			"Copied":                      func() { Copied(strings.NewReader(input), -1) },
			"AppendedByCallee":            func() { AppendedByCallee(&w, -1) },
			"Counted":                     func() { Counted(&w, nil, func() int { return -1 }) },
			"LengthAndCapacity":           func() { LengthAndCapacity(&w, -1, 3000) },
			"a capacity below 0":          func() { LengthAndCapacity(&w, 0, -1) },
			"a length above the capacity": func() { LengthAndCapacity(&w, 3000, 2999) },
			"Capacity":                    func() { Capacity(&w, -1) },
			"Forked":                      func() { Forked(&w, -1) },
			"Sizes":                       func() { Sizes(&w, "ab", -3) },
		} {
			func() {
				defer func() {
					if _, ok := recover().(runtime.Error); !ok {
						t.Errorf("%s does not panic at a negative size", name)
					}
				}()
				f()
			}()
		}
	}
}
