// Package neverput defines analyzers that look at each pool of a package as a whole, and find pools that lose memory
// whatever path a program takes.
//
// # Analyzer neverput
//
// neverput: find pools that nothing is ever put into, and fields that are put and never set
//
// Each Get of a pool without Puts allocates. A Put of a field that no code sets, but to
// nil, puts nothing, and the memory that was meant is lost:
//
//	func (c *conn) close() {
//		pool.Put(c.buf) // the reader has it in c.r, and c.buf is nil
//	}
//
// # Analyzer poolflow
//
// poolflow: find memory lost in a channel, pools replaced while they are in use, and a Close that puts again
//
// Receivers of a channel may leave memory to the collector. A program may see to it
// that nobody uses a pool that it replaces, or closes a reader twice. So this check runs only if it is named, or with -all.
package neverput

import (
	_ "embed"
	"fmt"
	"go/token"

	"github.com/basin-go/basin/vet/internal/findings"
	"github.com/basin-go/basin/vet/internal/pooled"
)

//go:embed neverput.go
var source string

// Analyzer is the check for certain mistakes.
var Analyzer = findings.NewCheck("neverput", findings.Doc(source, "neverput"), find)

// Flow is the check for patterns that may be intended.
var Flow = findings.NewCheck("poolflow", findings.Doc(source, "poolflow"), findFlow)

func init() { Flow.URL = Analyzer.URL } // the package has the documentation of both

func find(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, p := range r.Pools() {
		if !p.NeverPut() || r.InTest(p.Var.Pos()) || !r.Complete(p.Var) {
			continue
		}
		f := findings.Finding{Pos: p.Var.Pos(), End: p.Var.Pos() + token.Pos(len(p.Var.Name())),
			Message: fmt.Sprintf("never put: nothing is put into %s, so each Get allocates", p.Var.Name())}
		f.Related = r.Related(p.Gets[0].Call.Pos(), "memory is taken here")
		found = append(found, f)
	}
	puts, fields := r.NeverSet()
	for i, c := range puts {
		if r.InTest(c.Pos()) || !r.Complete(fields[i]) {
			continue
		}
		f := findings.Finding{Message: fmt.Sprintf("never set: no code sets the field %s, so this Put never puts any memory", fields[i].Name()),
			Related: r.Related(fields[i].Pos(), "the field")}
		f.Pos, f.End = r.Start(c.Pos())
		found = append(found, f)
	}
	return found
}

func findFlow(r *pooled.Result) []findings.Finding {
	var found []findings.Finding
	for _, p := range r.Pools() {
		for _, s := range p.Overwritten() {
			if r.InTest(s.Pos()) {
				continue
			}
			f := findings.Finding{Related: r.Related(p.Gets[0].Call.Pos(), "memory is taken here"),
				Message: fmt.Sprintf("pool replaced: memory that is in use now goes to the new %s, and calls of Get and Put race with this assignment", p.Var.Name())}
			f.Pos, f.End = r.Start(s.Pos())
			found = append(found, f)
			break // one report for each pool
		}
	}
	for _, c := range r.Closers() {
		if c.Read != nil {
			continue // doubleput reports it
		}
		f := findings.Finding{Message: fmt.Sprintf("closed twice: a second call of Close puts %s once more", r.Subject(c.Put.At()))}
		f.Pos, f.End = r.Start(c.Put.At())
		found = append(found, f)
	}
	for _, pos := range r.LostInChannel() {
		if r.InTest(pos) {
			continue
		}
		f := findings.Finding{Message: "never put: no receiver of this channel puts the memory that is sent here"}
		f.Pos, f.End = r.Start(pos)
		found = append(found, f)
	}
	return found
}
