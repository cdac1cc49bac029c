package basin

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/record"
	"github.com/basin-go/basin/internal/registry"
)

// pools are all pools that have been used and are not garbage yet. Package
// basinexport reads them.
var pools registry.List[Stats]

func init() { registry.Publish(&pools) }

// register makes p, of the given kind, one of the pools and sets its id. Fill fills
// in its statistics, and trim releases what it retains; neither may refer to p.
func register[P any](p *P, id *atomic.Uint64, kind string, fill func(*P, *Stats), trim func(*P)) {
	check.Begun()
	registry.Add(&pools, p, id, func(p *P, id uint64, s *Stats) {
		*s = newStats(id, kind, s.Classes[:0])
		fill(p, s)
	}, trim)
}

func init() {
	check.OnSwitch(func(on bool) { pools.Each(func(p any) { setChecked(p, on) }) })
	record.OnSwitch(func(checked bool) {
		pools.Each(func(p any) {
			if p, ok := p.(*BytePool); ok {
				p.setChecked(checked)
			}
		})
	})
}

// setChecked makes p, which is a pool or the engine of one, leave its fast path, or
// if nothing is checked, take it.
func setChecked(p any, on bool) {
	switch p := p.(type) {
	case interface{ setChecked(bool) }:
		p.setChecked(on)
	case interface{ Hide(bool) }:
		p.Hide(on)
	}
}

// startChecked calls register at the first use of p, and from then on p is switched
// with the checks. It returns the ID of the tracker that is on, or 0.
func startChecked(p any, register func()) (bornUnder uint64) {
	check.Hold(func(t *check.Tracker) {
		register()
		setChecked(p, t != nil)
		bornUnder = check.IDOf(t)
	})
	return bornUnder
}
