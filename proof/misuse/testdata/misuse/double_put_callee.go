//go:build go1.25

package misuse

import (
	"errors"

	"github.com/basin-go/basin"
)

var errShort = errors.New("short packet")

// parseBug puts the packet in any case. Its caller believes that parseBug puts
// only good packets.
func parseBug(packet []byte) error {
	if len(packet) < 20 {
		basin.Put(packet)
		return errShort
	}
	defer basin.Put(packet)
	return nil
}

func receiveBug() {
	packet := basin.Get(10)
	if err := parseBug(packet); err != nil {
		basin.Put(packet) // want: double Put
	}
}

func receiveFixed() {
	packet := basin.Get(10)
	parseBug(packet) // puts the packet, even if it fails
}

func init() { add("double_put_callee", receiveBug, receiveFixed) }
