//go:build go1.25

package basin

import (
	"runtime"
	"sync"
	"unsafe"
)

// An outsideSet records outstanding slices that Put could not tell from foreign ones: slices larger
// than MaxSize under a ceiling, and slices made for lack of room. They are few, and each is a new
// allocation, so a record for each is cheap enough. Foreign slices and slices that were already put
// have no record. If a slice is never put, its record ends when its array is collected.
type outsideSet struct {
	mu      sync.Mutex
	slices  map[uintptr]outsideSlice // by address, which does not keep the array alive
	serial  uint64                   // of the latest slice
	counted Amount                   // outstanding slices that count towards MaxInUse
	lost    Amount                   // counted slices that died without a Put
}

type outsideSlice struct {
	size    int
	counted bool // towards MaxInUse
	serial  uint64
	cleanup runtime.Cleanup
}

// add records the array of the given size at x, which must be new and on Go's heap. If the array is
// counted and dies without a Put, lost is called with its size. lost must not refer to the array.
func (s *outsideSet) add(x *byte, size int, counted bool, lost func(size int)) {
	a := uintptr(unsafe.Pointer(x))
	s.mu.Lock()
	s.serial++
	serial := s.serial
	s.mu.Unlock()
	cleanup := runtime.AddCleanup(x, func(serial uint64) {
		if s.died(a, serial) {
			lost(size)
		}
	}, serial)
	s.mu.Lock()
	before, found := s.slices[a] // the array has died; its cleanup is yet to run
	if s.slices == nil {
		s.slices = make(map[uintptr]outsideSlice)
	}
	s.slices[a] = outsideSlice{size, counted, serial, cleanup}
	if counted {
		s.counted.add(size, 1)
	}
	again := found && s.bury(before)
	s.mu.Unlock()
	if again {
		lost(before.size)
	}
	runtime.KeepAlive(x)
}

// died removes the record of the array that was at a, unless it has been put. It reports whether
// the array was counted.
func (s *outsideSet) died(a uintptr, serial uint64) (lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.serial != serial {
		return false
	}
	delete(s.slices, a)
	return s.bury(r)
}

// bury counts a slice that died without a Put and reports whether it is lost. The caller must hold
// the lock.
func (s *outsideSet) bury(r outsideSlice) (lost bool) {
	if r.counted {
		s.counted.add(r.size, -1)
		s.lost.add(r.size, 1)
	}
	return r.counted
}

// uncounted reports whether the array of the given size at x has a record and is not counted.
func (s *outsideSet) uncounted(x *byte, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[uintptr(unsafe.Pointer(x))]
	return ok && r.size == size && !r.counted
}

// remove removes the record of the array of the given size at x. It reports whether there was a
// record, and whether the array was counted.
func (s *outsideSet) remove(x *byte, size int) (found, counted bool) {
	a := uintptr(unsafe.Pointer(x))
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.slices[a]
	if !ok || r.size != size {
		return false, false
	}
	r.cleanup.Stop()
	delete(s.slices, a)
	if r.counted {
		s.counted.add(size, -1)
	}
	return true, r.counted
}

// amounts returns the counted amounts: outstanding, and lost.
func (s *outsideSet) amounts() (counted, lost Amount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted, s.lost
}

// add adds items of the given size.
func (a *Amount) add(size int, items int64) {
	a.Items += items
	a.Bytes += items * int64(size)
}
