//go:build go1.25

package misuse

import (
	"encoding/binary"

	"github.com/basin-go/basin"
)

// packet keeps a slice of its header, and fills in the length after the Put.
func packetBug() {
	b := basin.Get(1500)
	header := b[:8]
	basin.Put(b)                                 // want: write after Put
	binary.BigEndian.PutUint32(header[4:], 1500) // guard: faults
}

func packetFixed() {
	b := basin.Get(1500)
	header := b[:8]
	binary.BigEndian.PutUint32(header[4:], 1500)
	basin.Put(b)
}

func init() { add("write_after_put_alias", packetBug, packetFixed) }
