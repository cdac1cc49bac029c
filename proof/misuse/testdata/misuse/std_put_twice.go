//go:build go1.25

package misuse

import (
	"encoding/json"

	"github.com/basin-go/basin"
)

var indents basin.StdBufferPool

// indent gives its buffer back as soon as it has been sent, and at the end.
func indentBug(src string, send func([]byte)) {
	b := indents.Get()
	defer indents.Put(b)
	if json.Indent(b, []byte(src), "", "\t") == nil {
		send(b.Bytes())
		indents.Put(b)
	}
} // want: double Put

func indentFixed(src string, send func([]byte)) {
	b := indents.Get()
	defer indents.Put(b)
	if json.Indent(b, []byte(src), "", "\t") == nil {
		send(b.Bytes())
	}
}

func init() {
	send := func([]byte) {}
	add("std_put_twice", func() { indentBug("{}", send) }, func() { indentFixed("{}", send) })
}
