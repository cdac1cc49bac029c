package advise

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A struct with a method Reset may go back to a pool as soon as that has run. The next user sees each field that Reset leaves.

// leftByReset says that a method Reset of the program never names a field of a struct: one that leads to memory, if there is
// such. It says nothing if Reset sets the whole struct, or if its source is not known.
func leftByReset(prog *ssa.Program, method types.Object, typ string, t *types.Struct) string {
	f, ok := method.(*types.Func)
	if !ok {
		return ""
	}
	reset := prog.FuncValue(f.Origin())
	if reset == nil || len(reset.Blocks) == 0 {
		return ""
	}
	field := ""
	fields := map[int]bool{}
	if namesAll(reset.Params[0], fields, map[ssa.Value]bool{}) {
		return ""
	}
	for i := range t.NumFields() {
		f := t.Field(i)
		pkg, _ := named(f.Type())
		left := !fields[i] && f.Name() != "_" && pkg != "sync"
		if left && (field == "" || mayAlias(f.Type())) {
			field = f.Name()
		}
		if left && mayAlias(f.Type()) {
			break
		}
	}
	if field == "" {
		return ""
	}
	return "Reset of " + typ + " leaves fields such as " + field + " as they were"
}

// namesAll notes the fields of a struct that a function names, with the functions to which that passes the struct. It reports
// true if other code might reset any field.
func namesAll(self ssa.Value, fields map[int]bool, seen map[ssa.Value]bool) bool {
	if seen[self] {
		return false
	}
	seen[self] = true
	for _, use := range *self.Referrers() {
		switch u := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp:
		case *ssa.FieldAddr:
			fields[u.Field] = true
		case *ssa.Call:
			if passesOn(self, u, fields, seen) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// passesOn does the same for a call that has the struct as an argument.
func passesOn(self ssa.Value, c *ssa.Call, fields map[int]bool, seen map[ssa.Value]bool) bool {
	fn := c.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 {
		return true
	}
	for i, arg := range c.Call.Args {
		if arg == self && (i >= len(fn.Params) || namesAll(fn.Params[i], fields, seen)) {
			return true
		}
	}
	return false
}
