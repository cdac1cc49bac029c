package corpus

import (
	"bytes"
	"io"
	"testing"
)

// TestSameClones has functions that copy slices do what they did before the patch.
func TestSameClones(t *testing.T) {
	for range 3 {
		var out bytes.Buffer
		in := []byte("A text")
		Lower(&out, in)
		Part(&out, in)
		Joined(&out, in, []byte(" and more"))
		Unshared(&out, in)
		Rounds(&out, [][]byte{in, []byte("xy"), []byte("longer than that")})
		if extended := Extended(&out, in); extended != '<' || string(in) != "A text" {
			t.Errorf("Extended: %q, %q", extended, in)
		}
		After(&out, in)
		Shared(io.Discard, in)
		Aliased(io.Discard, in)
		if got := out.String(); got != "a\x20text"+"A text"+"< text and more"+"! text"+"0 text0y0onger than that"+"< text>"+"ffffff" {
			t.Errorf("%q", got)
		}
		out.Reset()
		Guarded(&out, in, 2)
		Guarded(&out, in, 20)
		GuardedElse(&out, in)
		GuardedElse(&out, in[:1])
		Unguarded(&out, in, 2)
		OtherGuard(&out, in, nil, 2)
		Prefixed(&out, in, "longer than the others ")
		Limited(&out, bytes.NewReader(in), 2)
		if err := LimitedOrEnd(&out, bytes.NewReader(in[:1]), 2); err != io.EOF {
			t.Error(err)
		}
		if got := out.String(); got != "ff"+"ffffff"+"fff"+"f"+"ffffff"+"ffffff"+"longer than the others ffffff"+"ff"+"f" {
			t.Errorf("%q", got)
		}
		if got := Grouped("ba") + Shadowed("ba", 1) + Shadowed("ba", 0); got != 'a'+'a'+2 {
			t.Errorf("runes: %d", got)
		}
		values := []int{5, 3, 1}
		if got := Median(values) + 10*Medians([][]int{values, {2}, {9, 8, 7, 6}}); got != 3+10*(3+2+8) || values[0] != 5 {
			t.Errorf("Median: %d, %v", got, values)
		}
		pairs := []pair{{name: "a"}, {name: "b"}}
		if got := Last(pairs) + Pointers([][]pair{pairs, pairs[:1]}); got != "bba" || pairs[0].name != "a" {
			t.Errorf("Last: %q", got)
		}
		if !NilOrNot(nil) || NilOrNot([]byte{}) || !NilOfPart(nil) || NilOfPart([]byte{1}) {
			t.Error("nil")
		}
		if got := Appended([]string{"aab", "", "c"}); got != 8 {
			t.Errorf("Appended: %d", got)
		}
		if got := Before([][]byte{{1}, {1}, {2}}); got != 1 || Room(in) < len(in) || len(Returned(in)) != len(in) {
			t.Errorf("Before: %d", got)
		}
	}
}
