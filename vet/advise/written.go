package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A string is often made for one write only: io.WriteString(w, string(b)), w.Write([]byte(s)), w.Write([]byte(fmt.Sprint(n))).
// Another call writes the same without it.

// findWrites notes the call that can write the source of a string or of a conversion.
func (s *source) findWrites(site *Site) {
	a := site.found
	if a == nil {
		return
	}
	v, ok := a.instr.(ssa.Value)
	if !ok {
		return
	}
	write := writeOf(v)
	if write == nil {
		return
	}
	_, call, _ := s.callAt(write)
	_, made, _ := s.callAt(a.instr)
	if w := writerIn(call); w != nil && made != nil {
		a.written = s.writes(v, write, shortText(w), made)
	}
}

// shortText is the text of an expression, unless that is long.
func shortText(e ast.Expr) string {
	if text := types.ExprString(e); len(text) <= 60 {
		return text
	}
	return "…"
}

// writes returns a call that writes a value, which a call makes, without it, or nothing.
func (s *source) writes(v ssa.Value, write *ssa.Call, w string, made *ast.CallExpr) string {
	switch v := v.(type) {
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && strings.HasPrefix(runtimeName(fn), "fmt.Sprint") {
			format := ""
			if fn.Name() == "Sprintf" && len(made.Args) > 0 {
				format = shortText(made.Args[0]) + ", "
			}
			return fmt.Sprintf("fmt.F%s(%s, %s…)", fn.Name()[1:], w, format)
		}
	case *ssa.Convert:
		switch from := v.X; {
		case isString(v.Type()) && isBytes(from.Type()) && canWriteBytes(write):
			return w + ".Write(" + shortText(made.Args[0]) + ")"
		case isBytes(v.Type()) && types.Identical(from.Type(), types.Typ[types.String]) && mayWriteString(write):
			if printed, ok := from.(*ssa.Call); ok && onlyUse(printed) == ssa.Instruction(v) {
				if _, made, _ := s.callAt(printed); made != nil {
					return s.writes(printed, write, w, made)
				}
				return ""
			}
			return "io.WriteString(" + w + ", " + shortText(made.Args[0]) + ")"
		}
	}
	return ""
}

// writeOf returns the call that writes a value, if that is its only use, or nil.
func writeOf(v ssa.Value) *ssa.Call {
	switch use := onlyUse(v).(type) {
	case *ssa.Convert:
		if isBytes(use.Type()) && isString(v.Type()) {
			return writeOf(use)
		}
	case *ssa.Store:
		if at, ok := use.Addr.(*ssa.IndexAddr); ok {
			return printOf(at)
		}
	case *ssa.Call:
		if isWriteOf(use, v) {
			return use
		}
	}
	return nil
}

// printOf returns the call of fmt.Fprint of which an element of a list is the only argument, or nil.
func printOf(at *ssa.IndexAddr) *ssa.Call {
	list, ok := at.X.(*ssa.Alloc)
	if !ok || len(*list.Referrers()) != 2 { // the element, and the slice
		return nil
	}
	for _, r := range *list.Referrers() {
		if whole, ok := r.(*ssa.Slice); ok {
			if call, ok := onlyUse(whole).(*ssa.Call); ok && isCalled(call, "fmt.Fprint") {
				return call
			}
		}
	}
	return nil
}

// isWriteOf reports whether a call writes a value, and nothing else.
func isWriteOf(call *ssa.Call, v ssa.Value) bool {
	args := arguments(&call.Call)
	if len(args) != 2 || args[1] != v {
		return false
	}
	if isCalled(call, "io.WriteString") {
		return true
	}
	name, sig := calledName(&call.Call), call.Call.Signature()
	return (name == "Write" || name == "WriteString") && sig.Recv() != nil && sig.Params().Len() == 1 && sig.Results().Len() == 2
}

// writerIn returns the writer of a call, which is its receiver or its first argument, or nil.
func writerIn(call *ast.CallExpr) ast.Expr {
	if call == nil {
		return nil
	}
	if len(call.Args) == 2 { // of a function
		return call.Args[0]
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return nil
}

// canWriteBytes reports whether the writer of a call has the method Write.
func canWriteBytes(write *ssa.Call) bool { return hasWriterMethod(write, "Write") }

// mayWriteString reports whether a writer has the method WriteString, or is an interface whose value may have it.
func mayWriteString(write *ssa.Call) bool {
	w := arguments(&write.Call)[0]
	return types.IsInterface(w.Type()) && types.IsInterface(unwrap(w).Type()) || hasWriterMethod(write, "WriteString")
}

func hasWriterMethod(write *ssa.Call, name string) bool {
	m, _, _ := types.LookupFieldOrMethod(unwrap(arguments(&write.Call)[0]).Type(), true, nil, name)
	f, ok := m.(*types.Func)
	return ok && f.Signature().Params().Len() == 1
}

// onlyWritten says how to write without the memory.
func (s *Site) onlyWritten() string {
	switch {
	case s.found == nil || s.found.written == "":
		return ""
	case s.Verdict == NotJudged && s.kind == kindString:
		return " It is only written: " + s.found.written + " does so without a string."
	case s.found.kind == kindSlice && (s.Verdict == PoolIt || s.Verdict == Reuse || s.Verdict == DoNotPool || s.Verdict == TooSmall):
		if strings.HasPrefix(s.found.written, "fmt.") {
			return " It is only written: " + s.found.written + " does so without a string and its bytes."
		}
		return " It is only written: " + s.found.written + " does so without a copy, if the writer has WriteString."
	}
	return ""
}
