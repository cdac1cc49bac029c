//go:build go1.25

package lockfree

import "testing"

// TestSetFinishesWhatAnotherBegan: two goroutines put something into one place. The first has set
// the place's bit, but not yet those above, when the second one finishes and must find the place.
func TestSetFinishesWhatAnotherBegan(t *testing.T) {
	const n = 64*64*64 + 1
	for level := range 4 {
		b := NewBitset(n)
		for i := range uint(n) {
			b.Clear(i, func() bool { return true })
		}
		i := uint(n / 2)
		for l, words := range b.levels[:level] {
			words[i>>(wordLog*(l+1))].Store(1 << (i >> (wordLog * l) & (wordBits - 1)))
		}
		b.Set(n / 2)
		if got, ok := b.Next(0); !ok || got != n/2 {
			t.Errorf("the first has set %d levels: Next = %d, %t, want %d", level, got, ok, n/2)
		}
	}
}
