// Package pages has lists whose elements a method puts.
package pages

import (
	"fmt"
	"sync"
)

type page struct{ b [4096]byte }

var pool = sync.Pool{New: func() any { return new(page) }}

type batch struct{ pages []*page }

func (b *batch) grow() *page {
	p := pool.Get().(*page)
	b.pages = append(b.pages, p)
	return p
}

func (b *batch) unref() {
	for _, p := range b.pages {
		pool.Put(p)
	}
}

func (b *batch) legalUnref() {
	for _, p := range b.pages {
		pool.Put(p)
	}
	b.pages = b.pages[:0]
}

func (b *batch) fill(src func([]byte) (int, error)) error {
	p := b.grow()
	if _, err := src(p.b[:]); err != nil {
		b.unref()
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

func (b *batch) legalFill(src func([]byte) (int, error)) error {
	p := b.grow()
	if _, err := src(p.b[:]); err != nil {
		b.legalUnref()
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

func produce(src func([]byte) (int, error), sink func(*batch) error) error {
	b := new(batch)
	defer b.unref()
	if err := b.fill(src); err != nil { // want `double Put: pool.Put\(p\) in fill puts b, and the deferred b.unref\(\) puts it once more`
		return err
	}
	return sink(b)
}

func legalProduce(src func([]byte) (int, error), sink func(*batch) error) error {
	b := new(batch)
	defer b.legalUnref()
	if err := b.legalFill(src); err != nil {
		return err
	}
	return sink(b)
}

// The list has other pages when it is put again.
func legalRefilled(src func([]byte) (int, error)) error {
	b := new(batch)
	defer b.unref()
	for range 3 {
		b.pages = nil
		if _, err := src(b.grow().b[:]); err != nil {
			return err
		}
	}
	return nil
}

func legalReplaced(b *batch) {
	b.unref()
	for i := range b.pages {
		b.pages[i] = pool.Get().(*page)
	}
	b.unref()
}

func legalAppended(b *batch) byte {
	b.unref()
	b.pages = append(b.pages[:0], pool.Get().(*page))
	return b.pages[0].b[0]
}

func legalCopied(b *batch, others []*page) byte {
	b.unref()
	copy(b.pages, others)
	return b.pages[0].b[0]
}
