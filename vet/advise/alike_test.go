package advise

import (
	"strings"
	"testing"
)

// TestAlike has lines with several sites. Those of which the report says the same are one row.
func TestAlike(t *testing.T) {
	const file = "/src/a.example/p/p.go"
	code := `package p

import (
	"encoding/json"
	"io"
	"strings"
)

var text string

func texts(s string) {
	text = strings.Repeat(s, 9) + strings.ToUpper(s)
}

func both(w io.Writer, r io.Reader, s string) {
	w.Write([]byte(strings.Repeat(s, 9)))
}

func number(v any) {
	b, _ := json.Marshal(v); c, _ := json.Marshal(v)
	text = string(b) + string(c)
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	site := func(std, name string, start, line, n uint64) synthetic {
		return synthetic{std, "a.example/p." + name, file, start, line, n * 1000, n * 1000 << 12, 0, 0}
	}
	needGo(t)
	stdout, stderr, status := advise(t, dir, twoProfiles(t,
		site("strings.Repeat", "texts", 11, 12, 300), site("strings.ToUpper", "texts", 11, 12, 200),
		site("strings.Repeat", "both", 15, 16, 150), site("", "both", 15, 16, 140),
		site("strings.Repeat", "number", 19, 21, 1), site("strings.ToUpper", "number", 19, 21, 2),
	), "-top", "0")
	if status != 0 {
		t.Fatal(stderr)
	}
	text := joined(stdout)
	for _, want := range []string{
		"63 % 33 MiB 4.0 KiB below one GC not judged texts at p.go:12, string by strings.Repeat, strings.ToUpper Strings cannot",
		"19 % 9.8 MiB 4.0 KiB below one GC not judged both at p.go:16, string by strings.Repeat Strings cannot",
		"18 % 9.1 MiB 4.0 KiB below one GC pool it both at p.go:16, []byte of a string",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", stdout, want)
		}
	}
	if n := strings.Count(text, "texts at p.go:12"); n != 1 {
		t.Errorf("%d rows of one line: %s", n, stdout)
	}
}

// TestAlikeOfLittle has two sites of a line that are too rare each. Their sum is not, so that the reason is true of neither but each.
func TestAlikeOfLittle(t *testing.T) {
	const rare = "This is less than 0.5 % of the program's allocations."
	r := &Report{Bytes: 1 << 20, left: 1, heap: &heap{total: tally{bytes: 1000, objects: 1000}}}
	for range 2 {
		tiny := &tally{bytes: 4, objects: 4, samples: 100, sizes: map[int64]amount{1: {4, 4}}}
		s := newSite(place{function: "a.F", file: "a.go", line: 1}, tiny, r.heap)
		s.Verdict, s.Reason = TooRare, rare
		r.Sites = append(r.Sites, s)
	}
	if r.joinAlike(nil); len(r.Sites) != 2 {
		t.Errorf("%d sites", len(r.Sites))
	}
	r.heap.total.bytes = 10_000
	for _, s := range r.Sites {
		s.Share /= 10
	}
	if r.joinAlike(nil); len(r.Sites) != 1 || r.Sites[0].Bytes != 8 || r.Sites[0].Share != 0.0008 {
		t.Errorf("%d sites, %+v", len(r.Sites), r.Sites[0])
	}
}

// TestAlikeCalls joins the functions that make memory of one row.
func TestAlikeCalls(t *testing.T) {
	s := &Site{}
	for _, function := range []string{"", "net.IP.String", "strings.Join", "", "net.IP.String"} {
		s.addCalls(function)
	}
	if s.Calls != "net.IP.String, strings.Join" {
		t.Error(s.Calls)
	}
}
