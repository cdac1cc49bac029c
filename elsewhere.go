//go:build go1.25

package basin

import (
	"runtime"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/sizeclass"
)

// This file looks for a ledger's arrays in pools of the kinds that may have them idle: see strays.go. It is
// apart, because it stands above all these kinds.

func init() { lookElsewhere = lookIntoAll }

// lookIntoAll takes idle arrays of l out of all other pools, and reports whether there was one.
func lookIntoAll(l *ledger) (found bool) {
	var others []any
	pools.Each(func(p any) {
		switch p := p.(type) {
		case *BytePool:
			if p.ledger != l {
				others = append(others, p)
			}
		case *BufferPool:
			others = append(others, p)
		}
	})
	for _, p := range others {
		var name string
		var strays []misuse.Finding
		allowed := false // default pools accept each other's slices
		add := func(x *byte, size int) {
			if acquired, ok := l.free(x, size); ok {
				strays = append(strays, misuse.Finding{Size: size, Acquired: acquired})
			}
		}
		switch p := p.(type) {
		case *BytePool:
			name = p.Name
			allowed = l.accepts(p.checkOwner.Load())
			sizes := p.sizes
			for _, r := range p.engine.Retrieve(p.ledger != nil, func(c uint, x *byte) bool { return l.owns(x, sizes.Size(int(c))) }) {
				add(r.Item, sizes.Size(int(r.Class)))
				runtime.KeepAlive(r.Item)
			}
		case *BufferPool:
			// Its storage may be an idle array of the pool that its Buffers grow through: see newBase.
			name = p.Name
			for _, r := range p.engine.Retrieve(true, func(c uint, b *Buffer) bool {
				return b != nil && l.owns(unsafe.SliceData(b.buf), sizeclass.All.Size(int(c)))
			}) {
				add(unsafe.SliceData(r.Item.buf), sizeclass.All.Size(int(r.Class)))
				runtime.KeepAlive(r.Item)
			}
		}
		found = found || len(strays) > 0
		if !allowed {
			l.tell(name, strays...)
		}
	}
	return found
}
