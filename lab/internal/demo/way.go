package demo

import (
	"io"
	"net/http"
	"strconv"
)

// A way is one technique for holding bodies in memory.
type way struct {
	name string
	// forward reads the upstream's body to its end and sends the rewritten body.
	forward func(w http.ResponseWriter, body io.Reader) error
	// fixedReply, if not empty, replaces every rewritten body.
	fixedReply string
}

var ways = []way{plain, syncPool, pooled, discard}

// Send answers with body. The caller may reuse body when Send returns.
func Send(w http.ResponseWriter, body []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}
