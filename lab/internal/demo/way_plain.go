package demo

import (
	"io"
	"net/http"
)

// plain allocates every body and lets the garbage collector free it.
var plain = way{name: "plain", forward: forwardPlain}

func forwardPlain(w http.ResponseWriter, body io.Reader) error {
	in, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	out := make([]byte, 0, RewrittenLen(in))
	return Send(w, AppendRewritten(out, in))
}
