package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// preallocated has a slice grow once, to the length of the range that fills it, by slices.Grow. A slice that is nil stays nil
// if the range is empty. So nobody can notice but by the capacity, or by an array that several slices share: the slice
// must have none before the loop, and each round must append to it, and do nothing else with it.
func (m *mend) preallocated() error {
	loop, v, err := m.filled()
	if err != nil {
		return err
	}
	if m.a.fate.sized || m.a.fate.forked || m.a.fate.resliced {
		return refusal("its capacity or elements behind its length may be used")
	}
	if m.a.later != "" {
		return refusal("it also grows " + m.a.later + ", for which that capacity would have no room")
	}
	for _, base := range m.a.grown.bases {
		if s, ok := base.(*ssa.Slice); !ok || !isEmptyArray(s.X.Type()) {
			return refusal("it may have an array before the loop, which others may have too")
		}
	}
	if err := m.knowsWords(loop.Pos()); err != nil {
		return err
	}
	count, err := m.countOf(loop)
	if err != nil {
		return err
	}
	end, _ := m.file.rounds(loop)
	if n := m.a.perRound; n > 1 {
		if !m.fitsSeveral(loop) {
			return refusal("its capacity may not fit an int")
		}
		if strings.ContainsAny(count, "+-|^&<>/%*") { // a constant
			count = "(" + count + ")"
		}
		count = fmt.Sprintf("%d*%s", n, count)
	}
	if made := m.madeBefore(loop, v); made != nil && !mentionsName(end, v.Name()) {
		m.replace(made.Pos(), made.End(), "make("+m.textOfEmpty(made)+", 0, "+count+")")
		return nil
	}
	indent, err := m.indentation(loop)
	if err != nil {
		return err
	}
	grow := v.Name() + " = slices.Grow(" + v.Name() + ", " + count + ")\n" + indent
	if typ := m.nilBefore(loop, v); typ != nil && m.file.isOld() { // which has no package slices
		grow = "if " + count + " > 0 {\n" + indent + "\t" + v.Name() + " = make(" + m.text(typ) + ", 0, " + count + ")\n" + indent + "}\n" + indent
	} else if err := m.needs("slices"); err != nil {
		return err
	}
	begin := m.offset(loop.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: grow})
	return nil
}

// statementBefore returns the statement before a loop, or nil.
func (m *mend) statementBefore(loop ast.Stmt) ast.Stmt {
	list := rewrite.Statements(m.path[3])
	if i := slices.Index(list, loop); i > 0 {
		return list[i-1]
	}
	return nil
}

// nilBefore returns the type of a variable that the statement before a loop declares without a value, or nil.
func (m *mend) nilBefore(loop ast.Stmt, v *types.Var) ast.Expr {
	decl, ok := m.statementBefore(loop).(*ast.DeclStmt)
	if !ok {
		return nil
	}
	if spec := m.specOf(decl, v); spec != nil && len(spec.Values) == 0 {
		return spec.Type
	}
	return nil
}

// madeBefore returns the expression of an empty slice that is not nil, to which the statement before a loop sets the variable, or nil.
func (m *mend) madeBefore(loop ast.Stmt, v *types.Var) ast.Expr {
	before := m.statementBefore(loop)
	of, value := m.setAlone(before)
	if of == nil || m.file.objectOf(of) != v {
		return nil
	}
	value = ast.Unparen(value)
	if call, ok := value.(*ast.CallExpr); value == nil || ok && len(call.Args) != 2 || !isEmptyValue(m.file.pkg.TypesInfo, value) || m.file.pkg.TypesInfo.Types[value].IsNil() {
		return nil
	}
	return value
}

// textOfEmpty returns the type of a literal or of a call of make.
func (m *mend) textOfEmpty(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok {
		return m.text(call.Args[0])
	}
	return m.text(e.(*ast.CompositeLit).Type)
}

// rounds returns the expression that is the number of rounds of a loop, or whose length that is.
func (f *sourceFile) rounds(loop ast.Node) (end ast.Expr, counts bool) {
	info := f.pkg.TypesInfo
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		switch t := info.TypeOf(loop.X).Underlying().(type) {
		case *types.Slice, *types.Array, *types.Map:
			return loop.X, false
		case *types.Basic:
			if types.Identical(info.TypeOf(loop.X), types.Typ[types.Int]) {
				return loop.X, t.Info()&types.IsInteger != 0
			}
		}
	case *ast.ForStmt: // for i := 0; i < n; i++
		init, ok := loop.Init.(*ast.AssignStmt)
		cond, isCompared := loop.Cond.(*ast.BinaryExpr)
		post, steps := loop.Post.(*ast.IncDecStmt)
		if !ok || !isCompared || !steps || init.Tok != token.DEFINE || len(init.Lhs) != 1 || !isZeroConstant(info, init.Rhs[0]) || cond.Op != token.LSS || post.Tok != token.INC {
			return nil, false
		}
		i := info.Defs[init.Lhs[0].(*ast.Ident)]
		compared, _ := cond.X.(*ast.Ident)
		stepped, _ := post.X.(*ast.Ident)
		if i == nil || compared == nil || stepped == nil || info.Uses[compared] != i || info.Uses[stepped] != i || !types.Identical(i.Type(), types.Typ[types.Int]) {
			return nil, false
		}
		return cond.Y, true
	}
	return nil, false
}

// countOf returns an expression for the number of rounds of a loop. A number of the program may be larger than the data
// that there is. So the loop must not end before it.
func (m *mend) countOf(loop ast.Stmt) (string, error) {
	info := m.file.pkg.TypesInfo
	end, counts := m.file.rounds(loop)
	switch {
	case end == nil:
		return "", errUnreadable
	case !counts && isPath(end):
		return "len(" + m.text(end) + ")", nil
	case !counts:
		return "", refusal("its loop ranges over an expression that is no variable: give it one")
	}
	of := ast.Unparen(end)
	call, isLen := of.(*ast.CallExpr)
	if isLen = isLen && len(call.Args) == 1 && info.Types[call.Fun].IsBuiltin() && types.ExprString(call.Fun) == "len"; isLen {
		of = ast.Unparen(call.Args[0])
	}
	var steady bool
	if id, ok := of.(*ast.Ident); ok {
		v, isVar := info.Uses[id].(*types.Var)
		steady = isVar && v.Parent() != nil && m.isSteady(v, loop)
	}
	if !steady && !isConstant(info, end) {
		return "", refusal("the number of rounds is no variable that the loop leaves alone")
	}
	if m.setsCounter(loop) {
		return "", refusal("its loop counts in another way")
	}
	ends := false
	ast.Inspect(loop, func(n ast.Node) bool {
		_, returns := n.(*ast.ReturnStmt)
		ends = ends || returns
		return true
	})
	switch {
	case ends && !isLen:
		return "", refusal("its loop may end before that number, which may be too large")
	case isLen || isConstant(info, end):
		return m.text(end), nil
	}
	return m.notNegative(end)
}

// notNegative returns the text of a number, or of 0 if that is negative.
func (m *mend) notNegative(n ast.Expr) (string, error) {
	if _, obj := m.file.pkg.Types.Scope().Innermost(n.Pos()).LookupParent("max", n.Pos()); obj != types.Universe.Lookup("max") {
		return "", refusal("the name max means something else there: rename that")
	}
	return "max(" + m.text(n) + ", 0)", nil
}

// fitsSeveral reports whether several elements for each round of a loop surely fit an int: it ranges over elements that have memory, or
// counts to a number, for which one each may be too many as well.
func (m *mend) fitsSeveral(loop ast.Stmt) bool {
	end, counts := m.file.rounds(loop)
	if call, ok := ast.Unparen(end).(*ast.CallExpr); ok && counts && len(call.Args) == 1 { // the length of something
		end, counts = call.Args[0], false
	}
	if counts {
		return true
	}
	switch t := m.file.pkg.TypesInfo.TypeOf(end).Underlying().(type) {
	case *types.Slice:
		return sizeOfType(t.Elem()) > 0
	case *types.Array:
		return sizeOfType(t.Elem()) > 0
	case *types.Map:
		return true
	}
	return false
}

// setsCounter reports whether the body of a loop sets the variable that counts its rounds.
func (m *mend) setsCounter(loop ast.Stmt) (sets bool) {
	counted, ok := loop.(*ast.ForStmt)
	if !ok {
		return false
	}
	info := m.file.pkg.TypesInfo
	i := info.Defs[counted.Init.(*ast.AssignStmt).Lhs[0].(*ast.Ident)]
	var stack []ast.Node
	ast.Inspect(counted.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == i {
			sets = sets || isSet(id, stack[len(stack)-1])
		}
		stack = append(stack, n)
		return true
	})
	return sets
}

// filled returns the loop that fills a slice, in which each round that comes to its end appends one element to the variable.
func (m *mend) filled() (loop ast.Stmt, v *types.Var, err error) {
	if len(m.path) < 4 {
		return nil, nil, errUnreadable
	}
	body, _ := m.path[1].(*ast.BlockStmt)
	loop, ok := m.path[2].(ast.Stmt)
	if end, _ := m.file.rounds(m.path[2]); !ok || body == nil || end == nil {
		return nil, nil, refusal("not each round of the loop appends to it, so its capacity might be too large")
	}
	if !isList(m.path[3]) {
		return nil, nil, refusal("its loop has a label")
	}
	if v = m.appendsTo(m.call, m.path); v == nil || v.Parent() == v.Pkg().Scope() {
		return nil, nil, refusal("it does not grow in one variable of the function")
	}
	for _, n := range m.path[3:] {
		if n.Pos() <= v.Pos() && v.Pos() < n.End() {
			return loop, v, m.fillsOnly(loop, v)
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return nil, nil, refusal("its variable is declared outside of another loop or function literal")
		}
	}
	return nil, nil, errUnreadable
}

// fillsOnly says why a loop may end a round early, or uses a variable for more than the append and its length.
func (m *mend) fillsOnly(loop ast.Stmt, v *types.Var) (err error) {
	info := m.file.pkg.TypesInfo
	var stack []ast.Node
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.BranchStmt:
			if n.Tok != token.FALLTHROUGH {
				err = refusal("a round of its loop may end early, so its capacity might be too large")
			}
		case *ast.Ident:
			if info.Uses[n] != v {
				break
			}
			switch in := stack[len(stack)-1].(type) {
			case *ast.AssignStmt:
				if in == m.path[0] {
					break
				}
				err = refusal("its loop uses it for more than the append")
			case *ast.CallExpr:
				if id, ok := in.Fun.(*ast.Ident); in != m.call && (!ok || id.Name != "len" || !info.Types[in.Fun].IsBuiltin()) {
					err = refusal("its loop uses it for more than the append")
				}
			default:
				err = refusal("its loop uses it for more than the append")
			}
		}
		stack = append(stack, n)
		return true
	})
	return err
}

// isEmptyArray reports whether a type is that of a pointer to an array without elements.
func isEmptyArray(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	a, ok := p.Elem().Underlying().(*types.Array)
	return ok && a.Len() == 0
}

// isEmptyValue reports whether an expression makes a slice without elements, or none, and does nothing else.
func isEmptyValue(info *types.Info, x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return info.Types[x].IsNil()
	case *ast.CompositeLit:
		return len(x.Elts) == 0
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "make" && info.Types[id].IsBuiltin() && len(x.Args) > 1 && isZeroConstant(info, x.Args[1]) &&
			(len(x.Args) == 2 || isConstant(info, x.Args[2]))
	}
	return false
}
