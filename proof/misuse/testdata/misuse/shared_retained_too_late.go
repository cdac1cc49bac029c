//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// The receiver of a message retains it, which is too late.
func lateBug() {
	m := basin.Default().NewShared(basin.Get(100))
	ch := make(chan *basin.Shared, 1)
	ch <- m
	m.Release()
	(<-ch).Retain().Release() // want: use after release
}

func lateFixed() {
	m := basin.Default().NewShared(basin.Get(100))
	ch := make(chan *basin.Shared, 1)
	ch <- m.Retain()
	m.Release()
	(<-ch).Release()
}

func init() { add("shared_retained_too_late", lateBug, lateFixed) }
