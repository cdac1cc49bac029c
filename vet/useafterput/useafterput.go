// Package useafterput defines an analyzer that finds memory that is used after Put.
//
// # Analyzer useafterput
//
// useafterput: find memory that is used after Put
//
// After Put the pool may hand the memory to another goroutine at once. A later
// use then reads or overwrites the data of that goroutine:
//
//	basin.Put(b)
//	log.Printf("read %q", b)
package useafterput

import (
	_ "embed"
	"fmt"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed useafterput.go
var source string

// Analyzer is the check.
var Analyzer = findings.NewCheck("useafterput", findings.Doc(source, "useafterput"), find)

func find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, h := range r.Hits {
		f := findings.Finding{}
		switch h.Kind {
		case paths.UseAfterPut:
			f.Message = "use after Put: " + r.Earlier(h)
		case paths.SentAfterPut:
			f.Message = "sent after Put: " + r.Earlier(h)
		case paths.GoAfterPut:
			f.Message = "given to a goroutine after Put: " + r.Earlier(h)
		case paths.StaleView:
			f.Message = fmt.Sprintf("use after growth: %s may have moved the memory that this slice points into", r.Text(h.Put))
			f.Related = r.Story(h, "written to here")
		default:
			continue
		}
		if f.Related == nil {
			f.Related = r.Story(h, "put here")
		}
		f.Pos, f.End = r.Start(h.At)
		found = append(found, f)
	}
	return found
}
