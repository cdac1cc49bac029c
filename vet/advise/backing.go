package advise

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Rows of a matrix that are small cost as many allocations as there are rows. One array for all of them costs one, wherever the matrix
// goes, if all rows have the same length.

// largestRow is the size from which rows are as well made one by one.
const largestRow = 1 << 10

// findRows notes whether a site makes the rows of a matrix, each of the same length, one in each round of a loop over its elements.
func (s *source) findRows(site *Site) {
	a := site.found
	if a == nil || a.fate == nil || a.kind != kindMake && a.kind != kindSlice || a.text() == "array" || a.text() == "slice literal" || !inLoop(a.instr) {
		return
	}
	row, ok := a.instr.(ssa.Value)
	if array, isArray := row.(*ssa.Alloc); isArray { // of a constant length
		if row = wholeOf(array); row == nil {
			return
		}
	} else if made, isMade := row.(*ssa.MakeSlice); !isMade || made.Len != made.Cap || !isSameEachRound(made.Len, made) {
		return
	}
	matrix := matrixWith(row)
	a.rows = ok && matrix != nil && s.isSetByEachRound(a.instr)
}

// matrixWith returns the slice of which a row becomes an element, if it is made before the row and not with it, or nil.
func matrixWith(row ssa.Value) *ssa.MakeSlice {
	for _, r := range *row.Referrers() {
		st, ok := r.(*ssa.Store)
		if !ok || st.Val != row {
			continue
		}
		at, ok := st.Addr.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		if matrix := madeSlice(at.X); matrix != nil && matrix.Block() != st.Block() && matrix.Block().Dominates(st.Block()) {
			return matrix
		}
	}
	return nil
}

// isSameEachRound reports whether a number does not change in the loop that makes a slice.
func isSameEachRound(n ssa.Value, made *ssa.MakeSlice) bool {
	switch v := n.(type) {
	case *ssa.Const, *ssa.Parameter:
		return true
	case *ssa.Convert:
		return isSameEachRound(v.X, made)
	case *ssa.BinOp:
		return isSameEachRound(v.X, made) && isSameEachRound(v.Y, made)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return isSameEachRound(v.Call.Args[0], made)
		}
	}
	instr, ok := n.(ssa.Instruction)
	return ok && !inLoop(instr)
}

// isSetByEachRound reports whether the statement that makes a row is one of the body of a loop, and sets the element of the round.
func (s *source) isSetByEachRound(instr ssa.Instruction) bool {
	f, _, path := s.callAt(instr)
	if len(path) < 3 {
		return false
	}
	set, ok := path[0].(*ast.AssignStmt)
	if _, body := path[1].(*ast.BlockStmt); !ok || !body || len(set.Lhs) != 1 {
		return false
	}
	element, ok := set.Lhs[0].(*ast.IndexExpr)
	if !ok {
		return false
	}
	index, ok := element.Index.(*ast.Ident)
	if !ok {
		return false
	}
	var counter ast.Expr
	switch loop := path[2].(type) {
	case *ast.RangeStmt:
		counter = loop.Key
	case *ast.ForStmt:
		if init, ok := loop.Init.(*ast.AssignStmt); ok && len(init.Lhs) == 1 {
			counter = init.Lhs[0]
		}
	}
	key, ok := counter.(*ast.Ident)
	return ok && f.pkg.TypesInfo.Uses[index] != nil && f.pkg.TypesInfo.Uses[index] == f.objectOf(key)
}

// objectOf returns the variable that a name declares or uses.
func (f *sourceFile) objectOf(id *ast.Ident) types.Object {
	if v := f.pkg.TypesInfo.Defs[id]; v != nil {
		return v
	}
	return f.pkg.TypesInfo.Uses[id]
}

// sharesArray reports whether one array for all rows is better than a pool.
func (s *Site) sharesArray(a *allocation) bool {
	size := s.pieceSize()
	return a.rows && (size < smallSize || size < largestRow && a.fate.way != stays)
}

// sayOneArray says how many allocations one array for all rows saves.
func (s *Site) sayOneArray(r *Report) {
	s.say(Preallocate, "Each round makes a row of the same length. Make one array for all rows before the loop, and cut it into rows: all[i*k:(i+1)*k:(i+1)*k]. That saves most of the %s allocations%s, but a row that is kept keeps all.",
		countText(s.Objects), ofTime(r))
}

// ofTime says for a count whether it is one of a second.
func ofTime(r *Report) string {
	if r.Seconds > 0 {
		return " a second"
	}
	return ""
}

// keepsBytes reports whether the advice on a site saves allocations, but no bytes.
func (s *Site) keepsBytes() bool { return s.Verdict == Preallocate && s.found != nil && s.found.rows }
