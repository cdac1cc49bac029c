//go:build go1.25

package correct

import (
	"bytes"
	"context"
	"sync"

	"github.com/basin-go/basin"
)

func init() {
	fixed := &basin.FixedPool{Count: 4, Size: 100}
	cleared := &basin.FixedPool{Count: 2, Size: 100}
	cleared.Zero = true
	add("fixed buffer", func() { b := fixed.Get(); b[99]++; fixed.Put(b) })
	add("fixed buffer shortened", func() { b := fixed.Get(); fixed.Put(b[:3:5]) })
	add("fixed buffers, one too many", func() {
		var all [][]byte
		for range 5 {
			all = append(all, fixed.Get())
		}
		for _, b := range all {
			fixed.Put(b)
		}
		must(fixed.Stats().Items.Idle == 4)
	})
	add("fixed buffers that are zero", func() {
		b := cleared.Get()
		must(bytes.Equal(b, make([]byte, 100)))
		b[7] = 1
		cleared.Put(b)
	})
	add("fixed buffers that are waited for", func() {
		var wg sync.WaitGroup
		for range 12 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				b, err := fixed.GetContext(context.Background())
				must(err == nil)
				b[0] = 1
				fixed.Put(b)
			}()
		}
		wg.Wait()
		must(fixed.Stats().Items.Idle == 4)
	})
	add("a FixedPool that is dropped", func() {
		p := &basin.FixedPool{Count: 3, Size: 64}
		p.Put(p.Get())
		p.Get()
	})
	add("fixed buffers of one byte", func() { p := &basin.FixedPool{Count: 10, Size: 1}; b := p.Get(); b[0]++; p.Put(b); p.Put(nil) })
}
