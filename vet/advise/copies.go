package advise

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Memory that grows in a function, and that the function returns, can grow in memory of a pool all the same: the caller
// gets a copy, which has the size that is needed.

// findCopies notes the results by which the memory of a site leaves, or another place where it does, if it leaves there
// alone and a copy can take its place.
func (s *source) findCopies(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.loop || a.fate.way == stays || len(site.Sizes) < 2 || len(a.owners) > 0 {
		return // of one size, it does not grow
	}
	if a.visit != nil {
		a.copies = a.visit.results
		return
	}
	var root ssa.Value
	switch a.kind {
	case kindBuffer, kindAppend:
		root = a.joins
	case kindReadAll:
		root, _ = a.instr.(ssa.Value)
	}
	if root == nil || a.kind == kindBuffer && s.growsOnce(site, root) {
		return
	}
	if a.fate.ways == 1<<isReturned {
		s.findResults(a, root)
	}
	if len(a.copies) == 0 {
		s.findExit(a, root)
	}
	if !a.each && len(a.copies) > 0 {
		a.knownEnd = "" // its capacity might be too large, so a copy is better
	}
}

// atOnce are functions that write to a Buffer or a Builder once. It then makes one array, of the right size.
var atOnce = map[string]bool{"encoding/json.(*Encoder).Encode": true, "bytes.(*Buffer).Write": true, "bytes.(*Buffer).WriteString": true,
	"strings.(*Builder).Write": true, "strings.(*Builder).WriteString": true,
	"bytes.(*Reader).WriteTo": true, "strings.(*Reader).WriteTo": true, "bytes.(*Buffer).WriteTo": true,
	"fmt.Fprint": true, "fmt.Fprintf": true, "fmt.Fprintln": true, "io.WriteString": true, "encoding/binary.Write": true}

// growsOnce reports whether one call makes all memory of a Buffer at once, so that a copy would be as large.
func (s *source) growsOnce(site *Site, buffer ssa.Value) bool {
	if !atOnce[site.Calls] || len(site.Lines) > 1 {
		return false
	}
	calls := map[ssa.Instruction]bool{}
	for v := range s.tracer.trailOf(buffer).seen {
		for _, r := range *v.Referrers() {
			if call, ok := r.(*ssa.Call); ok && isCallOf(&call.Call, site.Calls) {
				if calls[call] = true; inLoop(call) {
					return false
				}
			}
		}
	}
	return len(calls) == 1
}

// findWritten notes that one write makes all memory of a Builder.
func (s *source) findWritten(site *Site) {
	if a := site.found; a != nil && site.kind == kindBuilder && a.joins != nil {
		a.wholeWrite = s.growsOnce(site, a.joins)
	}
}

// growsIn reports whether memory grows in its function, among these values, and in no other Buffer.
func (a *allocation) growsIn(all map[ssa.Value]bool) bool {
	switch a.kind {
	case kindAppend:
		return growsAgain(all) // or it is made at once in its size
	case kindBuffer:
		for v := range all {
			if _, ok := v.(*ssa.Phi); ok {
				return false // it may be another's
			}
		}
	}
	return true
}

// findResults notes the results that can be copies.
func (s *source) findResults(a *allocation, root ssa.Value) {
	all := s.tracer.trailOf(root)
	if !a.growsIn(all.seen) {
		return
	}
	for _, ret := range a.fate.returns {
		copies := s.copiesAt(ret, a.kind, all)
		if copies == nil {
			a.copies = nil
			return
		}
		a.copies = append(a.copies, copies...)
	}
}

// findExit notes the place where a copy can leave. Its function then does the same with the memory, but for that.
func (s *source) findExit(a *allocation, root ssa.Value) {
	e, rest := s.exitOf(root, a.grown)
	if e == nil || !a.growsIn(rest.seen) || a.kind == kindBuffer && !isBytesOf(e.expr) {
		return
	}
	f := rest.fate
	f.way, f.ways, f.where, f.field = a.fate.way, a.fate.ways, a.fate.where, a.fate.field
	a.fate, a.exit, a.copies = f, e, []ast.Expr{e.expr}
}

// copiesAt returns the result of a return statement that is the memory, or none if a copy cannot take its place. Copies of two results
// would not share memory.
func (s *source) copiesAt(ret *ssa.Return, k kind, all *trail) (copies []ast.Expr) {
	results := s.resultsAt(ret)
	if len(results) != len(ret.Results) {
		return nil
	}
	for i, v := range ret.Results {
		if !all.seen[v] {
			continue
		}
		e := s.unconverted(results[i])
		if len(copies) > 0 || !all.isSlice(v) || k == kindBuffer && !isBytesOf(e) || s.isUsedBehind(e, ret, all.seen) {
			return nil
		}
		copies = append(copies, e)
	}
	return copies
}

// growsAgain reports whether a slice, of which these are the values, may be extended more than once.
func growsAgain(all map[ssa.Value]bool) bool {
	n := 0
	for v := range all {
		if call, ok := v.(*ssa.Call); ok && extended(call) != nil {
			if n++; n > 1 || inLoop(call) {
				return true
			}
		}
	}
	return false
}

// resultsAt returns the expressions of a return statement.
func (s *source) resultsAt(ret *ssa.Return) []ast.Expr {
	if stmt := s.returnAt(ret); stmt != nil {
		return stmt.Results
	}
	return nil
}

// isBytesOf reports whether an expression calls the method Bytes of a variable.
func isBytesOf(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Bytes" {
		return false
	}
	_, ok = sel.X.(*ast.Ident)
	return ok
}

// copyResults has the function return copies of the memory.
func (m *mend) copyResults() error {
	if len(m.a.copies) == 0 {
		return nil
	}
	if m.a.kind == kindBuffer {
		empty := "append([]byte(nil), " // as before if nothing was written
		if m.neverNil() {
			empty = "append([]byte{}, "
		} else if !m.leavesNil(m.a.copies[0]) {
			return refusal("its bytes may be nil or empty, and a Buffer of a pool does not tell which")
		}
		for _, e := range m.a.copies {
			m.replace(e.Pos(), e.Pos(), empty)
			m.replace(e.End(), e.End(), "...)")
		}
		return nil
	}
	if m.clone != "" {
		for _, e := range m.a.copies {
			m.replace(e.Pos(), e.Pos(), m.clone)
			m.replace(e.End(), e.End(), "...)")
		}
		return nil
	}
	if err := m.needs("slices"); err != nil {
		return err
	}
	for _, e := range m.a.copies {
		m.replace(e.Pos(), e.Pos(), "slices.Clone(")
		m.replace(e.End(), e.End(), ")")
	}
	return nil
}

// leavesNil reports whether the Bytes of a Buffer are nil whenever they are empty: it begins without memory, and is only
// written to.
func (m *mend) leavesNil(result ast.Expr) bool {
	info := m.file.pkg.TypesInfo
	id := ast.Unparen(result).(*ast.CallExpr).Fun.(*ast.SelectorExpr).X.(*ast.Ident)
	v := info.Uses[id]
	if _, ok := m.a.instr.(*ssa.Alloc); !ok || v == nil {
		return false // made by NewBuffer
	}
	w := &writeOnly{source: m.source, seen: map[types.Object]bool{}}
	return w.isWritten(m.file, v)
}

// neverNil reports whether the results of the Buffer are slices of memory even if they are empty: it begins with memory, or
// surely reads from somewhere first, for which it makes some.
func (m *mend) neverNil() bool {
	made := m.a.instr.(ssa.Value)
	if call, ok := made.(*ssa.Call); ok {
		switch begin := call.Call.Args[0].(type) {
		case *ssa.MakeSlice:
			return true
		case *ssa.Slice:
			_, ok := begin.X.(*ssa.Alloc) // an array
			if ok {
				return true
			}
		}
	}
	reads := readsOf(made)
	results := m.a.leaving()
	for _, v := range results {
		call, ok := unwrap(v).(*ssa.Call)
		if !ok || !isCalled(call, "bytes.(*Buffer).Bytes") {
			continue
		}
		if !slices.ContainsFunc(reads, func(r *ssa.Call) bool { return runsBefore(r, call) }) {
			return false
		}
	}
	return len(results) > 0
}

// leaving returns the values among which the memory leaves.
func (a *allocation) leaving() (all []ssa.Value) {
	if a.exit != nil {
		return []ssa.Value{a.exit.value}
	}
	for _, ret := range a.fate.returns {
		all = append(all, ret.Results...)
	}
	return all
}

// readsOf returns the calls that have a Buffer make memory, even if there is nothing to read.
func readsOf(buffer ssa.Value) (reads []*ssa.Call) {
	for _, r := range *buffer.Referrers() {
		switch r := r.(type) {
		case *ssa.MakeInterface:
			for _, use := range *r.Referrers() {
				if call, ok := use.(*ssa.Call); ok && readsInto(call) && call.Call.Args[0] == ssa.Value(r) {
					reads = append(reads, call)
				}
			}
		case *ssa.Call:
			if isCalled(r, "bytes.(*Buffer).ReadFrom") && r.Call.Args[0] == buffer {
				reads = append(reads, r)
			}
		}
	}
	return reads
}

// readsInto reports whether a call surely has a Buffer, its first argument, read from the second: io.Copy does so if that
// cannot write itself.
func readsInto(call *ssa.Call) bool {
	if isCalled(call, "io.CopyN") {
		return true
	}
	if !isCalled(call, "io.Copy") {
		return false
	}
	from, ok := call.Call.Args[1].(*ssa.MakeInterface)
	if !ok {
		return false
	}
	m, _, _ := types.LookupFieldOrMethod(from.X.Type(), true, nil, "WriteTo")
	return m == nil
}
