//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// stamp writes into a message that all have released.
func stampBug() {
	m := basin.Default().NewShared(basin.Get(100))
	data := m.Bytes()
	m.Release() // want: write after Put
	data[0] = 1
}

func stampFixed() {
	b := basin.Get(100)
	b[0] = 1
	m := basin.Default().NewShared(b)
	m.Release()
}

func init() { add("shared_written_after_release", stampBug, stampFixed) }
