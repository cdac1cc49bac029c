package corpus

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestExits(t *testing.T) {
	words := []string{"ab", "c"}
	var kept []*tag
	for range 20 {
		one, err := Section(strings.NewReader("section"), 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Section(strings.NewReader(""), 7); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
		literal := Literal(words)
		none := Literal(nil)
		if none.val != nil || Global(words, true) != 5 || string(last) != "ab c " {
			t.Errorf("%q, %q", none.val, last)
		}
		all, list, sent := map[string][]byte{}, [][]byte{nil}, make(chan []byte, 1)
		Map(all, words)
		Sent(sent, words)
		Element(list, words)
		var behind []byte
		Behind(&behind, words)
		read, err := io.ReadAll(Reader(words))
		var parsed, by, called, empty tag
		for _, err := range []error{err, parsed.Parsed(strings.NewReader("parsed")), ParsedBy(&by, strings.NewReader("xyz")), empty.Parsed(strings.NewReader(""))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if empty.val == nil || len(empty.val) > 0 {
			t.Errorf("%v", empty.val)
		}
		Called(func(data []byte) { called.val = data }, 2)
		n := 3
		called.List(func() int { n--; return n })
		if called.Any(words); !slices.Equal(called.list, []int{2, -2, 1, -1}) || string(called.any.([]byte)) != "ab c " {
			t.Errorf("%v", called)
		}
		var part tag
		if part.Part(words); string(part.val) != "ab;c;" {
			t.Errorf("%q", part.val)
		}
		if part.Named(words); string(part.any.(text)) != "ab;c;" {
			t.Errorf("%q", part.any)
		}
		n = 2
		part.Numbers(func() int { n--; return n })
		if got := Text(words); !slices.Equal(part.any.(numbers), numbers{1, -1}) || string(got.(struct{ t text }).t) != "ab c " {
			t.Errorf("%v, %v", part.any, got)
		}
		if empty.List(func() int { return 0 }); empty.list != nil {
			t.Errorf("%v", empty.list)
		}
		var whole, sized tag
		Capacity(&whole, 2)
		CapacityOf(&sized, 32, 2)
		if text := string(whole.val[:64][:4]) + string(sized.val[:32][:4]); text != "a.b.a.b." || !slices.Equal(CapacityResult(2)[:64][:4], []int{0, 0, 1, -1}) {
			t.Error(text)
		}
		var filled, at tag
		Filled(&filled, 2)
		FilledAt(&at, []int{0}, 2)
		result, _ := FilledResult(2)
		waited, _ := Waited(2)
		for _, data := range [][]byte{filled.val, at.val, result, waited} {
			if string(data) != "!!!!" {
				t.Errorf("%q", data)
			}
		}
		var either, listed tag
		given := []byte("given")
		Either(&either, given, 0)
		Listed(&listed, given, 1, 2)
		for _, data := range [][]byte{either.val, listed.val, EitherResult(given, 0)} {
			if &data[0] != &given[0] {
				t.Errorf("%q is a copy", data)
			}
		}
		kept = append(kept, one, literal, &tag{val: all["key"]}, &tag{val: <-sent}, &tag{val: list[0]}, &tag{val: behind},
			&tag{val: read}, &parsed, &by, &called)
	}
	want := []string{"section", "ab c ", "ab c ", "ab c ", "ab c ", "ab c ", "ab c ", "parsed", "xy.z..", "a.b."}
	for i, k := range kept { // which no later call has overwritten
		if string(k.val) != want[i%len(want)] {
			t.Errorf("%d: %q", i, k.val)
		}
	}
}

// TestNested has a Buffer that functions write to.
func TestNested(t *testing.T) {
	var kept [][]byte
	for range 20 {
		one, err := Nested(&tag{val: []byte("a")})
		none, errNone := Nested(nil)
		if err != nil || errNone != nil || none != nil {
			t.Fatalf("%v, %v, %v", err, errNone, none)
		}
		kept = append(kept, one)
		if read := Reading(strings.NewReader(""), 0); read == nil || string(Reading(strings.NewReader("x"), 1)) != "reads x" {
			t.Errorf("%v", read)
		}
		if read := Asserted(strings.NewReader(""), nil); read == nil || string(Asserted(strings.NewReader("x"), []string{"a", "b"})) != "ab" {
			t.Errorf("%v", read)
		}
	}
	for _, text := range kept {
		if string(text) != `[tag [tag "a"]]` {
			t.Errorf("%s", text)
		}
	}
}
