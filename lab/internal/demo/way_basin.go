package demo

import (
	"io"
	"net/http"

	"github.com/basin-go/basin"
)

// pooled keeps bodies in slices from basin.
var pooled = way{name: "basin", forward: forwardBasin}

func forwardBasin(w http.ResponseWriter, body io.Reader) error {
	in, err := basin.ReadAll(body)
	if err != nil {
		return err
	}
	defer basin.Put(in)
	out := AppendRewritten(basin.Get(RewrittenLen(in))[:0], in)
	defer basin.Put(out)
	return Send(w, out)
}
