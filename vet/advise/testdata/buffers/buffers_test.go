package corpus

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestBuffers(t *testing.T) {
	for range 20 {
		var out bytes.Buffer
		if err := Indented(&out, []byte(`[1]`)); err != nil {
			t.Fatal(err)
		}
		if err := Library(&out, []byte(`[1, 2]`)); err != nil {
			t.Fatal(err)
		}
		Capacity(&out, []string{"a", "b"})
		Again(&out, 3)
		Asserted(&out, 4)
		Rounds(&out, [][]byte{[]byte("[]"), []byte("[5]")})
		if got := out.String(); got != "[\n 1\n]\n[1,2]ab>3:n=4[][\n 5\n]" {
			t.Errorf("%q", got)
		}
		if got := Spread(1, 2) + Several(3) + Listed(io.Discard, 4) + Field(2) + Buffered(2) + Printed() + Method(2) + Through(io.Discard, 5) + Moved(io.Discard, 6) + Exported(7) + First("f") + Second("s"); got != "1\n2\n3\n3\n4\n4\n0\n1\n0\n1\nxww.25\n6\n7\nf\ns\n" {
			t.Errorf("%q", got)
		}
		if got := Typed(1) + TypedField(2); got != "1*bytes.Buffer2*bytes.Buffer" {
			t.Errorf("%q", got)
		}
		text, n := Counted(2)
		text += RealField([]string{"x", "y"}) + Set(1)
		if multi, err := Multi(io.Discard, strings.NewReader("z")); text+multi != "some text\nsome text\nxy1\n1\n1\nz" || n != 20 || err != nil {
			t.Errorf("%q, %d, %v", text+multi, n, err)
		}
	}
}
