package advise

import "testing"

// TestReasonsOfRoundVariables has variables that rounds of loops declare and decode into.
func TestReasonsOfRoundVariables(t *testing.T) {
	const (
		noPatch = " There is no patch: this tool moves no declarations.$"
		zero    = "reuse a variable; It does not leave the loop: declare it before the loop, and set it to its zero value in each round, because "
		alone   = " leaves alone what has no value in the input."
	)
	judged(t, `package p

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
)

type item struct {
	A, B int
	Next *item
}

func sum(v item) int { return v.A + v.B }

func decoded(lines [][]byte) (n int) {
	for _, b := range lines {
		var v item // : `+zero+`json.Unmarshal`+alone+noPatch+`
		if json.Unmarshal(b, &v) == nil {
			n += sum(v)
		}
	}
	return n
}

func markup(lines [][]byte) (n int) {
	for _, b := range lines {
		v := item{} // : `+zero+`xml.Unmarshal`+alone+noPatch+`
		if xml.Unmarshal(b, &v) == nil {
			n += sum(v)
		}
	}
	return n
}

func inner(blocks [][][]byte) (n int) {
	for _, lines := range blocks {
		for _, b := range lines {
			var v item // : reuse a variable; It does not leave the loop: declare it before the outermost loop, at line 37, and set it to its zero value
			if json.Unmarshal(b, &v) == nil {
				n += sum(v)
			}
		}
	}
	return n
}

func scanned(lines []string) (n int) {
	for _, s := range lines {
		var v int // : reuse a variable; It does not leave the loop: declare it before the loop, and set it in each round.
		fmt.Sscan(s, &v)
		n += v
	}
	return n
}

func kept(lines [][]byte) (all []*item) {
	for _, b := range lines {
		var v item // : too small;
		json.Unmarshal(b, &v)
		all = append(all, &v)
	}
	return all
}

func previous(lines [][]byte) (n int) {
	var last *item
	for _, b := range lines {
		var v item // : too small;
		json.Unmarshal(b, &v)
		if last != nil && *last == v {
			n++
		}
		last = &v
	}
	return n
}

func once(b []byte) int {
	var v item // : too small;
	json.Unmarshal(b, &v)
	return sum(v)
}

func deferred(lines [][]byte) {
	for _, b := range lines {
		var v item // : too small;
		json.Unmarshal(b, &v)
		defer func() { fmt.Println(v.A) }()
	}
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 24 })
}
