//go:build go1.25

package basin

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/caller"
	"github.com/basin-go/basin/internal/quota"
	"github.com/basin-go/basin/internal/sizeclass"
)

// An outsideSet records outstanding slices that Put could not tell from foreign ones: slices larger
// than MaxSize under a limit, and buffers that a FixedPool has made because none was idle. They are few,
// and each is a new allocation, so a record for each is cheap enough. Foreign slices and slices that were
// already put have no record. If a slice is never put, its record ends when its array is collected.
type outsideSet struct {
	of      *ledger // nil in a FixedPool, which counts its buffers otherwise
	mu      sync.Mutex
	some    atomic.Int64             // length of slices
	slices  map[uintptr]outsideSlice // by address, which does not keep the array alive
	serial  uint64                   // of the latest slice
	counted Amount                   // outstanding slices of a ledger
	lost    Amount                   // such slices that died without a Put
	lostAt  map[loss]uint64          // number of lost slices of any size
}

type outsideSlice struct {
	at      uintptr
	size    int
	serial  uint64
	cleanup runtime.Cleanup

	site   caller.Site        // of its Get, if there is a ledger
	payer  *quota.Account     // likewise; nil for the quota of the pool
	exempt bool               // as for exempted
	object weak.Pointer[byte] // likewise; see ledgerOf
}

// add records the array of the given size at x, which must be new and on Go's heap. If the array dies without a
// Put, lost is called with its payer and size, unless lost is nil. lost must not refer to the array.
func (s *outsideSet) add(x *byte, size int, payer *quota.Account, lost func(payer *quota.Account, size int)) {
	a := uintptr(unsafe.Pointer(x))
	var site caller.Site
	var object weak.Pointer[byte]
	if s.of != nil {
		site, object = caller.Here(), weak.Make(x)
	}
	s.mu.Lock()
	s.serial++
	serial := s.serial
	s.mu.Unlock()
	cleanup := runtime.AddCleanup(x, func(serial uint64) {
		if s.died(a, serial) && lost != nil {
			lost(payer, size)
		}
	}, serial)
	s.mu.Lock()
	before, found := s.slices[a] // an array that died here, and whose cleanup is yet to run
	if s.slices == nil {
		s.slices = make(map[uintptr]outsideSlice)
	}
	s.slices[a] = outsideSlice{at: a, size: size, serial: serial, cleanup: cleanup, site: site, payer: payer, object: object}
	s.some.Store(int64(len(s.slices)))
	if found {
		s.bury(before)
	}
	if s.of != nil {
		s.counted.add(size, 1)
		ledgerOf.add(x, object, s.of, outsideClass)
	}
	s.mu.Unlock()
	if found && lost != nil {
		lost(before.payer, before.size)
	}
	runtime.KeepAlive(x)
}

// died removes the record of the array that was at a, and reports whether there was one: whether it had not been
// put.
func (s *outsideSet) died(a uintptr, serial uint64) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.serial != serial {
		return false
	}
	delete(s.slices, a)
	s.some.Store(int64(len(s.slices)))
	s.bury(r)
	return true
}

// bury counts a slice that died without a Put. The caller must hold the lock.
func (s *outsideSet) bury(r outsideSlice) {
	if s.of != nil {
		ledgerOf.died(r.at, r.object)
		s.counted.add(r.size, -1)
		s.lost.add(r.size, 1)
		s.loseLocked(loss{r.site, r.exempt})
	}
}

// loseAt counts a lost slice of a place.
func (s *outsideSet) loseAt(at loss) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseLocked(at)
}

// loseLocked is loseAt. The caller must hold the lock.
func (s *outsideSet) loseLocked(at loss) {
	if s.lostAt == nil {
		s.lostAt = make(map[loss]uint64)
	}
	s.lostAt[at]++
}

// remove removes the record of the array of the given size at x. It reports whether there was a record, and
// returns the payer of the array.
func (s *outsideSet) remove(x *byte, size int) (payer *quota.Account, found bool) {
	a := uintptr(unsafe.Pointer(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.size != size {
		return nil, false
	}
	r.cleanup.Stop()
	delete(s.slices, a)
	s.some.Store(int64(len(s.slices)))
	if s.of != nil {
		ledgerOf.remove(a, s.of, outsideClass)
		s.counted.add(size, -1)
	}
	return r.payer, true
}

// exempt sets whether the slice at x need not be put back.
func (s *outsideSet) exempt(x *byte, exempt bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.slices[uintptr(unsafe.Pointer(x))]; ok {
		r.exempt = exempt
		s.slices[r.at] = r
	}
}

// has reports whether a slice at address a has a record.
func (s *outsideSet) has(a uintptr) bool {
	if s.some.Load() == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.slices[a]
	return ok
}

// outstanding returns the size and the place of the slice at x, and whether it is outstanding.
func (s *outsideSet) outstanding(x *byte) (size int, at caller.Site, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[uintptr(unsafe.Pointer(x))]
	return r.size, r.site, ok
}

// lostLines returns the source lines that took lost slices of any size.
func (s *outsideSet) lostLines() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lostLines(s.lostAt)
}

// amounts returns the counted amounts: outstanding, and lost.
func (s *outsideSet) amounts() (counted, lost Amount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted, s.lost
}

// chargeUnit is the unit to which capacities of slices larger than MaxSize are rounded up.
const chargeUnit = sizeclass.Min
