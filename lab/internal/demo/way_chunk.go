package demo

import (
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// firstChunk suffices for nine in ten files of Go's source.
const firstChunk = 20 << 10

// fixedChunk is basin without the learning of ReadAll: it reads a body into a slice that always
// has the same size at first, and doubles.
var fixedChunk = way{name: "fixed first chunk", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := readGrowing(body, firstChunk, basin.Get)
	if err != nil {
		return err
	}
	defer basin.Put(in)
	return sendRewritten(w, in, basin.Get, basin.Put)
}}
