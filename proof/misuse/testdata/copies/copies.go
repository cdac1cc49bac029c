//go:build go1.25

// Package copies copies pools and a Buffer. TestVetReportsCopies expects go vet to report each copy.
package copies

import "github.com/basin-go/basin"

func Pool(p *basin.Pool[int]) basin.Pool[int] { return *p }

func FixedPool(p *basin.FixedPool) { _ = *p; q := *p; _ = q.Stats() }

func BytePool(p basin.BytePool) { _ = p.Stats() }

func BufferPool(p *basin.BufferPool) { q := *p; _ = q.Stats() }

func StdBufferPool(p *basin.StdBufferPool) { q := *p; _ = q.Stats() }

func Buffer(b *basin.Buffer) int {
	c := *b
	return c.Len()
}
