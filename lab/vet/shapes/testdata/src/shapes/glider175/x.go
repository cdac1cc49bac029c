// The pool for a slice is chosen by its length instead of its capacity.
package glider175

import "sync"

var sizes = [...]int{1 << 9, 1 << 10, 1 << 11}

var bugPools, pools [len(sizes)]sync.Pool

func GetBuffer(n int) []byte {
	for i, size := range sizes {
		if n <= size {
			if v := bugPools[i].Get(); v != nil {
				return v.([]byte)[:n]
			}
			return make([]byte, n, size)
		}
	}
	return make([]byte, n)
}

func BugPutBuffer(p []byte) {
	l := len(p) // ALSO
	for i, n := range sizes {
		if l == n {
			bugPools[i].Put(p) // BUG
			return
		}
	}
}

func LegalPutBuffer(p []byte) {
	c := cap(p)
	for i, n := range sizes {
		if c == n {
			pools[i].Put(p[:c])
			return
		}
	}
}

func LegalFull(p []byte) {
	p = p[:cap(p)]
	for i, n := range sizes {
		if len(p) == n {
			pools[i].Put(p)
			return
		}
	}
}
