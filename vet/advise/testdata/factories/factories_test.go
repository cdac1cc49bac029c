package corpus

import (
	"fmt"
	"strings"
	"testing"
)

func show(t *tree) string {
	if t == nil {
		return "nil"
	}
	all := t.kind
	for _, t := range t.all {
		all += "[" + show(t) + "]"
	}
	return all
}

func TestFactories(t *testing.T) {
	for range 3 { // the later rounds have structs of pools
		one, err := Parse(" a(b)c")
		none, failed := Parse("a)")
		stack := Stack("(x(")
		got := fmt.Sprintln(show(one), err, none, failed, len(stack), show(stack[0]), Stack(")"), First("yz"), First(")"), Count([]string{"(", "((", ")"}))
		if want := "list[a][list[b]][c] <nil> <nil> unexpected ) at 1 3 list[list[x][list]] [] y  6\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		Drop("a")
		names, err := Names(strings.NewReader("0003abcdefghi"))
		less, failed := Names(strings.NewReader("3"))
		got = fmt.Sprintln(names, err, less, failed, Head(strings.NewReader("!xyz")), Head(strings.NewReader("0009")), Head(strings.NewReader("")))
		if want := "[abc def ghi] <nil> [] unexpected EOF a head of \"!xyz\" 0009 EOF\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		got = fmt.Sprintln(Distinct("abcab"), Distinct(""), Distinct2("aa", "b"), Direct("abc"), Direct(""), Walk(one), Walk(nil), Walked(one), Chained("a", "b"), Pushed(4), Pushed(90))
		if want := "3 -1 2 4 0 1 0 2 ab2 13 60\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		n, errs := Lexed("a?b?")
		m, empty := Lexed("aab")
		if got, want := fmt.Sprintln(n, errs, m, empty), "2 [2: a question 4: a question] 4 []\n"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		var b strings.Builder
		Letters(&b, 5)
		Letters(&b, 4)
		Either(&b, 0, []byte("given"))
		Either(&b, 3, nil)
		Passed(&b, 2)
		Tail(&b, 5)
		if want := "abcde01ABCD01given" + strings.Repeat("\x00", 8); b.String() != want || len(last) != 3 {
			t.Errorf("%q, want %q; %d", b.String(), want, len(last))
		}
	}
}
