package bench

import (
	"context"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/basin-go/basin"
)

// BenchmarkCeiling compares a ceiling with room to what one puts around a pool
// that has none.
func BenchmarkCeiling(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ceiling := basin.NewBytePool(basin.Config{MaxInUse: 1 << 30})
	plain := basin.NewBytePool(basin.Config{})
	sem := semaphore.NewWeighted(1 << 30)
	compare(b, func(n int) {
		for range n {
			buf, err := ceiling.GetContext(ctx, 4096)
			if err != nil {
				b.Fatal(err)
			}
			ceiling.Put(buf)
		}
	}, func(n int) {
		for range n {
			if err := sem.Acquire(ctx, 4096); err != nil {
				b.Fatal(err)
			}
			buf := plain.Get(4096)
			plain.Put(buf)
			sem.Release(4096)
		}
	})
}
