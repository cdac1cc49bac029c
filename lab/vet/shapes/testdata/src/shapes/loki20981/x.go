// A decoder returns the slice that it grew; the deferred put has the old one.
package loki20981

import (
	"strconv"

	"github.com/basin-go/basin"
	pool "github.com/libp2p/go-buffer-pool"
)

func encode(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func BugEncoded(in []int) int {
	b := pool.Get(32)[:0]
	defer pool.Put(b) // BUG
	for _, n := range in {
		b = encode(b, n)
	}
	return len(b)
}

func BugGeneric(in []int) int {
	var p basin.Pool[[]int]
	s := p.Get()
	defer p.Put(s) // BUG
	s = append(s[:0], in...)
	return len(s)
}

func LegalEncoded(in []int) int {
	b := pool.Get(32)[:0]
	for _, n := range in {
		b = encode(b, n)
	}
	n := len(b)
	pool.Put(b)
	return n
}

func LegalGeneric(in []int) int {
	var p basin.Pool[[]int]
	s := p.Get()
	defer func() { p.Put(s) }()
	s = append(s[:0], in...)
	return len(s)
}

func LegalResult(in []int) int {
	b := pool.Get(32)
	defer pool.Put(b)
	grown := encode(b[:0], len(in))
	return len(grown)
}
