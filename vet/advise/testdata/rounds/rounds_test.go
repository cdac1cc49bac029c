package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSameEmptied has functions whose rounds let a slice grow do what they did before the patch.
func TestSameEmptied(t *testing.T) {
	is := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, want %#v", what, got, want)
		}
	}
	for range 3 {
		lines := []string{"long ", "line\n", "..dot\n", "x\n", "."}
		data, err := Dotted(func() (string, error) {
			s := lines[0]
			lines = lines[1:]
			if strings.HasSuffix(s, " ") {
				return s, errFull
			}
			return s, nil
		})
		is("Dotted", string(data), "long line\n.dot\nx\n")
		is("Dotted's error", err, nil)
		is("Labeled", Labeled([][]string{{"a", "bc", "", "d"}, {"longer"}, {"end"}, {"e"}}), []string{"aa", "bcbc", "longerlonger"})
		is("Spacious", Spacious([]string{"a", "a string that is longer", ""}), 327329)
		is("Numbers", Numbers([][]int{{1, 2, 4}, {6}, nil, {8, 8, 8}}), 2+8+6+8+16+24)
		var out bytes.Buffer
		Written(&out, []string{"one ", "two"})
		DeferredMade(&out, 2)
		DeferredGrown(&out, []string{"x", "y"})
		is("Written", strings.ReplaceAll(out.String(), "\x00", ""), "one twobayyxx")
		out.Reset()
		Collected(&out, []string{"12345", "67890", "abc", "d"})
		After(&out, []string{"e", "f"})
		Again(&out, 2)
		Twin(&out, "g", true)
		Twin(&out, "h", false)
		is("Collected", out.String(), "1234567890abcdefef\x00\x02\x01\x02\x00\x01ggh")
		out.Reset()
		Three(&out, []string{"a1-b", "", "+2"})
		is("Three", out.String(), "ab-\x001\x00\x00+\x002")
		is("Made", Made([]string{"a", "bc"}), []int{1, 2})
		is("Made of none", Made(nil), []int{})
		is("Remade", append(Remade(map[string]int{"a": 3}), Remade(nil)...), []int{3})
		is("CopiedMap", CopiedMap(map[string]int{"a": 1, "b": 2}), map[string]int{"a": 1, "b": 2})
		is("CopiedMap of none", CopiedMap(nil), map[string]int{})
		l := labels{map[string]string{"a": "b"}}
		is("upper", l.upper(map[string]string{"c": "d"}), map[string]string{"A": "b", "c": "d"})
		is("Groups", Groups("ab12cde3"), []string{"ab", "12", "cde", "3"})
		is("no Groups", Groups(""), []string{""})
		is("Joined", Joined([]string{"", "a", "b", "", "c", "d", "e", "f", "g", "h", "", "i"}), []string{"", "a-b", "c+d+e+f", "g-h", "i"})
		is("Sums", Sums([][]int{nil, {1, 2, 3}, {4, -1, 5}, {6}}), []int{0, 14, 25, 36})
		is("AfterAnew", AfterAnew("ab cd e"), 2*2+2*'a'+2+'c')
		is("PartAnew", PartAnew("aab aa a"), 1)
		is("StaleAnew", StaleAnew("abc ab"), 3+1)
		is("Jumping", Jumping([]string{"ab", "a"}), 6)
		is("Yielded", Yielded([]string{"ab", "a"})+YieldedKept([]string{"ab", "a"}), 2*'a'+2*'b'+1)
		is("Elements", Elements([]string{"a", "b"}), [][]byte{[]byte("aa"), []byte("bb")})
		is("Previous", Previous([]string{"a", "a", "b"})+PreviousCaptured([]string{"a", "a", "b"}), 2)
		is("LastOfRound", LastOfRound([]string{"a", "bc"}), 6)
		is("OtherMemory", OtherMemory([][]byte{{1}, {2, 3}, {4}}), 12)
		is("NilOrEmpty", NilOrEmpty([]string{"ab", "", "cd"}), 1)
		is("Behind", Behind([]string{"\x05\x05\x05\x05", "\x01"}), 21)
		is("Forked", Forked([]string{"ab", "a"}), 2*'a'+24)
		is("Renamed", Renamed([]string{"ab", "a"}), 3+4+3+2+3)
		is("Sizes", Sizes([]int{0, 3}), 4)
		is("Outside", Outside([]string{"ab", "a"}), 3)
	}
}

// TestSame has each function return what it returned before the patch, again and again.
func TestSame(t *testing.T) {
	is := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s: %#v, want %#v", what, got, want)
		}
	}
	for range 3 {
		is("Small", Small([][]byte{{1, 2, 3}, bytes.Repeat([]byte{9}, 30), {4}}), 6+24*9+4)
		is("SmallKept", SmallKept(4), 5)
		is("Each", Each([]int{5, 6, 7, 8}), 6+7+8+0)
		is("Other", Other([]int{5, 6, 7, 8}), 7+8+8+8)
		is("Keeps", Keeps([]int{1, 2}), 4)
		is("EachOf", EachOf([]int{1, 2}, largest), 4)
		is("Changed", Changed([]int{1, 2}, nil), 4)
		is("Captured", Captured([]int{1, 2}), 2+2+2)
		is("Lengths", Lengths([]string{"a", "bc"}), []int{1, 2})
		is("Lengths of nothing", Lengths(nil), []int(nil))
		is("Upper", (&list{[]string{"a"}}).Upper(), []string{"a!"})
		is("Upper of nothing", new(list).Upper(), []string{})
		is("Literals", Literals(3), 0*3+1*2+2*1)
		is("LiteralRow", LiteralRow(2), []int{0, 0})
		is("LiteralSwap", LiteralSwap(2)+LiteralSet(2)+LiteralKept(2)(1, 1)+LiteralOfRound(2), 0)
		is("Spread", Spread(numbers{3, 1, 2}), 4.0)
		is("Spread of nothing", Spread(nil), -1.0)
		is("Mean", Mean(numbers{1, 2}, numbers{3, 4}), 3.5)
		is("Ranks", Ranks(numbers{2, 1}), numbers{2, 1})
		is("First", First(numbers{2, 1}), 2.0)
		is("Extra", Extra(numbers{2, 1}), 3)
		is("Last", Last(numbers{2, 1}), 0.5)
		is("SumSquared", SumSquared(numbers{2, 1}), 5.0)
		is("Spaces", Spaces(" a b\tä "), 502)
		is("Pairs", Pairs(map[string]int{"a": 1}), []any{"a", 1})
		is("no Pairs", Pairs(nil), []any(nil))
		is("Triples", Triples([]string{"a", "b"}), []string{"a", "=", "a", "b", "=", "b"})
		is("CountedPairs", CountedPairs(2), []int{0, 0, 1, -1})
		is("negative CountedPairs", CountedPairs(-2), []int(nil))
		is("ConstantPairs", len(ConstantPairs()), 10)
		is("capacity of ConstantPairs", cap(ConstantPairs()) >= 10, true)
		is("Bare", Bare([]string{"a", "bc"}), []int{1, 2})
		is("Single", Single([]string{"a", "bc"}), []string{"A", "BC"})
		is("SingleRows", SingleRows(3), 3)
		out, sum := Both([]string{"a", "bc"})
		is("Both", out, []int{1, 2})
		is("Both's rows", sum, 200)
		is("Counted", Counted(3), []int{0, 1, 4})
		is("Counted below 0", Counted(-3), []int(nil))
		is("Ranged", Ranged(2), []int{0, -1})
		is("Ranged below 0", Ranged(-2), []int(nil))
		values := Values(map[string]int{"a": 1, "b": 2})
		slices.Sort(values)
		is("Values", values, []int{1, 2})
		is("Values with an end", Values(map[string]int{"a": -1}), []int(nil))
		all, err := Read(strings.NewReader("abc"), 2)
		is("Read", string(all), "ab")
		is("Read's error", err, nil)
		is("Shrinks", Shrinks(4), []int{3, 2})
		is("Skips", Skips(5), []int{2, 5})
		is("Filtered", Filtered([]int{1, -1}), []int{1})
		is("Continued", Continued([]int{1, -1}), []int{-1})
		first, out := Pointed([]int{1, 2, 3})
		*first = 7
		is("Pointed", out, []int{1, 2, 3})
		shared := make([]int, 1, 8)
		Given(shared, []int{7, 8})
		is("Given", shared[:3], []int{0, 7, 8})
		is("Nested", Nested([][]int{{1}, {2, 3}}), []int{1, 2, 3})
		is("Distance", Distance("kitten", "sitting"), 3)
		is("Distance of nothing", Distance("", ""), 0)
		is("Table", Table(5), 10)
		is("Swapped", Swapped(4), 3)
		is("Twice", Twice(3), 0)
		is("Matrix", len(Matrix(3)[2]), 3)
		is("Row", Row(2), []int{0, 0})
		is("Extended", Extended(4), 5)
		is("Moved", Moved(4), 4)
		is("Tables", Tables(4), 16)
		for _, read := range []func(*source) ([][]string, error){Records, AllRecords} {
			rows, err := read(&source{text: "a,b\nc,d\n"})
			is("rows", rows, [][]string{{"a", "b"}, {"c", "d"}})
			is("error", err, nil)
		}
		rest := &source{text: "a,b,\"\n"}
		if _, err := AllRecords(rest); err == nil {
			t.Error("no error of AllRecords")
		}
		var w sink
		is("Sections", Sections(&w, "x<y"), nil)
		is("its text", string(w.text), "<string>x&lt;y</string>")
		w = sink{}
		is("OfSink", OfSink(&w, 1), nil)
		is("its text", string(w.text), "<int>1</int>")
		n := 0
		is("OfSource", OfSource(&source{text: "<int>7</int>"}, &n), nil)
		is("number", n, 7)
	}
}
