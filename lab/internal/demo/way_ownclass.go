package demo

import (
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

var exactPool = basin.BytePool{Name: "own class", MaxFit: 1}

// ownClass is basin without best fit: each request gets a slice of its own size class.
var ownClass = way{name: "own class only", forward: func(w http.ResponseWriter, body io.Reader) error {
	in, err := exactPool.ReadAll(body)
	if err != nil {
		return err
	}
	defer exactPool.Put(in)
	return sendRewritten(w, in, exactPool.Get, exactPool.Put)
}}
