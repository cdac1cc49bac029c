// Package aliasput defines an analyzer that finds aliases of pooled memory that outlive its Put.
//
// # Analyzer aliasput
//
// aliasput: find aliases of pooled memory that outlive its Put
//
// An alias points into memory of a pool: a slice, the result of buf.Bytes() or
// resp.Body(), a string made without a copy, or a reader. If it is returned,
// stored, sent or given to a goroutine although the memory is put, it shows the
// bytes of the next user:
//
//	buf := pool.Get().(*bytes.Buffer)
//	defer pool.Put(buf)
//	json.NewEncoder(buf).Encode(v)
//	return buf.Bytes() // memory of the next user
//
// Return a copy, or leave the Put to the receiver.
package aliasput

import (
	_ "embed"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed aliasput.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("aliasput", findings.Doc(source, "aliasput"), find)

func find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, h := range r.Hits {
		f := findings.Finding{}
		switch h.Kind {
		case paths.ReturnedAfterPut:
			f.Message = "returned after Put: the result points into " + r.Memory(h) + "; return a copy"
		case paths.StoredAfterPut:
			f.Message = "kept after Put: the stored value points into " + r.Memory(h) + "; store a copy"
		case paths.SharedAtPut:
			f.Message = "shared at Put: another goroutine may still use " + r.Memory(h) + "; leave the Put to that goroutine"
		case paths.GoInHandler:
			f.Message = "used after the handler: the framework reuses this context when the handler returns, and the goroutine still has it; give it a copy"
		default:
			continue
		}
		if h.Kind != paths.GoInHandler {
			f.Related = r.Story(h, "put here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	for _, m := range r.Remainders() {
		put := r.Text(m.Put.Pos())
		f := findings.Finding{Message: "kept after Put: this part of the list begins with " + r.Subject(m.Put.Pos()) + ", which " + put + " has put",
			Related: r.Related(m.Put.Pos(), "put here")}
		f.Pos, f.End = r.Start(m.List.Pos())
		found = append(found, f)
	}
	return found
}
