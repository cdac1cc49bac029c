//go:build go1.25

package misuse

import (
	"context"

	"github.com/basin-go/basin"
)

// A slice of a view is the pool's: it goes back once.
func viewBug(r *basin.Reservation, p *basin.BytePool) {
	b := r.Pool(p).Get(1 << 10)
	r.Pool(p).Put(b)
	p.Put(b) // want: double Put
}

func viewFixed(r *basin.Reservation, p *basin.BytePool) {
	b := r.Pool(p).Get(1 << 10)
	p.Put(b)
}

func init() {
	limit := &basin.Limit{Max: 1 << 20}
	p := &basin.BytePool{Name: "viewed", Limit: limit}
	run := func(f func(*basin.Reservation, *basin.BytePool)) func() {
		return func() {
			r, err := limit.Acquire(context.Background(), 64<<10)
			if err != nil {
				panic(err)
			}
			defer r.Release()
			f(r, p)
		}
	}
	add("double_put_view", run(viewBug), run(viewFixed))
}
