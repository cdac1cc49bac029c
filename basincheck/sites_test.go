//go:build go1.25

package basincheck_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// get is a line that many call stacks lead to.
func get(p *basin.BytePool, n int) []byte { return p.Get(n) }

// TestSitesByLine has one row for each source line and pool, however many stacks lead there.
func TestSitesByLine(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	p, q := &basin.BytePool{Name: "p"}, &basin.BytePool{Name: "q"}
	var held [][]byte
	few := func() { held = append(held, get(p, 100)) }
	many := func() { held = append(held, get(p, 1000), get(p, 1000)) }
	other := func() { held = append(held, get(q, 100)) }
	few()
	many()
	other()
	p.Put(held[0])
	list := basincheck.Sites()
	if len(list) != 2 {
		t.Fatalf("%d sites, want 2: %+v", len(list), list)
	}
	s := list[0]
	if s.Pool != "p" || s.Items != 2 || s.Bytes != 2048 || s.Gets != 3 || s.Puts != 1 || s.Leaks != 0 || s.Paths != 3 || !pooltest.InCaller(s.LastPut) {
		t.Errorf("the line has %+v", s)
	}
	if got := s.Stack.String(); !strings.Contains(got, "TestSitesByLine.func2") {
		t.Errorf("the stack is not that with the most bytes:\n%s", got)
	}
	if list[1].Pool != "q" || list[1].Paths != 1 {
		t.Errorf("the other pool has %+v", list[1])
	}
	if n := len(basincheck.Stacks()); n != 4 {
		t.Errorf("%d stacks, want 4", n)
	}
	if out := basincheck.Outstanding(); len(out) != 2 || out[0].Items != 2 {
		t.Errorf("outstanding are %+v", out)
	}
}

// TestSiteOfLibrary has Buffers that grow below the standard library, at two lines.
func TestSiteOfLibrary(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	var a, b basin.Buffer
	json.NewEncoder(&a).Encode(make([]int, 100))
	fmt.Fprintf(&b, "%0500d", 1)
	got := make(map[string]bool)
	for _, s := range basincheck.Sites() {
		f := s.Stack.Line()
		got[fmt.Sprint(f.File[strings.LastIndex(f.File, "/")+1:], " ", f.Line)] = true
	}
	if len(got) != 2 {
		t.Errorf("lines are %v, want two", got)
	}
	for at := range got {
		if !strings.HasPrefix(at, "sites_test.go ") {
			t.Errorf("a line is at %s", at)
		}
	}
}
