package advise

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// judged runs basin advise on a package of these lines, of which each that ends with a comment allocates. It compares the
// verdicts and reasons with the comments.
func judged(t *testing.T, code string, change func(i int, s *synthetic)) {
	t.Helper()
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	sites, want := marked("a.example/p", "/src/a.example/p/p.go", code)
	for i := range sites {
		if change != nil {
			change(i, &sites[i])
		}
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-json")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	got := map[int64]string{}
	for _, s := range r.Sites {
		got[s.Line] = fmt.Sprintf("%s; %s", s.Verdict, s.Reason)
	}
	for i, s := range sites {
		if text := got[int64(s.line)]; !strings.HasPrefix(text, want[i]) {
			t.Errorf("line %d: %s, want %s", s.line, text, want[i])
		}
	}
}

// TestReasonsOfInit has memory that init statements set. An else after a condition is evaluated only then.
func TestReasonsOfInit(t *testing.T) {
	judged(t, `package p

import "io"

func read(r io.Reader, w io.Writer) {
	if b, err := io.ReadAll(r); err == nil { // io.ReadAll: pool it; The memory does not leave read. There is no patch: it is in the init statement of an if or the like: give it a line before that.
		w.Write(b)
	}
}

func sized(w io.Writer, n func() int) {
	if b := make([]byte, n()); len(b) > 1 { // : pool it; The memory does not leave sized. There is no patch: it is in the init statement of an if or the like: give it a line before that.
		w.Write(b)
	}
}

func switched(w io.Writer, n func() int) {
	switch b := make([]byte, n()); len(b) { // : pool it; The memory does not leave switched. There is no patch: it is in the init statement of an if or the like: give it a line before that.
	case 1:
		w.Write(b)
	}
}

func other(w io.Writer, n int) {
	if n < 0 {
		w.Write(nil)
	} else if _, err := w.Write(make([]byte, n)); err != nil { // : pool it; The memory does not leave other. There is no patch: it is a part of a larger expression, which may not evaluate it, or not first: give it a variable.
		panic(err)
	}
}
`, nil)
}

// TestReasonsOfStores has memory that is stored by the address of the variable that has it.
func TestReasonsOfStores(t *testing.T) {
	judged(t, `package p

type inner struct{ b []byte }

func with(b []byte) inner { return inner{b} }

type outer struct {
	in   *inner
	list []*inner
}

func (o *outer) field(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves (*outer).field: it is stored in field outer.in.
	in := with(b)
	o.in = &in
}

func (o *outer) element(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves (*outer).element: it is stored in an element of field outer.list.
	in := with(b)
	o.list[0] = &in
}

var last *inner

func global(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves global: it is stored in the variable last of the package.
	in := with(b)
	last = &in
}
`, nil)
}

// TestReasonsOfRounds has loops whose rounds store their memory in something that outlives them.
func TestReasonsOfRounds(t *testing.T) {
	judged(t, `package p

import (
	"container/list"
	"io"
)

func pushed(w io.Writer, n int) {
	all := list.New()
	for range n {
		b := make([]byte, n) // : needs an owner; The memory leaves pushed: it is passed to (*list.List).PushBack, which keeps it.
		all.PushBack(b)
	}
	for e := all.Front(); e != nil; e = e.Next() {
		w.Write(e.Value.([]byte))
	}
}

func zero(n int) {
	var all list.List
	for range n {
		b := make([]byte, n) // : do not pool; Each round stores its memory in a list.List that outlives the round, so that one variable is not enough.
		all.PushBack(b)
	}
}

func appended(w io.Writer, n int) {
	var all [][]byte
	for range n {
		b := make([]byte, n) // : needs an owner; The memory leaves appended: it is stored in all.
		all = append(all, b)
	}
	for _, b := range all {
		w.Write(b)
	}
}

func elements(w io.Writer, n int) {
	all := make([][]byte, n)
	for i := range n {
		b := make([]byte, n) // : do not pool; Each round stores its memory in a slice that outlives the round, so that one variable is not enough.
		w.Write(b)
		all[i] = b[:1]
	}
	for _, b := range all {
		w.Write(b)
	}
}

func previous(w io.Writer, n int) {
	var last []byte
	for range n {
		b := make([]byte, n) // : do not pool; A round of the loop may still use the memory of the round before
		w.Write(last)
		last = b
	}
}
`, nil)
}
