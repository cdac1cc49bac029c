//go:build go1.25

package basin

import (
	"sync"
	"sync/atomic"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/recorder"
	"github.com/basin-go/basin/internal/weaklist"
)

// A base is the part that all kinds of pools share: their first use and their identity.
//
// A sync.Once would not serve for the first use: after a panic, the next use must panic again.
type base struct {
	mu   sync.Mutex
	done atomic.Pointer[settings] // set by the first use

	id         atomic.Uint64               // set by register
	checkOwner atomic.Pointer[check.Owner] // see owner
}

// A settable is a pool of any kind, for its base.
type settable interface {
	// complete reads the exported fields and returns the settings, or an error that names a field.
	complete() (settings, error)

	// begin prepares the pool with the given settings.
	begin(*settings)
}

// Validate returns an error that names the first field of a pool that is out of range or contradicts
// another field, or nil. The first use of the pool would panic with that error. pool is a pointer to
// a pool of any kind.
func Validate(pool settable) error {
	_, err := pool.complete()
	return err
}

// ready returns the settings of p, whose base is b, and prepares p if needed. It panics if the
// settings contradict each other.
func (b *base) ready(p settable) *settings {
	if s := b.done.Load(); s != nil {
		return s
	}
	return b.prepare(p)
}

func (b *base) prepare(p settable) *settings {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.done.Load(); s != nil {
		return s
	}
	s := shared(b.settings(p))
	p.begin(s)
	b.done.Store(s)
	return s
}

// settings returns the settings of p without preparing p. It panics if they contradict each other.
func (b *base) settings(p settable) settings {
	if s := b.done.Load(); s != nil {
		return *s
	}
	s, err := p.complete()
	if err != nil {
		panic(err.Error())
	}
	return s
}

// owner returns the identity in check records of the pool with the given name.
func (b *base) owner(name string) *check.Owner { return check.OwnerIn(&b.checkOwner, name) }

// stats overwrites s with the statistics that all kinds of pools have, and returns the settings of
// p. It keeps the array of s.Classes. id is passed because register sets b.id after it has listed p.
func (b *base) stats(p settable, kind string, id uint64, s *Stats) settings {
	config := b.settings(p)
	*s = newStats(id, kind, s.Classes[:0])
	s.Name = config.name
	s.Misuse = basincheck.Counts(b.checkOwner.Load().Counts())
	return config
}

// pools lists all pools that have been used and are not garbage yet. Package basinexport reads it.
var pools weaklist.List[Stats]

func init() {
	weaklist.Publish(&pools)
	follow := func(checked bool) { pools.Each(func(p any) { setChecked(p, checked) }) }
	check.OnSwitch(follow)
	recorder.OnSwitch(follow)
}

// register adds p to pools and sets its id. read overwrites a Stats with those of p, whose ID it
// gets, and may reuse its Classes. trim releases p's idle memory. Neither may refer to p.
func register[P any](p *P, id *atomic.Uint64, read func(*P, uint64, *Stats), trim func(*P)) {
	check.Begun()
	weaklist.Add(&pools, p, id, read, trim)
}

// setChecked tells p, which is a pool or the engine of one, whether anything is checked. The
// caller must hold the lock of checks.
func setChecked(p any, checked bool) {
	switch p := p.(type) {
	case interface{ setChecked(bool) }:
		p.setChecked(checked)
	case interface{ Hide(bool) }:
		p.Hide(checked)
	}
}

// startChecked calls register at the first use of p and tells p whether anything is checked, which
// cannot change meanwhile. It returns the ID of the current tracker, or 0.
func startChecked(p any, register func()) (bornUnder uint64) {
	check.Hold(func(t *check.Tracker) {
		register()
		setChecked(p, t != nil)
		bornUnder = check.IDOf(t)
	})
	return bornUnder
}
