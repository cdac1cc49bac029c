// Package useafterput finds memory that is used after it has been put.
package useafterput

import (
	"fmt"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find memory that is used after Put

After Put the pool may hand the memory to another goroutine at once. Whoever
goes on using it reads and overwrites what belongs to somebody else.`

// Analyzer is the check.
var Analyzer = pooled.NewCheck("useafterput", doc, find)

func find(r *pooled.Result) []pooled.Finding {
	var found []pooled.Finding
	for _, h := range r.Hits {
		f := pooled.Finding{Pos: h.At}
		put := r.Text(h.Put)
		if h.Callee != "" {
			put += ", which puts it"
		}
		switch h.Kind {
		case pooled.UseAfterPut, pooled.GoAfterPut, pooled.SentAfterPut:
			if h.Grow {
				f.Message = fmt.Sprintf("this uses what %s may have recycled: the memory may be another's by now; use the result instead", put)
			} else {
				f.Message = fmt.Sprintf("this uses memory after %s: another goroutine may have it by now; put it after the last use", put)
			}
			f.Related = r.Related(h.Put, "put here")
		case pooled.StaleView:
			f.Message = fmt.Sprintf("this uses what Bytes returned before %s, which may have recycled it; call Bytes afterwards", put)
			f.Related = r.Related(h.Put, "written to here")
		default:
			continue
		}
		if h.Get.IsValid() {
			f.Related = append(r.Related(h.Get, "got here"), f.Related...)
		}
		f.Pos, f.End = r.Start(f.Pos)
		found = append(found, f)
	}
	return found
}
