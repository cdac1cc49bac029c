//go:build go1.25

package lockfree

import (
	"math/rand/v2"
	"sync"
	"testing"
)

type place struct {
	address uintptr
	tag     uint
}

// TestAddressSet compares an AddressSet with a map, while it grows and shrinks.
func TestAddressSet(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s AddressSet[Word]
		want := make(map[place]int)
		latest := make([]Word, 20_000)
		note := make(map[place]*Word)
		random := func() place { return place{uintptr(1+r.IntN(250)) * 64, uint(r.IntN(2)) * (Tags - 1)} }
		for step := range 20_000 {
			a := random()
			grows := step/2000%2 == 0
			if r.IntN(10) < 7 == grows {
				s.Add(a.address, a.tag, &latest[step])
				want[a]++
				note[a] = &latest[step]
			} else {
				if got := s.Remove(a.address, a.tag); got != (want[a] > 0) {
					t.Fatalf("seed %d, step %d: Remove(%v) is %t, added %d times", seed, step, a, got, want[a])
				}
				want[a] = max(0, want[a]-1)
			}
			if a = random(); want[a] > 0 && s.Find(a.address, a.tag) != note[a] {
				t.Fatalf("seed %d, step %d: Find(%v) does not return the latest note", seed, step, a)
			}
			if s.Has(a.address, a.tag) != (want[a] > 0) {
				t.Fatalf("seed %d, step %d: Has(%v) is %t, added %d times", seed, step, a, s.Has(a.address, a.tag), want[a])
			}
		}
		for a, n := range want {
			for range n {
				s.Remove(a.address, a.tag)
			}
			if s.Has(a.address, a.tag) {
				t.Fatalf("seed %d: %v is there after it was removed %d times", seed, a, n)
			}
		}
		if n := len(s.table.Load().entries); s.live != 0 || n != minLen {
			t.Errorf("seed %d: empty, but %d live in %d entries", seed, s.live, n)
		}
	}
}

// TestAddressSetIsStable: lookups find an address in the set, whatever others add and remove.
func TestAddressSetIsStable(t *testing.T) {
	var s AddressSet[Word]
	s.Remove(64, 0)
	if s.Has(64, 0) {
		t.Error("an empty AddressSet has something")
	}
	for a := range uintptr(50) {
		s.Add(64*(a+1), 1, new(Word))
	}
	done := make(chan struct{})
	var users sync.WaitGroup
	for range 2 {
		users.Go(func() {
			for {
				for a := range uintptr(50) {
					if !s.Has(64*(a+1), 1) {
						t.Errorf("%d is gone", a)
						return
					}
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 20 {
		for a := range uintptr(2000) {
			s.Add(64*(a+1000), 2, new(Word))
		}
		for a := range uintptr(2000) {
			s.Remove(64*(a+1000), 2)
		}
	}
	close(done)
	users.Wait()
}
