package corpus

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	for range 3 { // the later rounds have maps of pools
		var out bytes.Buffer
		Named([]string{"b", "a", "b"}, &out)
		numbers := make([]int, 2000)
		for i := range numbers {
			numbers[i] = i
		}
		got := fmt.Sprintln(Distinct(numbers), Distinct([]int{1, 2, 1}), Packed("a bc a bc d"), Packed("abc"), Filled(strings.Fields("a b a c")), Filled(nil),
			NaNs(5), NaNs(0), Recursive(3), Broken(4), Late(6), Emptied(30), len(Returned(1)), out.String())
		if want := "2000 2 2 3 4 1 5 0 2 runtime error: integer divide by zero 6 10 1 2 map[a:{} b:{}]\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestStructs(t *testing.T) {
	for range 3 {
		n, name := Literal(3, "a name")
		got := fmt.Sprintln(Made(2), n, name, Argument("x"), Recovered(90), len(Kept(1)))
		if want := "3 7 a name 3 runtime error: index out of range [90] with length 80 2\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for range 3 {
		sum, _ := Sum([]*big.Int{big.NewInt(-3), big.NewInt(1 << 40), big.NewInt(2)})
		none, zero := Sum(nil)
		got := fmt.Sprintln(len(sum), none, zero, Digits([]byte{1, 2, 3}, 58), Shifted(-5), Shifted(0), Product(big.NewInt(9)), Doubled(big.NewInt(-7)))
		if want := "11 [] true [47 36 19] -5902958103587056517120 0 8 -14\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestRunes(t *testing.T) {
	for range 3 {
		n, parts := Halves("abcé", "xüvwz")
		none, _ := Halves("", "a")
		text, length := Extended("textures")
		if n := Bound([]string{"ab", "c"}); n != 4 {
			t.Errorf("%d pages", n)
		}
		got := fmt.Sprintln(n, parts, none, text, length)
		if want := "429 üwüwz -1 texturesatexturesb 8\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestTwice(t *testing.T) {
	text := strings.Repeat("a", 64) // which a slice has no room behind
	for range 3 {
		for _, got := range []string{TwiceInList(64), TwiceReturned(text), TwiceInField(64), InTwoFields(64), FieldAndVariable(64), TwiceTheResult(64)} {
			if len(got) != 130 || got[64] != 'x' || got[129] != 'y' {
				t.Errorf("%q", got)
			}
		}
		if got := WholeAndPart(64); got[65] != 'x' {
			t.Errorf("%q", got)
		}
		if got := OneAfterAnother(64); got[64:] != "xy" {
			t.Errorf("%q", got)
		}
	}
}
