package dev

import "sync"

// ethereum/go-ethereum#28565: a node is put by its parent and by itself.
type stNode struct {
	key      []byte
	children [16]*stNode
	val      []byte
	typ      int
}

var stPool = sync.Pool{New: func() any { return new(stNode) }}

func (n *stNode) reset() *stNode {
	n.key, n.val, n.typ = n.key[:0], nil, 0
	for i := range n.children {
		n.children[i] = nil
	}
	return n
}

func returnToPool(st *stNode) {
	st.reset()
	stPool.Put(st)
}

func (n *stNode) BugHash(write func(*stNode) []byte) {
	switch n.typ {
	case 1:
		for i, child := range n.children {
			if child == nil {
				continue
			}
			child.BugHash(write)
			n.children[i] = nil
			returnToPool(child)
		}
	case 2:
		child := n.children[0]
		child.BugHash(write)
		n.val = write(child)
		returnToPool(child)
		if len(n.val) < 32 {
			n.key = append(n.key[:0], child.val...) // BUG
			n.children[0] = nil
		}
	}
	n.typ = 3
}
