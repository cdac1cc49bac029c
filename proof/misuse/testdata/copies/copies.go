//go:build go1.25

// Package copies copies pools, a Buffer and a Scope. TestVetReportsCopies expects go vet to report each copy.
package copies

import (
	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
)

func Pool(p *basin.Pool[int]) basin.Pool[int] { return *p }

func FixedPool(p *basin.FixedPool) { _ = *p; q := *p; _ = q.Stats() }

func BytePool(p basin.BytePool) { _ = p.Stats() }

func BufferPool(p *basin.BufferPool) { q := *p; _ = q.Stats() }

func StdBufferPool(p *basin.StdBufferPool) { q := *p; _ = q.Stats() }

func Buffer(b *basin.Buffer) int {
	c := *b
	return c.Len()
}

func Scope(s *basinscope.Scope) []byte { c := *s; return c.Get(1) }
