// Package doubleput finds memory that is put more than once.
package doubleput

import (
	"fmt"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find memory that is put twice

A pool that gets the same memory twice hands it to two users, who overwrite each
other's data: this is how bodies of requests were sent to other servers
(CVE-2023-45286).`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("doubleput", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		if h.Kind == pooled.HandlerPut {
			pos, end := r.Start(h.Put)
			found = append(found, pooled.Finding{Pos: pos, End: end, Message: "this puts what the framework that called the handler puts " +
				"when the handler returns: two users will get the same memory; leave the Put to the framework"})
			continue
		}
		if h.Kind != pooled.DoublePut {
			continue
		}
		f := pooled.Finding{Pos: h.At}
		put := r.Text(h.Put)
		if h.Callee != "" {
			put += ", which puts it"
		}
		switch {
		case h.Grow:
			f.Message = fmt.Sprintf("this puts what %s may have put: two users would get the same memory; put the result only", put)
			f.Related = r.Related(h.Put, "may be put here")
		case h.Later && !h.Defer: // it is this Put that should not be
			f.Pos = h.Put
			f.Message = fmt.Sprintf("this puts what the deferred %s puts again: two users will get the same memory; put it once", r.Text(h.At))
			f.Related = r.Related(h.At, "put again here when the function returns")
		default:
			f.Message = fmt.Sprintf("this puts again what has been put by %s: two users will get the same memory; put it once", put)
			f.Related = r.Related(h.Put, "put here")
		}
		if h.Get.IsValid() {
			f.Related = append(r.Related(h.Get, "got here"), f.Related...)
		}
		f.Pos, f.End = r.Start(f.Pos)
		found = append(found, f)
	}
	return found
}
