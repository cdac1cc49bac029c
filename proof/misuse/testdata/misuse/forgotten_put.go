//go:build go1.25

package misuse

import (
	"strings"
	"unsafe"

	"github.com/basin-go/basin"
)

var rowPages basin.BytePool

// rows returns strings that point into a page, which therefore must not be put.
func rowsBug(text string) []string {
	page := rowPages.Append(nil, []byte(text)...)
	rows := strings.Split(unsafe.String(&page[0], len(page)), " ")
	rowPages.Forget(page)
	if len(rows) > 1 {
		rowPages.Put(page) // want: double Put
	}
	return rows
}

func rowsFixed(text string) []string {
	page := rowPages.Append(nil, []byte(text)...)
	rows := strings.Split(unsafe.String(&page[0], len(page)), " ")
	rowPages.Forget(page)
	return rows
}

func init() {
	add("forgotten_put", func() { rowsBug("of one page") }, func() { rowsFixed("of one page") })
}
