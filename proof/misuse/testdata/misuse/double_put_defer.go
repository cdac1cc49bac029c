//go:build go1.25

package misuse

import (
	"errors"

	"github.com/basin-go/basin"
)

// respond encodes an answer, and gives the buffer back early if it is not needed.
func deferredBug(ok bool) error {
	b := basin.Get(512)
	defer basin.Put(b)
	if !ok {
		basin.Put(b)
		return errors.New("no answer") // want: double Put
	}
	return nil
}

func deferredFixed(ok bool) error {
	b := basin.Get(512)
	defer basin.Put(b)
	if !ok {
		return errors.New("no answer")
	}
	return nil
}

func init() { add("double_put_defer", func() { deferredBug(false) }, func() { deferredFixed(false) }) }
