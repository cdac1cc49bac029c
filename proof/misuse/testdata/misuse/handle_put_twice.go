//go:build go1.25

package misuse

import (
	"encoding/json"

	"github.com/basin-go/basin"
)

// marshal gives its handle back when it fails, and in any case.
func marshalBug(v any) {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		basin.PutBuffer(b)
	}
} // want: double Put

func marshalFixed(v any) {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	json.NewEncoder(b).Encode(v)
}

func init() {
	unsupported := make(chan int)
	add("handle_put_twice", func() { marshalBug(unsupported) }, func() { marshalFixed(unsupported) })
}
