package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfAppended has appends of new structs. Each run of a line makes a struct, and sometimes an array.
func TestReasonsOfAppended(t *testing.T) {
	needGo(t)
	const code = `package p

type node struct {
	pad  [8]int64
	kids []*node
}

func (n *node) one(v int64) { n.kids = append(n.kids, &node{pad: [8]int64{v}}) }

func (n *node) arrays(v int64) { n.kids = append(n.kids, &node{pad: [8]int64{v}}) }

func (n *node) known(all []int64) {
	var kids []*node
	for _, v := range all {
		kids = append(kids, &node{pad: [8]int64{v}})
	}
	n.kids = kids
}

func (n *node) before(v int64) {
	kid := &node{pad: [8]int64{v}}
	n.kids = append(n.kids, kid)
}
`
	cases := []struct {
		name, reason string
		start, line  uint64
		pieces       []uint64 // sizes and numbers
	}{
		{"one", "too small (*node).one at p.go:8, pointer to a struct Half of the bytes or more are in pieces of at most 96 B: a pool costs as much as the allocator. ", 8, 8,
			[]uint64{96, 1_000_000, 8, 100_000, 16, 100_000, 32, 100_000, 64, 100_000, 128, 100_000}},
		{"arrays", "needs an owner (*node).arrays at p.go:10, append The memory leaves", 10, 10, []uint64{96, 1_000_000, 4096, 100_000}},
		{"known", "preallocate (*node).known at p.go:15, append It grows in a loop over all", 12, 15, []uint64{96, 1_000_000, 128, 100_000, 256, 100_000}},
		{"before", "too small (*node).before at p.go:22, append", 20, 22, []uint64{96, 1_000_000, 16, 100_000, 64, 100_000}},
	}
	var sites []synthetic
	for _, c := range cases {
		for ; len(c.pieces) > 0; c.pieces = c.pieces[2:] {
			sites = append(sites, synthetic{"", "a.example/p.(*node)." + c.name, "/src/a.example/p/p.go", c.start, c.line, c.pieces[1], c.pieces[1] * c.pieces[0], 0, 0})
		}
	}
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), "p/p.go": code})
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...))
	for _, c := range cases {
		if text := joined(stdout); status != 0 || !strings.Contains(text, c.reason) {
			t.Errorf("exit status %d, %s%s, want %s", status, stdout, stderr, c.reason)
		}
	}
}
