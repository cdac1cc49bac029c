//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// announce retains once for each receiver, and forgets its own reference.
func announceBug(receivers int) {
	var b basin.Buffer
	b.WriteString(part)
	s := basin.Default().NewShared(b.Detach()) // want: leak
	for range receivers {
		s.Retain()
		s.Release()
	}
}

func announceFixed(receivers int) {
	var b basin.Buffer
	b.WriteString(part)
	s := basin.Default().NewShared(b.Detach())
	defer s.Release()
	for range receivers {
		s.Retain()
		s.Release()
	}
}

func init() { add("leak_shared", func() { announceBug(3) }, func() { announceFixed(3) }) }
