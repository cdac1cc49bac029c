package advise

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestLineComments has code that a tool makes of two templates. A profile has the lines of these.
func TestLineComments(t *testing.T) {
	needGo(t)
	files := map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": `package p

type table[T any] struct{ sum int }

//line table.got:5
func (t *table[T]) add(n int) {
	for _, x := range make([]byte, n) { // line 6 of table.got, 7 here
		t.sum += int(x)
	}
}

var T table[int]

func lex(n int) (sum int) {
	switch n {
	case 1:
//line lex.y:10
		for _, x := range make([]byte, n+1) { // line 10 of lex.y, 18 here
			sum += int(x)
		}
	case 2:
		_ = make([]int, n) // line 14 of lex.y, by the comment above, 22 here

//line lex.y:14
		sum = cap(make([]byte, n*2)[1:n]) // line 14 of lex.y, 25 here
	}
	return sum
}

//line p.go:30
func plain(n int) int {
	T.add(n)
	return lex(n)
}
`}
	dir := writeFiles(t, files)
	site := func(name, file string, line uint64) synthetic {
		return synthetic{"", "a.example/p." + name, "/src/a.example/p/" + file, 0, line, 100_000, 100_000 << 17, 0, 0}
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, site("(*table[...]).add", "table.got", 6), site("lex", "lex.y", 10),
		site("lex", "lex.y", 14), site("lex", "lex.y", 99), site("other", "table.got", 6)), "-json", "-top", "0")
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s%s", status, err, stdout, stderr)
	}
	got := map[string]bool{}
	for _, s := range r.Sites {
		got[fmt.Sprintf("%s:%d: %s; %s", base(s.File), s.Line, s.Verdict, s.Reason)] = true
	}
	for _, want := range []string{
		"p.go:7: pool it; The memory does not leave (*table).add. There is no patch: its file is made from table.got: change that one.",
		"p.go:18: pool it; The memory does not leave lex. There is no patch: its file is made from lex.y: change that one.",
		"p.go:25: pool it; The memory does not leave lex. There is no patch: its file is made from lex.y: change that one.",
		"lex.y:99: not judged; The profile does not say how this line allocates, and lex.y is no Go file: a tool has made this code from it.",
		"table.got:6: not judged; The profile does not say how this line allocates, and table.got is no Go file: a tool has made this code from it.",
	} {
		if !got[want] {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		for text := range got {
			t.Log(text)
		}
	}
}
