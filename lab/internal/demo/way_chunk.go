package demo

import (
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// firstChunk is enough for nine in ten files of Go's source.
const firstChunk = 20 << 10

// fixedChunk is basin without what ReadAll learns: a body is read into a slice of always
// the same size, which doubles.
var fixedChunk = way{name: "fixed first chunk", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := readGrowing(body, firstChunk, basin.Get)
	if err != nil {
		return err
	}
	defer basin.Put(in)
	return sendRewritten(w, in, basin.Get, basin.Put)
}}
