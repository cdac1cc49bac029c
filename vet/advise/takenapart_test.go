package advise

import (
	"fmt"
	"strings"
	"testing"
)

// TestTakenApart has methods that print each other's values. Each may lead to all others, which must not take time that doubles with
// each of them.
func TestTakenApart(t *testing.T) {
	const many = 12
	var types strings.Builder
	for i := range many {
		fmt.Fprintf(&types, "type t%d struct{ next any }\n\nfunc (t *t%[1]d) String() string {\n", i)
		for other := range many {
			fmt.Fprintf(&types, "\tfmt.Println(&t%d{t}, t.next)\n", other)
		}
		types.WriteString("\treturn \"\"\n}\n\n")
	}
	judged(t, `package p

import "fmt"

`+types.String()+`func printed(n int, v any) string {
	b := make([]byte, n) // : pool it; The memory does not leave printed.
	return fmt.Sprint(len(b), holder{b}, v)
}

type holder struct{ b []byte }

func (h holder) String() string { return string(h.b) }

type keeper struct{ b []byte }

var kept []byte

func (k keeper) String() string {
	kept = k.b
	return fmt.Sprint(&t0{})
}

func keeps(n int) string {
	b := make([]byte, n) // : needs an owner; The memory may leave keeps: it is in a value whose method (p.keeper).String may keep it. Its last user
	return fmt.Sprint(keeper{b})
}
`, nil)
}
