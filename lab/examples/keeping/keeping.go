// Package keeping reads data that the program keeps for long.
package keeping

import (
	"bytes"
	"io"
	"strings"
	"unsafe"

	"github.com/basin-go/basin"
)

var pages = basin.BytePool{Name: "pages"}

// Body returns all of r in memory of exactly that length, for a cache.
func Body(r io.Reader) ([]byte, error) {
	data, err := pages.ReadAll(r)
	if err != nil {
		return nil, err
	}
	defer pages.Put(data)
	return bytes.Clone(data), nil
}

// Rows returns the lines of r, which has size bytes. They all point into one page.
func Rows(r io.Reader, size int64) ([]string, error) {
	page, err := pages.ReadAllSize(r, size)
	if err != nil {
		return nil, err
	}
	pages.Forget(page) // lives as long as any of the rows
	return strings.Split(unsafe.String(unsafe.SliceData(page), len(page)), "\n"), nil
}
