//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// message strips the length that a message begins with.
func messageBug() {
	b := basin.Get(1 << 10)
	b = b[4:]
	basin.Put(b) // want: interior Put
}

func messageFixed() {
	b := basin.Get(1 << 10)
	payload := b[4:]
	_ = payload
	basin.Put(b)
}

func init() { add("interior_put", messageBug, messageFixed) }
