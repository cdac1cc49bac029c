//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// Under a ceiling, other requests are refused until the collector finds the leak.
func ceilingBug(p *basin.BytePool, cancelled bool) {
	b, ok := p.TryGet(1 << 10) // want: leak
	if !ok || cancelled {
		return
	}
	p.Put(b)
}

func ceilingFixed(p *basin.BytePool, cancelled bool) {
	b, ok := p.TryGet(1 << 10)
	if !ok {
		return
	}
	defer p.Put(b)
}

func init() {
	limited := &basin.BytePool{Name: "limited", MaxInUse: 1 << 20}
	add("leak_under_ceiling", func() { ceilingBug(limited, true) }, func() { ceilingFixed(limited, true) })
}
