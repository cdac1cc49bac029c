package demo

import (
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// attribution has further ways, which show where time goes. Each differs from basin or discard
// in one thing; the difference in rate is the cost of that thing.
var attribution = []way{exactLength, powersOfTwo, ownClass, fixedChunk, ballast}

// sendRewritten sends the rewritten body, in a slice from make.
func sendRewritten(w http.ResponseWriter, in []byte, make func(int) []byte, put func([]byte)) error {
	out := AppendRewritten(make(RewrittenLen(in))[:0], in)
	defer put(out)
	return Send(w, out)
}

// exactLength is basin, but gets a slice of the body's length, known in advance.
var exactLength = way{name: "exact length", forward: func(w http.ResponseWriter, body io.Reader) error {
	size := int64(-1)
	if b, ok := body.(sized); ok {
		size = b.length
	}
	in, err := basin.Default().ReadAllSize(body, size)
	if err != nil {
		return err
	}
	defer basin.Put(in)
	return sendRewritten(w, in, basin.Get, basin.Put)
}}

// A sized body has the length that the upstream announced.
type sized struct {
	io.Reader
	length int64
}
