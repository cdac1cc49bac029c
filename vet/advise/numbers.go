package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A big.Int that only its function uses can come from a pool, with the words that it has grown to. Its methods copy the words of
// their arguments, but for Bits and SetBits. The pool clears the words, which may be those of a secret.

var (
	// fillsNumber matches methods that write their result to the words of their receiver, and make few others.
	fillsNumber = regexp.MustCompile(`^math/big\.\(\*Int\)\.(Abs|Add|And|AndNot|Div|DivMod|Lsh|Mod|Mul|Neg|Not|Or|Quo|QuoRem|Rem|Rsh|Set(Bit|Bytes|Int64|String|Uint64)?|Sub|Xor)$`)

	// readsNumber matches methods whose results have no words of an argument.
	readsNumber = regexp.MustCompile(`^math/big\.\(\*Int\)\.(Append|Bit|BitLen|Bytes|Cmp|CmpAbs|FillBytes|Int64|IsInt64|IsUint64|Sign|String|Text|TrailingZeroBits|Uint64)$`)

	// replacesNumber matches methods that make other words if the receiver is an argument, too.
	replacesNumber = regexp.MustCompile(`\.(Div|DivMod|Mod|Mul|Quo|QuoRem|Rem)$`)
)

// number returns the number whose words a call makes, if it stays in the function that makes it, or nil.
func (s *source) number(call ssa.CallInstruction, calls string) *allocation {
	c := call.Common()
	if !fillsNumber.MatchString(calls) || c.IsInvoke() || replacesNumber.MatchString(calls) && slices.Contains(c.Args[1:], c.Args[0]) {
		return nil
	}
	made, ok := numberOf(c.Args[0]).(ssa.Instruction)
	if !ok || inLoop(made) || s.tracer.onceIn(made.Parent(), 4) != "" || !isOwnNumber(made.(ssa.Value), map[ssa.Value]bool{}) {
		return nil
	}
	a := &allocation{kind: kindNumber, instr: made, joins: made.(ssa.Value), fate: &fate{trusted: true}}
	s.finish(a)
	return a
}

// numberOf returns the instruction that makes the number which a value is, or nil.
func numberOf(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Alloc:
		return v
	case *ssa.Call:
		switch {
		case isCalled(v, "math/big.NewInt"):
			return v
		case v.Call.StaticCallee() != nil && fillsNumber.MatchString(runtimeName(v.Call.StaticCallee())): // which returns it
			return numberOf(v.Call.Args[0])
		}
	}
	return nil
}

// isOwnNumber reports whether a number is used only by methods that leave its words to it.
func isOwnNumber(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
			return false
		case *ssa.Phi:
			return !isOwnNumber(use, seen)
		case *ssa.Call:
			return !isOwnUseOfNumber(v, use, seen)
		}
		return true
	})
}

// isOwnUseOfNumber does so for one use, whose result may be the number again.
func isOwnUseOfNumber(v ssa.Value, call *ssa.Call, seen map[ssa.Value]bool) bool {
	fn := call.Call.StaticCallee()
	if fn == nil || readsNumber.MatchString(runtimeName(fn)) {
		return fn != nil
	}
	if !fillsNumber.MatchString(runtimeName(fn)) {
		return false
	}
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		return call.Call.Args[0] != v || isOwnNumber(call, seen)
	}
	return !slices.ContainsFunc(*call.Referrers(), func(r ssa.Instruction) bool { // the receiver, and perhaps the last argument
		x, ok := r.(*ssa.Extract)
		return ok && !isNumber(x.Type()) && !types.Identical(x.Type(), types.Typ[types.Bool]) && !isOwnNumber(x, seen)
	})
}

// numbered has a number come from a pool of its own.
func (m *mend) numbered() error {
	pkg, value, err := m.numberType()
	if err != nil {
		return err
	}
	var args []ast.Expr
	if value != nil {
		args = []ast.Expr{value}
	}
	stmt, v, basin, err := m.statement()
	part := isPart(err)
	if part {
		if stmt = m.liftable(args); stmt == nil {
			return m.notFirst()
		}
		v = ast.NewIdent(m.newName("number"))
		basin, err = m.basin(stmt.Pos())
	}
	if err == nil && !part {
		err = m.setsOnly(stmt, v, args)
	}
	if err != nil {
		return err
	}
	t := "*" + pkg + ".Int"
	pool, err := m.declare(v, fmt.Sprintf("%s.Pool[%s]{\n\tNew: func() %s { return new(%s.Int) },\n\tSize: func(x %s) int { return 8 * cap(x.Bits()) },\n"+
		"\tReset: func(x %s) %s {\n\t\tclear(x.Bits()[:cap(x.Bits())])\n\t\treturn x.SetInt64(0)\n\t},\n}", basin, t, t, pkg, t, t, t))
	if err != nil {
		return err
	}
	if value == nil {
		return m.take(stmt, v, pool, part)
	}
	return m.take(stmt, v, pool, part, v.Name+".SetInt64("+m.text(value)+")")
}

// numberType returns the name of package big, and the value that the number begins with, or nil if that is zero.
func (m *mend) numberType() (pkg string, value ast.Expr, err error) {
	if m.call == nil {
		return "", nil, refusal("it is a variable: make it by new")
	}
	info := m.file.pkg.TypesInfo
	e := ast.Unparen(m.call.Fun)
	if id, ok := e.(*ast.Ident); ok && info.Types[id].IsBuiltin() {
		e = ast.Unparen(m.call.Args[0])
	} else if value = m.call.Args[0]; isZeroConstant(info, value) {
		value = nil
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", nil, errUnreadable
	}
	return m.text(sel.X), value, nil
}
