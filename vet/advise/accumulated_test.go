package advise

import "testing"

// TestReasonsOfAccumulated has slices that a parameter has, which may have elements before, or to which a call in the loop appends, too.
func TestReasonsOfAccumulated(t *testing.T) {
	const owner = "needs an owner; The memory leaves "
	judged(t, `package p

type node struct {
	value int
	nodes []*node
}

func walk(n *node, all []int) []int {
	for _, n := range n.nodes {
		if n.value > 0 {
			all = append(all, n.value) // : `+owner+`walk: it is returned from p.walk
		}
		all = walk(n, all)
	}
	return all
}

func flat(n *node, all []int) []int {
	for _, n := range n.nodes {
		if n.value > 0 {
			all = append(all, n.value) // : preallocate; It grows by at most one element in each round of a loop over n.nodes: if most rounds append, call slices.Grow before the loop.
		}
	}
	return all
}

func values(n *node) (all []int) {
	for _, n := range n.nodes {
		if n.value > 0 {
			all = append(all, n.value) // : preallocate; It grows by at most one element in each round of a loop over n.nodes: if most rounds append, make it with that capacity before the loop.
		}
	}
	return all
}

func restarted(n *node) (all []int) {
	for _, n := range n.nodes {
		if n.value < 0 {
			all = all[:0]
		}
		all = append(all, n.value) // : `+owner+`restarted: it is returned from p.restarted
	}
	return all
}

func cloned(n *node, list []*node) []*node {
	n.nodes = append([]*node{}, list...) // : needs an owner; The memory leaves cloned: it is stored in field node.nodes. Its last user would have to put it back.$
	return n.nodes
}
`, nil)
}
