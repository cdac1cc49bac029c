//go:build go1.25

package misuse

import (
	"io"
	"strings"

	"github.com/basin-go/basin"
)

// readHeader gives its buffer back only if reading has worked.
func readHeaderBug(r io.Reader) error {
	b := basin.Get(16) // want: leak
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}

func readHeaderFixed(r io.Reader) error {
	b := basin.Get(16)
	defer basin.Put(b)
	_, err := io.ReadFull(r, b)
	return err
}

func init() {
	add("leak_error_path",
		func() { readHeaderBug(strings.NewReader("short")) },
		func() { readHeaderFixed(strings.NewReader("short")) })
}
