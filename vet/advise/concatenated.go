package advise

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A string that each round of a loop extends is copied whole in each round. A strings.Builder copies the added text alone, but for a few
// times when it grows.

// findConcatenation notes how a loop could build the string that a site's line extends in each round.
func (s *source) findConcatenation(site *Site) {
	a := site.found
	if a == nil || a.kind != kindString || a.instr == nil {
		return
	}
	for _, b := range a.instr.Parent().Blocks {
		for _, instr := range b.Instrs {
			if sum, ok := instr.(*ssa.BinOp); ok && s.line(sum.Pos()) == int(site.Line) && extendsText(sum) {
				a.builds = "b.WriteString does so"
				if verb, ok := strings.CutPrefix(makerOf(sum.Y), "fmt.Sprint"); ok { // whatever a site of the line calls
					a.builds = "fmt.Fprint" + verb + "(&b, ...) does so"
				}
				return
			}
		}
	}
}

// makerOf returns the function whose result a value is, or nothing.
func makerOf(v ssa.Value) string {
	if call, ok := v.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
		return runtimeName(call.Call.StaticCallee())
	}
	return ""
}

// extendsText reports whether an addition extends the string of the round before, which the loop uses for nothing else but its length.
func extendsText(sum *ssa.BinOp) bool {
	if sum.Op != token.ADD || !isString(sum.Type()) || !inLoop(sum) {
		return false
	}
	texts, again := map[ssa.Value]bool{}, false
	var back func(v ssa.Value)
	back = func(v ssa.Value) {
		if texts[v] {
			again = again || v == sum
			return
		}
		instr, ok := v.(ssa.Instruction)
		if !ok || instr.Block() != sum.Block() && !(reaches(sum.Block(), instr.Block(), nil) && reaches(instr.Block(), sum.Block(), nil)) {
			return // it is of before the loop
		}
		switch v := v.(type) {
		case *ssa.BinOp:
			texts[v] = true
			back(v.X)
		case *ssa.Phi:
			texts[v] = true
			for _, e := range v.Edges {
				back(e)
			}
		}
	}
	back(sum)
	if !again {
		return false
	}
	for v := range texts {
		for _, r := range *v.Referrers() {
			within := r.Block() == sum.Block() || reaches(sum.Block(), r.Block(), nil) && reaches(r.Block(), sum.Block(), nil)
			if within && !extendsOrMeasures(r, v, texts) {
				return false
			}
		}
	}
	return true
}

// extendsOrMeasures reports whether an instruction does nothing with a text but extend it, or ask for its length.
func extendsOrMeasures(r ssa.Instruction, text ssa.Value, texts map[ssa.Value]bool) bool {
	switch r := r.(type) {
	case *ssa.Phi, *ssa.DebugRef:
		return true
	case *ssa.BinOp:
		_, constant := r.Y.(*ssa.Const)
		return r.X == text && r.Y != text && (texts[r] || constant && r.Op != token.ADD)
	case *ssa.Call:
		b, ok := r.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "len"
	}
	return false
}

// buildsText says how a loop could build the string that it extends.
func (a *allocation) buildsText() string {
	if a == nil || a.builds == "" {
		return ""
	}
	return " Each round copies the whole text so far: let a strings.Builder, b, have it before the loop; " + a.builds + " without these copies."
}
