// Package keptput puts slices that it has told the pool to forget.
package keptput

import (
	"io"

	"github.com/basin-go/basin"
)

var pool basin.BytePool

func putAfterwards(r io.Reader) error {
	page := pool.Get(4096)
	_, err := r.Read(page)
	pool.Forget(page)
	pool.Put(page) // want `double Put: pool.Forget\(page\) already gave page up`
	return err
}

func deferredPut(r io.Reader, keep bool) []byte {
	page := pool.Get(4096)
	defer pool.Put(page)
	if _, err := r.Read(page); err == nil {
		pool.Forget(page) // want `double Put: the deferred pool.Put\(page\) puts page, which this call gives up`
		return nil
	}
	return nil
}

func forgottenTwice() {
	page := pool.Get(4096)
	pool.Forget(page)
	pool.Forget(page) // want `double Put: pool.Forget\(page\) already gave page up`
}

func forgottenAfterPut() {
	page := pool.Get(4096)
	pool.Put(page)
	pool.Forget(page) // want `double Put: pool.Put\(page\) already put page`
}

func legalEither(keep bool) {
	page := pool.Get(4096)
	if keep {
		pool.Forget(page)
	}
	if !keep {
		pool.Put(page)
	}
}

func legalRounds(n int) {
	for range n {
		page := pool.Get(4096)
		if page[0] > 0 {
			pool.Forget(page)
			continue
		}
		pool.Put(page)
	}
}
