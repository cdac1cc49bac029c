package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

const errElements = refusal("an array that stays would keep what its elements point at, or has no type that is known outside of the loop")

// reused has the rounds of a loop share one array, which is cleared for each as make clears it.
func (m *mend) reused() error {
	info := m.file.pkg.TypesInfo
	if id, ok := m.call.Fun.(*ast.Ident); !ok || id.Name != "make" || !info.Types[id].IsBuiltin() {
		return refusal("it is not made by make")
	}
	list, ok := info.TypeOf(m.call).Underlying().(*types.Slice)
	if !ok || mayAlias(list.Elem()) || !m.isOfFile(m.call.Args[0]) {
		return errElements
	}
	stmt, v, err := m.setting()
	if err != nil {
		return err
	}
	from, to, err := m.bounds(stmt, v)
	if err != nil {
		return err
	}
	name := v.Name + "Array"
	if m.isTaken(name) {
		return refusal("the name " + name + " is taken")
	}
	t := m.text(m.call.Args[0])
	if err := m.beforeLoop("var " + name + " " + t); err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	m.declared[name] = true
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: fmt.Sprintf("if %s == nil || %s {\n%s\t%s = make(%s, %s)\n%s}\n%s", name, to.exceeds(name), indent, name, t, to.text, indent, indent)})
	m.replaceCall(name + "[:" + from.text + ":" + to.text + "]")
	if from.text == "0" {
		return nil
	}
	return m.after(stmt, "clear("+v.Name+")")
}

// emptied has the rounds of a loop share one slice, which each of them cuts to length 0 and lets grow. No basin is needed.
// Nobody may notice that the slice has room from its second round on, or that it is not nil.
func (m *mend) emptied() error {
	if m.a.fate.resliced {
		return refusal("a slice of it may end behind its length, where append leaves zeros, and the round before anything")
	}
	w, err := m.webOf()
	if err != nil {
		return err
	}
	decl, err := m.declaredBy(w.v, declaringInLoop, m.isPart)
	switch {
	case err != nil:
		return err
	case decl == nil:
		return refusal("its variable is not declared by a statement of its own, in the loop")
	case w.isStale():
		return refusal("a part of it is used after an append, which may write to the same array where a new one was made")
	case !w.isAlikeEmpty():
		return refusal("it may matter whether it is nil or empty")
	}
	typ, size, isNil := m.typeOf(decl, w.v)
	if typ == nil || isGroup(decl) {
		return refusal("it begins with memory that is not made by make, or with a length")
	}
	list, ok := w.v.Type().Underlying().(*types.Slice)
	if !ok || mayAlias(list.Elem()) || !m.isOfFile(typ) || !m.hasType(typ, w.v.Type()) {
		return errElements
	}
	if isNil {
		if err := m.returnNilEarly(decl, w.v, w.calls); err != nil {
			return err
		}
	}
	m.variable, m.appends = w.v, w.calls
	name, t := w.v.Name(), m.text(typ)
	var lines []string
	if size != nil {
		if !isConstant(m.file.pkg.TypesInfo, size) {
			return refusal("its capacity is no constant")
		}
		n := m.text(size)
		lines = []string{"if cap(" + name + ") < " + n + " {", "\t" + name + " = make(" + t + ", 0, " + n + ")", "}"}
	}
	_, m.path = m.around(decl)
	if m.isNamedAround(w.v) {
		return refusal("another variable around the loop has the name " + name + ": rename one")
	}
	m.replace(decl.Pos(), decl.End(), name+" = "+name+"[:0]")
	if err := m.after(decl, lines...); err != nil {
		return err
	}
	return m.beforeLoop("var " + name + " " + t)
}

// declaringInLoop returns the statement that declares the last node of a stack of nodes, if it is in a block of a loop, and
// the function literal that has it.
func declaringInLoop(stack []ast.Node) (decl ast.Stmt, within *ast.FuncLit) {
	loops := false
	for i, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if decl == nil {
				return nil, nil
			}
			loops = true
		case *ast.FuncLit:
			within = n
		case *ast.ValueSpec:
			if len(n.Names) != 1 {
				return nil, nil
			}
		case ast.Stmt:
			if decl == nil && (i == 0 || !isList(stack[i-1])) {
				return nil, nil // it is in an init statement, and behind that the name may mean another
			}
			if decl == nil {
				decl = n
			}
		}
		if within != nil {
			break
		}
	}
	if !loops {
		return nil, nil
	}
	return decl, within
}

// isPart reports whether an expression is a variable, a part of that, or a slice without an array.
func (m *mend) isPart(e ast.Expr, v *types.Var) bool {
	if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		return m.isPart(s.X, v)
	}
	return m.isStart(e, v)
}

// isNamedAround reports whether the block around the outermost loop uses or declares another variable of the same name,
// for which the compiler might take v if that is declared there.
func (m *mend) isNamedAround(v *types.Var) (named bool) {
	i := m.outermost()
	if i < 0 {
		return false
	}
	info := m.file.pkg.TypesInfo
	ast.Inspect(m.path[i+1], func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == v.Name() {
			obj := info.ObjectOf(id)
			named = named || obj != v && (obj == nil || obj.Parent() != nil) // fields and methods have no scope
		}
		return !named
	})
	return named
}

// beforeLoop adds lines before the outermost loop of the function that has the call.
func (m *mend) beforeLoop(lines ...string) error {
	i := m.outermost()
	if i < 0 || m.jumps() {
		return refusal("it runs in a loop that is made of goto, or its function has another goto")
	}
	loop := m.path[i].(ast.Stmt)
	if scope := m.file.pkg.Types.Scope().Innermost(m.path[0].Pos()); scope != nil {
		if err := shadowed(scope, m.path[0].Pos()); err != nil {
			return err
		}
	}
	indent, err := m.indentation(loop)
	if err != nil {
		return err
	}
	begin := m.offset(loop.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: strings.Join(lines, "\n"+indent) + "\n" + indent})
	return nil
}

// outermost returns the place in the path of the outermost loop of the function that has the call, or of its label. It is -1
// if there is none.
func (m *mend) outermost() int {
	at := -1
	for i, n := range m.path {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if at = i; i+1 < len(m.path) {
				if _, labeled := m.path[i+1].(*ast.LabeledStmt); labeled {
					at++
				}
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return at
		}
	}
	return at
}

// jumps reports whether the function that has the call has a goto, which may enter a loop at two places.
func (m *mend) jumps() (jumps bool) {
	for _, n := range m.path {
		switch n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			ast.Inspect(n, func(n ast.Node) bool {
				branch, ok := n.(*ast.BranchStmt)
				jumps = jumps || ok && branch.Tok == token.GOTO
				return !jumps
			})
			return jumps
		}
	}
	return false
}
