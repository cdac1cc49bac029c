//go:build go1.25

package basin

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/weaklist"
)

// pools lists all pools that have been used and are not garbage yet. Package basinexport reads it.
var pools weaklist.List[Stats]

func init() { weaklist.Publish(&pools) }

// register adds p to pools and sets its id. read overwrites a Stats with those of p, whose ID it
// gets, and may reuse its Classes. trim releases p's idle memory. Neither may refer to p.
func register[P any](p *P, id *atomic.Uint64, read func(*P, uint64, *Stats), trim func(*P)) {
	check.Begun()
	weaklist.Add(&pools, p, id, read, trim)
}

func init() {
	check.OnSwitch(func(on bool) { pools.Each(func(p any) { setChecked(p, on) }) })
	recorder.OnSwitch(func(checked bool) {
		pools.Each(func(p any) {
			if p, ok := p.(*BytePool); ok {
				p.setChecked(checked)
			}
		})
	})
}

// setChecked turns the fast path of p off or on. p is a pool, or the engine of one.
func setChecked(p any, on bool) {
	switch p := p.(type) {
	case interface{ setChecked(bool) }:
		p.setChecked(on)
	case interface{ Hide(bool) }:
		p.Hide(on)
	}
}

// startChecked calls register at the first use of p and sets the fast path of p to match the
// checks, which cannot change meanwhile. It returns the ID of the current tracker, or 0.
func startChecked(p any, register func()) (bornUnder uint64) {
	check.Hold(func(t *check.Tracker) {
		register()
		setChecked(p, t != nil)
		bornUnder = check.IDOf(t)
	})
	return bornUnder
}
