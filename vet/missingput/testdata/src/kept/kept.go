// Package kept forgets slices, and uses them afterwards, which is right.
package kept

import (
	"io"
	"strings"
	"unsafe"

	"github.com/basin-go/basin"
)

var bounded = &basin.BytePool{MaxInUse: 1 << 20}

var last []byte

// rows returns strings that point into a page, which stays with them.
func legalForgotten(text string) []string {
	page := bounded.Get(len(text))
	copy(page, text)
	rows := strings.Split(unsafe.String(&page[0], len(page)), ",")
	bounded.Forget(page)
	return rows
}

func legalForgottenOnOnePath(r io.Reader, keep func([]byte) bool) error {
	page := bounded.Get(4096)
	if _, err := r.Read(page); err != nil {
		bounded.Put(page)
		return err
	}
	if keep(page) {
		bounded.Forget(page)
		return nil
	}
	bounded.Put(page)
	return nil
}

func legalForgottenByOther(r io.Reader) error {
	page := bounded.Get(4096)
	_, err := r.Read(page)
	forget(page)
	return err
}

func forget(b []byte) { bounded.Forget(b) }

func legalDeferredForget(r io.Reader) error {
	page := bounded.Get(4096)
	defer bounded.Forget(page)
	_, err := r.Read(page)
	return err
}

func legalUse(r io.Reader) (int, error) {
	page := bounded.Get(4096)
	n, err := r.Read(page)
	bounded.Forget(page)
	last = page
	page[0]++
	return n + len(page), err
}

func legalPart(r io.Reader) ([]byte, error) {
	page := bounded.Get(4096)
	defer bounded.Forget(page)
	n, err := r.Read(page)
	return page[:n], err
}
