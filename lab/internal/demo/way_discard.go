package demo

import (
	"io"
	"net/http"
)

// discard is the lower bound: it fetches and answers like the others, but never holds a whole
// body in memory.
var discard = way{name: "discard", forward: forwardDiscard, fixedReply: string(discardReply)}

var discardReply = []byte("discarded\n")

func forwardDiscard(w http.ResponseWriter, body io.Reader) error {
	if _, err := io.Copy(io.Discard, body); err != nil {
		return err
	}
	return Send(w, discardReply)
}
