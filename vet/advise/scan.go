package advise

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Strings that a program scans from a database, to have their bytes only, can be scanned as bytes.

// hintOfScan says so of the bytes of a string that the database gives.
func (a *allocation) hintOfScan() string {
	c, ok := a.instr.(*ssa.Convert)
	if !ok || !isConversion(c) {
		return ""
	}
	load, ok := c.X.(*ssa.UnOp)
	if !ok {
		return ""
	}
	variable, ok := load.X.(*ssa.Alloc)
	if !ok || variable.Comment == "" {
		return ""
	}
	scans := map[string]bool{}
	for _, r := range *variable.Referrers() {
		if !isForBytes(r, scans) {
			return ""
		}
	}
	if len(scans) == 0 {
		return ""
	}
	raw := ""
	if a.fate.way == stays && !scans["database/sql.(*Row).Scan"] {
		raw = ", or into an sql.RawBytes, which needs no copy, if nothing writes to it, and nothing needs it after the next call of Next, Scan or Close"
	}
	return " The string " + variable.Comment + " is scanned from a database, and only its bytes are used: scan into a []byte, which saves a copy if the driver has bytes," +
		" and is nil for NULL, in place of an error" + raw + "."
}

// isForBytes reports whether a use of a string variable needs no string: its bytes and its length, and a Scan, which it notes.
func isForBytes(use ssa.Instruction, scans map[string]bool) bool {
	switch use := use.(type) {
	case *ssa.DebugRef:
		return true
	case *ssa.Store: // of its first value
		c, ok := use.Val.(*ssa.Const)
		return ok && c.Value != nil && c.Value.Kind() == constant.String && constant.StringVal(c.Value) == ""
	case *ssa.UnOp:
		if use.Op != token.MUL {
			return false
		}
		for _, r := range *use.Referrers() {
			if !isConversion(r) && !isLenOf(r) {
				return false
			}
		}
		return true
	case *ssa.MakeInterface:
		call := listedFor(use)
		if call == nil || call.Call.StaticCallee() == nil {
			return false
		}
		name := runtimeName(call.Call.StaticCallee())
		scans[name] = true
		return name == "database/sql.(*Rows).Scan" || name == "database/sql.(*Row).Scan"
	}
	return false
}

// isLenOf reports whether an instruction takes the length of something, or names it for a debugger.
func isLenOf(instr ssa.Instruction) bool {
	if _, ok := instr.(*ssa.DebugRef); ok {
		return true
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// listedFor returns the call that has a value in its list of variadic arguments, and only there, or nil.
func listedFor(v *ssa.MakeInterface) *ssa.Call {
	stored, ok := onlyUse(v).(*ssa.Store)
	if !ok {
		return nil
	}
	element, ok := stored.Addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	list, ok := element.X.(*ssa.Alloc)
	if !ok || list.Comment != "varargs" {
		return nil
	}
	for _, r := range *list.Referrers() {
		if s, ok := r.(*ssa.Slice); ok {
			call, _ := onlyUse(s).(*ssa.Call)
			return call
		}
	}
	return nil
}
