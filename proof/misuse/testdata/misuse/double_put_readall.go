//go:build go1.25

package misuse

import (
	"strings"

	"github.com/basin-go/basin"
)

// handle passes a body to a log function, which puts it.
func handleBug(log func([]byte)) {
	body, err := basin.ReadAll(strings.NewReader("a body of a request"))
	if err != nil {
		return
	}
	log(body)
	basin.Put(body) // want: double Put
}

func handleFixed(log func([]byte)) {
	body, err := basin.ReadAll(strings.NewReader("a body of a request"))
	if err != nil {
		return
	}
	log(body)
}

// logAndPut owns the body that it logs.
func logAndPut(body []byte) { basin.Put(body) }

func init() {
	add("double_put_readall", func() { handleBug(logAndPut) }, func() { handleFixed(logAndPut) })
}
