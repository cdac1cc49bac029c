package advise

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A map is often made where less would do: one that a loop fills could have its size from the beginning, and one with keys that the
// source names, which is only encoded, could be a struct.

// noteMap notes how the map of a line could be made with less memory, if the line has one only.
func (s *source) noteMap(a *allocation, site *Site, instrs []ssa.Instruction) {
	made := mapOf(a)
	if made == nil || slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool { return isOfOtherMap(instr, made) }) {
		return
	}
	if set := fillsMap(made); a.kind != kindMap && set != nil { // a pool has large ones
		a.filledMap, a.fillsMap = made, set
		a.lessMap = " It is made without a size, and each round of a loop over another map sets an element: made with the length of that, it need not grow."
		return
	}
	if hint := s.sizeHintText(a, made, site); hint != "" {
		a.lessMap = hint
		return
	}
	keys := map[string]bool{}
	if encoded := s.isOnlyEncoded(made, keys, 2); encoded && len(keys) >= fewKeys {
		a.lessMap = fmt.Sprintf(" The source names its %d keys, and it is only encoded: a struct with tags of these names needs no map, and its values no boxes. An encoder sorts the keys of a map, but takes the fields of a struct as they are declared.", len(keys))
	}
}

// isOfOtherMap reports whether an instruction makes another map, or lets one grow.
func isOfOtherMap(instr ssa.Instruction, made *ssa.MakeMap) bool {
	switch instr := instr.(type) {
	case *ssa.MakeMap:
		return instr != made
	case *ssa.MapUpdate:
		return settled(instr.Map) != ssa.Value(made)
	}
	return false
}

// fewKeys are enough for a struct in place of a map.
const fewKeys = 3

// mapOf returns the instruction that makes the map of an allocation, or nil.
func mapOf(a *allocation) *ssa.MakeMap {
	if a.other != "a map" && a.kind != kindMap {
		return nil
	}
	switch instr := a.instr.(type) {
	case *ssa.MakeMap:
		return instr
	case *ssa.MapUpdate:
		made, _ := settled(instr.Map).(*ssa.MakeMap)
		return made
	}
	return nil
}

// fillsMap returns the instruction by which each round of a loop over another map sets an element of a map that is made without a size, or
// nil. Elements of a slice may be alike, so that its length is more than the map needs.
func fillsMap(made *ssa.MakeMap) *ssa.MapUpdate {
	if made.Reserve != nil && !isZero(made.Reserve) {
		return nil
	}
	for _, r := range *made.Referrers() {
		set, ok := r.(*ssa.MapUpdate)
		if !ok || set.Map != ssa.Value(made) {
			continue
		}
		head := loopOf(set.Block())
		if head != nil && made.Block() != head && made.Block().Dominates(head) && !reaches(head, head, set.Block()) && isRangeOfMap(head) {
			return set // and no loop is around, which would lead back to the head
		}
	}
	return nil
}

// isRangeOfMap reports whether a block begins the rounds of a loop that ranges over a map.
func isRangeOfMap(head *ssa.BasicBlock) bool {
	branch, ok := lastOf(head).(*ssa.If)
	if !ok {
		return false
	}
	more, ok := branch.Cond.(*ssa.Extract)
	if !ok {
		return false
	}
	next, ok := more.Tuple.(*ssa.Next)
	return ok && !next.IsString
}

// isOnlyEncoded reports whether a map gets elements by constant keys only, which it notes, and then goes to an encoder of JSON alone. Its
// function may return it, if callers do the same.
func (s *source) isOnlyEncoded(v ssa.Value, keys map[string]bool, depth int) bool {
	encoded := false
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.MapUpdate:
			key, ok := r.Key.(*ssa.Const)
			if !ok || r.Map != v || key.Value == nil || key.Value.Kind() != constant.String {
				return false
			}
			keys[constant.StringVal(key.Value)] = true
		case *ssa.MakeInterface:
			call, ok := onlyUse(r).(*ssa.Call)
			if !ok || !slices.ContainsFunc(encoders, func(name string) bool { return isCalled(call, name) }) {
				return false
			}
			encoded = true
		case *ssa.Return:
			if depth == 0 || !s.isEncodedByCallers(r, v, keys, depth-1) {
				return false
			}
			encoded = true
		default:
			return false
		}
	}
	return encoded
}

// encoders are functions that encode a value, and do nothing else with it.
var encoders = []string{"encoding/json.Marshal", "encoding/json.MarshalIndent", "encoding/json.(*Encoder).Encode"}

// isEncodedByCallers reports whether all callers of a function are known, and do so with its only result.
func (s *source) isEncodedByCallers(r *ssa.Return, v ssa.Value, keys map[string]bool, depth int) bool {
	fn := r.Parent()
	calls := s.tracer.calls[fn]
	if len(r.Results) != 1 || r.Results[0] != v || len(calls) == 0 || !s.tracer.closed(fn) {
		return false
	}
	if _, face := fn.Signature.Results().At(0).Type().Underlying().(*types.Interface); face {
		return false
	}
	return !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		return c.Value() == nil || !s.isOnlyEncoded(c.Value(), keys, depth)
	})
}

// lessMapText says how a map could be made with less memory, where the verdict is another one than that it is a map.
func (s *Site) lessMapText() string {
	if s.found != nil && s.found.kind == kindMap && (s.Verdict == PoolIt || s.Verdict == TooSmall) {
		return s.found.lessMap
	}
	return ""
}

// judgeFilledMap judges a map that a loop over another one fills.
func (s *Site) judgeFilledMap(a *allocation) {
	s.Kind = a.other
	s.say(Preallocate, "It is made without a size, and each round of a loop over another map sets an element: make it with the length of that, so that it need not grow.")
}

// presized has such a map be made with the length of the other one. It must be made right before the loop: nothing can change the other
// map between.
func (m *mend) presized() error {
	const apart = refusal("it is not made right before the loop")
	made := m.a.filledMap
	if err := m.knowsWords(made.Pos()); err != nil {
		return err
	}
	path, _ := astutil.PathEnclosingInterval(m.file.File, made.Pos(), made.Pos())
	for i, n := range path {
		if i+1 == len(path) || !isList(path[i+1]) {
			continue
		}
		list := rewrite.Statements(path[i+1])
		at := slices.Index(list, n.(ast.Stmt))
		if at < 0 || at+1 == len(list) {
			return apart
		}
		loop, ok := list[at+1].(*ast.RangeStmt)
		value, of := m.mapIn(n)
		switch {
		case !ok || value == nil || m.a.fillsMap.Pos() < loop.Pos() || loop.End() < m.a.fillsMap.Pos():
			return apart
		case !isPath(loop.X) || mentionsName(loop.X, of.Name):
			return refusal("its loop ranges over an expression that is no variable: give it one")
		}
		if _, isMap := m.file.pkg.TypesInfo.TypeOf(loop.X).Underlying().(*types.Map); !isMap {
			return apart
		}
		m.replace(value.Pos(), value.End(), "make("+m.textOfEmpty(value)+", len("+m.text(loop.X)+"))")
		return nil
	}
	return errUnreadable
}

// mapIn returns the expression of an empty map to which a statement sets a variable alone, and the variable, or nil.
func (m *mend) mapIn(n ast.Node) (value ast.Expr, of *ast.Ident) {
	of, value = m.setAlone(n)
	switch e := ast.Unparen(value).(type) {
	case *ast.CompositeLit:
		if of != nil && len(e.Elts) == 0 && e.Type != nil {
			return e, of
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); of != nil && ok && id.Name == "make" && m.file.pkg.TypesInfo.Types[id].IsBuiltin() && len(e.Args) == 1 {
			return e, of
		}
	}
	return nil, nil
}
