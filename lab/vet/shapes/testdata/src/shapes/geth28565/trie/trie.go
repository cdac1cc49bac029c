package trie

import (
	"errors"
	"sync"
)

type H struct{ sum [32]byte }

var hashers = sync.Pool{New: func() any { return new(H) }}

func Hasher() *H  { return hashers.Get().(*H) }
func Return(h *H) { hashers.Put(h) }

// Hash gives h back if it fails.
func Hash(h *H, data []byte) error {
	if len(data) == 0 {
		Return(h)
		return errors.New("empty")
	}
	h.sum[0] = data[0]
	return nil
}

func Check(h *H, data []byte) error {
	if len(data) == 0 {
		return errors.New("empty")
	}
	h.sum[0] = data[0]
	return nil
}

type Iterator struct{ n int }

var iterators = sync.Pool{New: func() any { return new(Iterator) }}

func Open() *Iterator       { return iterators.Get().(*Iterator) }
func (it *Iterator) Next()  { it.n++ }
func (it *Iterator) Close() { Recycle(it) }
func Recycle(it *Iterator)  { iterators.Put(it) }
