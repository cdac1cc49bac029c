package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfReversed has slices whose elements have methods that printing would call, and package slices does not. Not each round of
// their loops appends, so that a pool is better than the length.
func TestReasonsOfReversed(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"fmt"
	"slices"
)

type id [16]byte

var all []string

func (i id) String() string { all = append(all, string(i[:])); return string(i[:]) }

type change struct {
	id   id
	text *string
}

func page(changes []*change, from id, reverse bool, size int) (texts []*string) {
	var list []*change
	for _, c := range changes {
		if c.id[0] > 4 {
			break
		}
		if c.id == from {
			continue
		}
		list = append(list, c) // : pool it; The memory does not leave page.$
	}
	if reverse {
		slices.Reverse(list)
	}
	for _, c := range list[:min(size, len(list))] {
		texts = append(texts, c.text)
	}
	return texts
}

func some(changes []*change, from id) int {
	var list []*change
	for _, c := range changes {
		if c.id == from {
			list = append(list, c) // : pool it; The memory does not leave some.$
		}
	}
	slices.SortFunc(list, func(a, b *change) int { return slices.Compare(a.id[:], b.id[:]) })
	return int(list[0].id[0])
}

func each(changes []*change) (n int) {
	var list []*change
	for _, c := range changes {
		list = append(list, c) // : preallocate; It grows in a loop over changes, whose length is known: make it with that capacity before the loop.$
	}
	slices.Reverse(list)
	for _, c := range list {
		n += int(c.id[0])
	}
	return n
}

type printed []byte

func (p printed) String() string { kept = p; return "" }

type named struct{ p printed }

var kept printed

func prints(lists []named, from byte) {
	var list []named
	for _, n := range lists {
		if n.p[0] == from {
			list = append(list, n) // : preallocate; It grows by at most one element in each round of a loop over lists
		}
	}
	fmt.Println(list)
}

func held(n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave held: it is in a value whose method (p.printed).String may keep it.
	list := []named{{b}}
	fmt.Println(list)
}

func turned(n int) byte {
	b := make([]byte, n) // : pool it; The memory does not leave turned.
	list := []named{{b}}
	slices.Reverse(list)
	return list[0].p[0]
}
`, nil)
	for _, s := range r.Sites {
		if name := s.short(); (name == "page" || name == "some") && !strings.Contains(s.Diff, "List.Put(list)") {
			t.Errorf("%s: %s; %s; %s", name, s.Verdict, s.Reason, s.Diff)
		}
	}
}
