//go:build go1.25

package lockfree_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin/internal/lockfree"
)

// all returns the places that Next finds from i on.
func all(b *lockfree.Bitset, i uint) (found []uint) {
	for place, ok := b.Next(i); ok; place, ok = b.Next(place + 1) {
		found = append(found, place)
	}
	return found
}

func empty() bool { return true }

var sizes = []int{1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 62500, 1<<18 + 1}

func TestEverythingAtFirst(t *testing.T) {
	for _, n := range sizes {
		b := lockfree.NewBitset(n)
		found := all(b, 0)
		if len(found) != n {
			t.Fatalf("%d places: Next finds %d", n, len(found))
		}
		for i, place := range found {
			if place != uint(i) {
				t.Fatalf("%d places: the %d-th that Next finds is %d", n, i, place)
			}
		}
		if place, ok := b.Next(uint(n)); ok {
			t.Fatalf("%d places: Next finds %d beyond them", n, place)
		}
		if place, ok := b.Next(^uint(0)); ok {
			t.Fatalf("%d places: Next of the largest number finds %d", n, place)
		}
	}
}

// TestOneOfMany empties all places but one, at many positions.
func TestOneOfMany(t *testing.T) {
	for _, n := range sizes {
		b := lockfree.NewBitset(n)
		for i := range uint(n) {
			b.Clear(i, empty)
		}
		if found := all(b, 0); found != nil {
			t.Fatalf("%d places, all empty: Next finds %d", n, found)
		}
		for _, place := range []uint{0, 1, 62, 63, 64, 4095, 4096, uint(n) / 2, uint(n) - 1} {
			if place >= uint(n) {
				continue
			}
			b.Set(place)
			for _, from := range []uint{0, place / 2, place} {
				if got, ok := b.Next(from); !ok || got != place {
					t.Fatalf("%d places, all empty but %d: Next(%d) = %d, %t", n, place, from, got, ok)
				}
			}
			if got, ok := b.Next(place + 1); ok {
				t.Fatalf("%d places, all empty but %d: Next(%d) = %d", n, place, place+1, got)
			}
			b.Clear(place, func() bool { return false })
			if got, ok := b.Next(0); !ok || got != place {
				t.Fatalf("%d places, %d got something while it was cleared: Next = %d, %t", n, place, got, ok)
			}
			b.Clear(place, empty)
		}
	}
}

// TestBitsetAgainstAMap compares Bitset with a plain set, over random operations.
func TestBitsetAgainstAMap(t *testing.T) {
	for _, n := range sizes[:10] {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		b := lockfree.NewBitset(n)
		has := make([]bool, n)
		for i := range has {
			has[i] = true
		}
		for range 20_000 {
			i := r.IntN(n)
			if has[i] = r.IntN(20) == 0; has[i] {
				b.Set(uint(i))
			} else {
				b.Clear(uint(i), empty)
			}
			from := r.IntN(n)
			want := from
			for want < n && !has[want] {
				want++
			}
			got, ok := b.Next(uint(from))
			if ok != (want < n) || ok && got != uint(want) {
				t.Fatalf("%d places: Next(%d) = %d, %t, want %d", n, from, got, ok, want)
			}
		}
	}
}

// TestNobodyWithTheLockMisses: many goroutines put tokens into places and take them, so few that
// most places are empty most of the time. A goroutine that has put a token and then searches with
// the lock, while nobody takes any, must find one.
func TestNobodyWithTheLockMisses(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, n := range []int{3, 64 + 1, 64*64 + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var (
				b      = lockfree.NewBitset(n)
				tokens = make([]atomic.Int32, n)
				lock   sync.Mutex
				wg     sync.WaitGroup
			)
			take := func(i uint) bool {
				for {
					switch k := tokens[i].Load(); {
					case k == 0:
						return false
					case tokens[i].CompareAndSwap(k, k-1):
						return true
					}
				}
			}
			search := func() bool {
				for i, ok := b.Next(0); ok; i, ok = b.Next(i + 1) {
					if take(i) {
						return true
					}
					b.Clear(i, func() bool { return tokens[i].Load() == 0 })
				}
				return false
			}
			const workers, rounds = 4, 20_000
			for w := range workers {
				wg.Go(func() {
					// Each worker between its Put and its search has put one token, and as many
					// will be taken. So each search must find a token, in any place.
					r := rand.New(rand.NewPCG(uint64(w), 7))
					for range rounds {
						i := uint(r.IntN(n))
						tokens[i].Add(1)
						b.Set(i)
						lock.Lock()
						found := search()
						lock.Unlock()
						if !found {
							t.Error("a token has been put, and nobody finds one")
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
