// Package doubleput defines an analyzer that finds memory that is put twice.
//
// # Analyzer doubleput
//
// doubleput: find memory that is put twice
//
// A pool that gets the same memory twice hands it to two users, who overwrite each
// other's data. A double Put in resty sent the bodies of requests to other servers
// (CVE-2023-45286). A usual form is a Put on an error path beside a deferred one:
//
//	b := basin.Get(512)
//	defer basin.Put(b)
//	if err := read(b); err != nil {
//		basin.Put(b) // the deferred Put puts b once more
//		return err
//	}
package doubleput

import (
	_ "embed"
	"fmt"
	"go/token"
	"sync"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pooled"
	"github.com/basin-go/basin/vet/staledefer"
)

//go:embed doubleput.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("doubleput", findings.Doc(source, "doubleput"), find)

func find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	stale := sync.OnceValue(func() map[token.Pos]bool {
		at := map[token.Pos]bool{}
		for _, f := range staledefer.Find(r) {
			at[f.Pos] = true
		}
		return at
	})
	for _, h := range r.Hits {
		f, at := findings.Finding{}, h.At
		switch {
		case h.Kind == paths.HandlerPut:
			at = h.Put
			f.Message = "double Put: the framework puts this context, too, when the handler returns; remove this Put"
		case h.Kind != paths.DoublePut:
			continue
		case h.Later && !h.Defer && !h.Grow: // the earlier Put is the mistake
			at = h.Put
			f.Message = fmt.Sprintf("double Put: the deferred %s puts %s once more; remove this Put", r.Text(h.At), r.Subject(h.At))
			if h.Some || pooled.Hidden(h.Inner, h.Callee) { // this is a call, and the Put is somewhere within
				f.Message = fmt.Sprintf("double Put: %s puts %s, and the deferred %s puts it once more", r.Within(h.Inner, h.Callee), r.Subject(h.At), r.Text(h.At))
			}
			if h.Forget {
				f.Message = fmt.Sprintf("double Put: the deferred %s puts %s, which this call gives up, to its users", r.Text(h.At), r.Subject(h.At))
			}
			f.Related = append(r.Related(h.Get, "acquired here"), r.Related(h.At, "put again here when the function returns")...)
			f.Related = append(f.Related, r.Related(h.Inner, "put within the call here")...)
		default:
			f.Message = "double Put: " + r.Earlier(h)
			if pooled.Hidden(h.Again, h.By) {
				f.Message += ", and " + r.Within(h.Again, h.By) + " puts it once more"
			}
			f.Related = append(r.Story(h, "put here"), r.Related(h.Inner, "put within that call here")...)
			f.Related = append(f.Related, r.Related(h.Again, "put again within this call here")...)
		}
		f.Pos, f.End = r.Start(at)
		if h.Later && h.Grow && stale()[f.Pos] {
			continue // staledefer reports it, with a fix
		}
		found = append(found, f)
	}
	return append(found, closedTwice(r)...)
}

// closedTwice finds readers whose Read puts memory at the end of the data, and whose Close, which comes next, puts it again.
func closedTwice(r *pooled.Result) (found []findings.Finding) {
	for _, c := range r.Closers() {
		if c.Read == nil {
			continue
		}
		f := findings.Finding{Message: fmt.Sprintf("double Put: %s in Read puts %s, and Close puts it once more", r.Text(c.Read.Pos()), r.Subject(c.Read.Pos()))}
		f.Pos, f.End = r.Start(c.Read.Pos())
		f.Related = r.Related(c.Put.At(), "put again here")
		found = append(found, f)
	}
	return found
}
