package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// lift gives a variable of its own to memory that is made within a statement: w.Write([]byte(s)). The variable is set
// before that statement, by an expression that is made of the arguments of the call.
func (m *mend) lift(value func(basin string) (string, error)) error {
	if m.a.fate.asksRoom() || len(m.a.owners) > 0 {
		if m.isInit() {
			return errInit
		}
		return errPart
	}
	args := m.call.Args
	if m.file.pkg.TypesInfo.Types[m.call.Fun].IsBuiltin() { // make
		args = args[1:]
	}
	name, err := m.before(args, value)
	if err == nil {
		m.replaceCall(name)
	}
	return err
}

// notFirst says why nothing can come before the statement that has the call.
func (m *mend) notFirst() refusal {
	if m.isInit() {
		return errInit
	}
	return "it is a part of a larger expression, which may not evaluate it, or not first: give it a variable"
}

// before declares a variable before the statement that has the call, for memory that the function puts. These expressions,
// of which it is made, must have the same value there.
func (m *mend) before(args []ast.Expr, value func(basin string) (string, error)) (name string, err error) {
	stmt := m.liftable(args)
	if stmt == nil {
		return "", m.notFirst()
	}
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return "", err
	}
	text, err := value(basin)
	if err != nil {
		return "", err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return "", err
	}
	name = m.newName("buf")
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin,
		New: name + " := " + text + "\n" + indent + "defer " + basin + ".Put(" + name + ")\n" + indent})
	return name, nil
}

// evaluatedFirst returns the statement of a block that evaluates the call once, and before everything else but variables and
// constants. So the call may as well come before the statement, with all its arguments.
func (m *mend) evaluatedFirst() ast.Stmt {
	var inner ast.Node = m.call
	for i, n := range m.path {
		switch n := n.(type) {
		case ast.Expr:
			if !isFirstIn(n, inner) {
				return nil
			}
		case ast.Stmt:
			if !isFirstOf(n, inner) {
				return nil
			}
			return listed(n, m.path, i)
		default:
			return nil
		}
		inner = n
	}
	return nil
}

// isFirstOf reports whether a statement evaluates an expression in it before everything else but variables and constants, and once.
func isFirstOf(stmt ast.Stmt, inner ast.Node) bool {
	switch n := stmt.(type) {
	case *ast.AssignStmt:
		return len(n.Rhs) == 1 && !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return !ok })
	case *ast.ExprStmt:
		return true
	case *ast.IfStmt:
		return n.Cond == inner && n.Init == nil
	case *ast.RangeStmt:
		return n.X == inner
	case *ast.SwitchStmt:
		return n.Tag == inner && n.Init == nil
	case *ast.ReturnStmt:
		return isFirst(n.Results, inner)
	}
	return false
}

// isFirstIn reports whether an expression evaluates one in it before everything else but variables and constants.
func isFirstIn(n ast.Expr, inner ast.Node) bool {
	switch n := n.(type) {
	case *ast.ParenExpr, *ast.SelectorExpr, *ast.UnaryExpr:
		return true
	case *ast.BinaryExpr:
		return n.X == inner
	case *ast.IndexExpr:
		return n.X == inner
	case *ast.SliceExpr:
		return n.X == inner
	case *ast.KeyValueExpr:
		return n.Value == inner && isFirst([]ast.Expr{n.Key, n.Value}, inner)
	case *ast.CallExpr:
		return n.Fun == inner || isPath(n.Fun) && isFirst(n.Args, inner)
	case *ast.CompositeLit:
		return isFirst(n.Elts, inner)
	}
	return false
}

// listed returns the statement at a place of a path if a block has it.
func listed(stmt ast.Stmt, path []ast.Node, i int) ast.Stmt {
	if i+1 < len(path) && isList(path[i+1]) {
		return stmt
	}
	return nil
}

// isFirst reports whether only variables and constants precede a node in a list.
func isFirst(list []ast.Expr, inner ast.Node) bool {
	for _, e := range list {
		if e == inner {
			return true
		}
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if _, isLit := kv.Key.(*ast.BasicLit); !isLit && !isStill(kv.Key) {
				return false
			}
			e = kv.Value
		}
		if _, isLit := e.(*ast.BasicLit); !isLit && !isStill(e) {
			return false
		}
	}
	return false
}

// sealed gives a cipher memory for its result.
func (m *mend) sealed() error {
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok || len(m.call.Args) != 4 {
		return errUnreadable
	}
	if v, ok := m.a.instr.(ssa.Value); !ok || m.comparesNil(v) {
		return refusal("its result is compared with nil")
	}
	switch x := sel.X.(type) {
	case *ast.Ident:
	case *ast.SelectorExpr:
		if _, ok := x.X.(*ast.Ident); !ok {
			return refusal("its cipher is no variable or field")
		}
	default:
		return refusal("its cipher is no variable or field")
	}
	text := m.call.Args[2]
	name, err := m.before([]ast.Expr{text}, func(basin string) (string, error) {
		size := "len(" + m.text(text) + ")"
		if sel.Sel.Name == "Seal" {
			size += "+" + m.text(sel.X) + ".Overhead()"
		}
		return basin + ".Get(" + size + ")[:0]", nil
	})
	if err == nil {
		m.replace(m.call.Args[0].Pos(), m.call.Args[0].End(), name)
	}
	return err
}

// resulted gives a function memory for its result, if another function knows the largest length of that.
func (m *mend) resulted() error {
	call := m.a.instr.(*ssa.Call)
	fn := call.Call.StaticCallee()
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return errUnreadable
	}
	size, to, from, appends := "MaxEncodedLen", 0, 1, ""
	known := fn.Object().Pkg().Scope().Lookup(size)
	if recv := fn.Signature.Recv(); recv != nil {
		size, to, from, appends = "MaxEncodedSize", 1, 0, "[:0]"
		known, _, _ = types.LookupFieldOrMethod(recv.Type(), true, nil, size)
	}
	if _, ok := known.(*types.Func); !ok || !strings.HasPrefix(fn.Name(), "Encode") {
		return refusal("the length of its result is not known before: guess one, give it a slice of that capacity, and put that slice")
	}
	if tellsNil(call, map[ssa.Value]bool{}) {
		return refusal("its result may be compared with nil, which it is without input")
	}
	if !isPath(sel.X) {
		return refusal("its encoder is no variable or field")
	}
	text := m.call.Args[from]
	name, err := m.before([]ast.Expr{text}, func(basin string) (string, error) {
		return basin + ".Get(" + m.text(sel.X) + "." + size + "(len(" + m.text(text) + ")))" + appends, nil
	})
	if err == nil {
		m.replace(m.call.Args[to].Pos(), m.call.Args[to].End(), name)
	}
	return err
}

// tellsNil reports whether a use of a slice may tell nil from an empty one.
func tellsNil(v ssa.Value, seen map[ssa.Value]bool) bool {
	if tuple, ok := v.Type().(*types.Tuple); ok && slices.ContainsFunc(slices.Collect(tuple.Variables()), func(v *types.Var) bool { return isBytes(v.Type()) }) {
		return true
	}
	if seen[v] || v.Referrers() == nil || !isBytes(v.Type()) {
		return false
	}
	seen[v] = true
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.IndexAddr, *ssa.Range:
			return false
		case *ssa.Convert:
			return !isString(r.Type())
		case *ssa.Slice:
			return tellsNil(r, seen)
		case *ssa.Call:
			fn := r.Call.StaticCallee()
			for i, arg := range r.Call.Args {
				if arg == v && fn != nil && len(fn.Blocks) > 0 && (i >= len(fn.Params) || tellsNil(fn.Params[i], seen)) {
					return true
				}
			}
			return tellsNil(r, seen)
		}
		return true
	})
}

// comparesNil reports whether a value, or a slice in a tuple, is compared.
func (m *mend) comparesNil(v ssa.Value) bool {
	if v.Referrers() == nil {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.BinOp:
			return true
		case *ssa.Extract:
			return r.Index == 0 && m.comparesNil(r)
		case *ssa.Phi:
			return true // which may be compared
		}
		return false
	})
}

// liftable returns the statement of a block that has the call, if it surely evaluates the call, and once. The arguments must
// have the same values before the statement.
func (m *mend) liftable(args []ast.Expr) ast.Stmt {
	var inner ast.Node = m.maker()
	for i, n := range m.path {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.CaseClause, *ast.CommClause, *ast.SelectStmt, *ast.LabeledStmt:
			return nil
		case *ast.BinaryExpr:
			if (n.Op == token.LAND || n.Op == token.LOR) && n.Y == inner {
				return nil
			}
		case ast.Stmt:
			if branch, ok := n.(*ast.IfStmt); ok && branch.Else == inner {
				return nil
			}
			if i+1 < len(m.path) && isList(m.path[i+1]) {
				if _, isBlock := n.(*ast.BlockStmt); isBlock || !m.isStable(n, args) {
					return nil
				}
				return n
			}
		}
		inner = n
	}
	return nil
}

// isStable reports whether expressions are constants, or lengths, parts or values of variables of the function that a
// statement does not set, and no function literal does.
func (m *mend) isStable(stmt ast.Stmt, args []ast.Expr) bool {
	info := m.file.pkg.TypesInfo
	stable := true
	for _, arg := range args {
		ast.Inspect(arg, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				v, ok := info.Uses[n].(*types.Var)
				stable = stable && (!ok || m.isSteady(v, stmt))
			case *ast.BasicLit, *ast.ParenExpr, *ast.BinaryExpr, *ast.SliceExpr, nil:
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.Ident)
				stable = stable && ok && fun.Name == "len" && info.Types[n.Fun].IsBuiltin()
			default:
				stable = false
			}
			return stable
		})
	}
	return stable
}
