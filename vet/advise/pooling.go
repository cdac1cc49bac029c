package advise

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// listed has a slice come from a pool of its own, cleared as make clears it.
func (m *mend) listed() error {
	info := m.file.pkg.TypesInfo
	if id, ok := m.call.Fun.(*ast.Ident); !ok || id.Name != "make" || !info.Types[id].IsBuiltin() {
		return refusal("it is not made by make")
	}
	stmt, v, basin, err := m.statement()
	if err != nil {
		return err
	}
	from, to, err := m.bounds(stmt, v)
	if err != nil {
		return err
	}
	pool, t, err := m.listPool(v, basin, m.call.Args[0])
	if err != nil {
		return err
	}
	m.replaceCall(pool + ".Get()")
	m.pool = pool
	lines := append([]string{
		"if " + to.exceeds(v.Name) + " {", "\t" + v.Name + " = make(" + t + ", " + to.text + ")", "}",
		v.Name + " = " + v.Name + "[:" + to.text + "]", "clear(" + v.Name + ")",
	}, m.put("defer "+pool+".Put("+v.Name+")")...)
	if f := m.a.fate; from != to || f.sized || f.forked || f.grows {
		lines = append(lines, v.Name+" = "+v.Name+"[:"+from.text+":"+to.text+"]")
	}
	return m.after(stmt, lines...)
}

// runes has the runes of a string decoded into a slice of a pool.
func (m *mend) runes() error {
	from := m.call.Args[0]
	if !m.hasType(m.call, types.NewSlice(types.Typ[types.Rune])) || !isString(m.file.pkg.TypesInfo.TypeOf(from)) {
		return refusal("it is no conversion of a string to []rune")
	}
	stmt, v, basin, err := m.statement()
	if isPart(err) {
		return m.liftedRunes(from)
	}
	if err != nil {
		return err
	}
	if a, ok := stmt.(*ast.AssignStmt); mentionsName(from, v.Name) || ok && slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return !ok || mentionsName(from, id.Name) || id.Name == "_" && len(a.Rhs) == 1
	}) {
		return refusal("the statement sets more than variables, or the string itself")
	}
	if _, isName := ast.Unparen(from).(*ast.Ident); !isName && !isAlone(stmt) {
		return refusal("its string must not be computed behind the other values of the statement")
	}
	pool, _, err := m.listPool(v, basin, ast.Unparen(m.call.Fun))
	if err != nil {
		return err
	}
	r := "r"
	if v.Name == r || mentionsName(from, r) {
		r = "c"
	}
	if v.Name == r || mentionsName(from, r) {
		return refusal("the names r and c are taken")
	}
	m.replaceCall(pool + ".Get()[:0]")
	return m.after(stmt, append([]string{
		"for _, " + r + " := range " + m.text(from) + " {", "\t" + v.Name + " = append(" + v.Name + ", " + r + ")", "}",
		"defer " + pool + ".Put(" + v.Name + ")",
	}, m.clip(v)...)...)
}

// isAlone reports whether a statement computes one value.
func isAlone(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		return len(s.Rhs) == 1
	case *ast.DeclStmt:
		return true // setting has seen to that
	}
	return false
}

// mentionsName reports whether an expression has an identifier of a name.
func mentionsName(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// converted has the bytes of a string copied into a slice from basin.
func (m *mend) converted() error {
	from, err := m.convertedTo(types.Typ[types.Byte])
	if err != nil {
		return err
	}
	stmt, v, basin, err := m.statement()
	if isPart(err) && !m.a.fate.grows {
		return m.lift(func(basin string) (string, error) {
			return "append(" + basin + ".Get(len(" + from.Name + "))[:0], " + from.Name + "...)", nil
		})
	}
	if err != nil {
		return err
	}
	m.replaceCall("append(" + basin + ".Get(len(" + from.Name + "))[:0], " + from.Name + "...)")
	return m.after(stmt, append([]string{"defer " + basin + ".Put(" + v.Name + ")"}, m.clip(v)...)...)
}

func (m *mend) convertedTo(elem types.Type) (from *ast.Ident, err error) {
	from, ok := ast.Unparen(m.call.Args[0]).(*ast.Ident)
	if !ok || !m.hasType(m.call, types.NewSlice(elem)) || !isString(m.file.pkg.TypesInfo.TypeOf(from)) {
		return nil, refusal("it is no conversion of a string variable to []byte or []rune")
	}
	return from, nil
}

// listPool declares a pool of slices of a type, and returns the text of that, too.
func (m *mend) listPool(v *ast.Ident, basin string, typ ast.Expr) (pool, t string, err error) {
	list, ok := m.file.pkg.TypesInfo.TypeOf(typ).Underlying().(*types.Slice)
	if !ok {
		return "", "", refusal("its type is no slice")
	}
	if !m.isOfPackage(typ) || !isSized(list.Elem()) {
		return "", "", refusal("its type is not known outside of the function")
	}
	t = m.text(typ)
	pool, err = m.poolOfLists(v, basin, list, t)
	return pool, t, err
}

// poolOfLists declares a pool of slices, whose type has this text.
func (m *mend) poolOfLists(v *ast.Ident, basin string, list *types.Slice, t string) (string, error) {
	reset := ""
	if clears(list) {
		reset = fmt.Sprintf("\tReset: func(s %s) %s {\n\t\tclear(s[:cap(s)])\n\t\treturn s\n\t},\n", t, t)
	}
	return m.declare(v, fmt.Sprintf("%s.Pool[%s]{\n\tNew: func() %s { return %s{} },\n\tSize: func(s %s) int { return %d * cap(s) },\n%s}",
		basin, t, t, t, t, sizeOfType(list.Elem()), reset))
}

// clears reports whether the pool of a slice clears it, because an idle slice must not keep memory of its elements.
func clears(list *types.Slice) bool { return mayAlias(list.Elem()) || !isPlain(list.Elem()) }

// copied has io.Copy take its buffer from basin.
func (m *mend) copied() error {
	fn := m.funcName(m.call.Fun)
	if fn != "io.Copy" && fn != "io.CopyN" {
		return refusal("it is not io.Copy")
	}
	if fn == "io.CopyN" && !m.dropsResults() {
		return refusal("io.CopyN returns io.EOF if there is less than it has to copy: copy from an io.LimitReader, and compare the count")
	}
	if m.breaks() {
		return refusal("a Write or Read method of the program keeps its argument")
	}
	m.copies = true
	basinio, err := m.library(copying, m.call.Pos())
	if err != nil {
		return err
	}
	if fn == "io.CopyN" {
		return m.limited(basinio)
	}
	m.replaceFunction(basinio + ".Copy")
	return nil
}

// breaks reports whether a method of the program that has a contract may keep its argument.
func (m *mend) breaks() bool {
	return slices.ContainsFunc(m.tracer.keepers, func(fn *ssa.Function) bool {
		return !isUnmarshaler(fn) && !strings.HasPrefix(fn.Name(), "Append") && m.tracer.moduleOf(fn) == nil
	})
}

// scanned has a bufio.Scanner read into a slice from basin, of the size that it grows to.
func (m *mend) scanned() error {
	stmt, v, basin, err := m.constructor("bufio.NewScanner")
	if err != nil {
		return err
	}
	for _, r := range *m.a.instr.(ssa.Value).Referrers() {
		if c, ok := r.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == "Buffer" {
			return refusal("it has a Buffer already")
		}
	}
	name := v.Name + "Buf"
	if m.isTaken(name) {
		return refusal("the name " + name + " is taken")
	}
	size := int64(4 << 10)
	for size < m.a.largest && size < 64<<10 { // its limit for a token
		size *= 2
	}
	bufio := ast.Unparen(m.call.Fun).(*ast.SelectorExpr).X.(*ast.Ident).Name
	return m.after(stmt, fmt.Sprintf("%s := %s.Get(%d << 10)", name, basin, size>>10), "defer "+basin+".Put("+name+")",
		v.Name+".Buffer("+name+"[:0:len("+name+")], "+bufio+".MaxScanTokenSize)")
}

// A proxyMaker is an expression that makes a reverse proxy.
type proxyMaker struct {
	file string
	node ast.Node
	stmt ast.Node // that has only it
}

// proxiesOf returns the places of a file that make reverse proxies. A BufferPool counts as two.
func proxiesOf(name string, f *sourceFile) (all []proxyMaker) {
	const fn, typ = "net/http/httputil.NewSingleHostReverseProxy", "net/http/httputil.ReverseProxy"
	var stack []ast.Node
	ast.Inspect(f.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.CompositeLit:
			if t := f.pkg.TypesInfo.TypeOf(n); t != nil && types.TypeString(t, nil) == typ {
				all = append(all, proxyMaker{name, n, nil})
			}
		case *ast.SelectorExpr:
			switch obj := f.pkg.TypesInfo.Uses[n.Sel].(type) {
			case *types.Func:
				if obj.FullName() == fn {
					all = append(all, proxyMaker{name, n, nil})
					if len(stack) > 1 {
						all[len(all)-1].stmt = stack[len(stack)-2]
					}
				}
			case *types.Var:
				if obj.IsField() && obj.Name() == "BufferPool" {
					all = append(all, proxyMaker{}, proxyMaker{})
				}
			}
		}
		stack = append(stack, n)
		return true
	})
	return all
}

// proxied has the only reverse proxy of the program copy with slices from basin.
func (m *mend) proxied() error {
	const set = "basin.Default().Sized(32 << 10)"
	if m.breaks() {
		return refusal("a Write or Read method of the program keeps its argument")
	}
	var all []proxyMaker
	for name, f := range m.files {
		all = append(all, proxiesOf(name, f)...)
	}
	if len(all) != 1 {
		return refusal("there are several proxies, or none that can be seen, or one with a BufferPool")
	}
	made := all[0]
	m.name, m.file = made.file, m.files[made.file]
	name, err := m.basin(made.node.Pos())
	if err != nil {
		return err
	}
	value := strings.Replace(set, "basin", name, 1)
	switch n := made.node.(type) {
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok || types.ExprString(kv.Key) == "BufferPool" {
				return refusal("it has a BufferPool already, or its fields have no names")
			}
		}
		sep := ", "
		switch {
		case len(n.Elts) == 0:
			sep = ""
		case m.fset.Position(n.Lbrace).Line != m.fset.Position(n.Elts[0].Pos()).Line:
			sep = ",\n"
		}
		at := n.Lbrace + 1
		if len(n.Elts) > 0 {
			at = n.Elts[0].Pos()
		}
		m.replace(at, at, "BufferPool: "+value+sep)
		return nil
	default:
		assign, ok := made.stmt.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || assign.Tok != token.DEFINE {
			return refusal("it is a part of a larger expression: give it a variable")
		}
		v := assign.Lhs[0].(*ast.Ident).Name
		return m.after(assign, v+".BufferPool = "+value)
	}
}

// marshaled has the result of json.Marshal encoded into a Buffer from basin.
func (m *mend) marshaled() error {
	if m.funcName(m.call.Fun) != "encoding/json.Marshal" {
		return refusal("it is not json.Marshal")
	}
	stmt, v, basin, err := m.statement()
	if err != nil {
		return err
	}
	check, err := m.errorCheck(stmt, v, "the encoder that would take its place leaves no data with one")
	if err != nil {
		return err
	}
	arg := m.call.Args[0]
	if m.mentions(arg, stmt) {
		return refusal("the statement sets a variable that it reads")
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	info := m.file.pkg.TypesInfo
	buf := v.Name + "Buffer"
	if m.isTaken(buf) {
		return refusal("the name " + buf + " is taken")
	}
	set := func(id *ast.Ident) string {
		if info.Defs[id] != nil {
			return id.Name + " := "
		}
		return id.Name + " = "
	}
	json := ast.Unparen(m.call.Fun).(*ast.SelectorExpr).X.(*ast.Ident).Name
	m.replace(stmt.Pos(), stmt.End(), buf+" := "+basin+".GetBuffer()\n"+indent+"defer "+basin+".PutBuffer("+buf+")\n"+indent+
		set(stmt.(*ast.AssignStmt).Lhs[1].(*ast.Ident))+json+".NewEncoder("+buf+").Encode("+m.text(arg)+")")
	return m.after(check, set(v)+buf+".Bytes()[:"+buf+".Len()-1] // without the newline that Encode adds")
}

// constructor returns the statement that sets a variable to the only result of a function of the standard library.
func (m *mend) constructor(name string) (stmt ast.Stmt, v *ast.Ident, basin string, err error) {
	if m.funcName(m.call.Fun) != name {
		return nil, nil, "", refusal("it is not made by " + name)
	}
	stmt, v, basin, err = m.statement()
	if info := m.file.pkg.TypesInfo; err == nil && !m.hasType(m.call, info.ObjectOf(v).Type()) {
		err = refusal("its variable is of another type")
	}
	return stmt, v, basin, err
}

// liftedRunes has the runes of a string, which are made within a statement, decoded into a slice of a pool before that.
func (m *mend) liftedRunes(from ast.Expr) error {
	stmt := m.liftable([]ast.Expr{from})
	if stmt == nil {
		return m.notFirst()
	}
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	v := ast.NewIdent(m.newName("runes"))
	pool, _, err := m.listPool(v, basin, ast.Unparen(m.call.Fun))
	if err != nil {
		return err
	}
	r := "r"
	for mentionsName(from, r) {
		r += "r"
	}
	text := v.Name + " := " + pool + ".Get()[:0]\n" + indent +
		"for _, " + r + " := range " + m.text(from) + " {\n" + indent + "\t" + v.Name + " = append(" + v.Name + ", " + r + ")\n" + indent + "}\n" + indent +
		"defer " + pool + ".Put(" + v.Name + ")\n" + indent
	if f := m.a.fate; f.grows || f.forked || f.sized || f.resliced {
		text += v.Name + " = " + v.Name + "[:len(" + v.Name + "):len(" + v.Name + ")]\n" + indent
	}
	m.insert(stmt, text)
	m.replaceCall(v.Name)
	return nil
}
