package advise

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/basin-go/basin/vet/internal/rewrite"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// A mend has a site take its memory from basin and put it back when the function returns.
// It is made only if
//
//   - the memory stays in the function, which leave.go has proved;
//   - the statement runs at most once in a call of the function, because a deferred Put comes
//     only at its end;
//   - nothing asks for the capacity, and nothing appends twice to the same slice: slices of a
//     pool have more room than was asked for. In place of make, they are cut to the capacity instead;
//   - nothing reads data that came with an error: basin.ReadAll returns none then;
//   - a negative size, of which basin makes an empty slice, still panics.
type mend struct {
	*source
	a      *allocation
	call   *ast.CallExpr // that allocates, or nil
	lit    ast.Expr      // the composite literal that does, or its address, or nil
	path   []ast.Node    // the nodes around the call, from the inside
	file   *sourceFile
	name   string // of the file
	pools  bool   // the edits need the import of basin
	copies bool   // the edits need that of basinio
	pool   string // the pool of its own that the memory comes from
	clone  string // how to begin the expression of a copy, if not by slices.Clone
	edits  []rewrite.Edit
	moves  []rewrite.Edit // of types, which several mends may need
	gone   []*ast.Ident   // names in syntax that is removed

	variable *types.Var // whose slice grows, by these calls
	appends  []*ast.CallExpr

	imports []string // packages of the standard library that the edits need
}

// newMend returns a mend of an allocation, without edits. It has no file if the source lacks that.
func (s *source) newMend(a *allocation) *mend {
	m := &mend{source: s, a: a}
	if _, m.call, m.path = s.callAt(a.instr); m.call == nil && (a.kind == kindMap || a.kind == kindPointer) {
		m.lit, m.path = s.literalAt(a.instr)
	}
	m.name = s.fset.PositionFor(a.instr.Pos(), false).Filename
	m.file = s.files[m.name]
	return m
}

// A refusal says why there is no patch for a site that should be pooled.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	errPart = refusal("it is a part of a larger expression: give it a variable")
	errInit = refusal("it is in the init statement of an if or the like: give it a line before that")
)

// isPart reports whether a call is no statement of a block, and so may have to come before one.
func isPart(err error) bool { return errors.Is(err, errPart) || errors.Is(err, errInit) }

// isInit reports whether the call alone is set in the init statement of an if, a switch or a for.
func (m *mend) isInit() bool {
	for i, n := range m.path {
		switch n := n.(type) {
		case *ast.ParenExpr:
		case *ast.AssignStmt:
			return i+1 < len(m.path) && initOf(m.path[i+1]) == ast.Stmt(n)
		default:
			return false
		}
	}
	return false
}

// initOf returns the init statement of a statement, or nil.
func initOf(n ast.Node) ast.Stmt {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Init
	case *ast.SwitchStmt:
		return n.Init
	case *ast.TypeSwitchStmt:
		return n.Init
	case *ast.ForStmt:
		return n.Init
	}
	return nil
}

const errUnreadable = refusal("it is written in a way that this tool does not know; change it by hand")

// isExact reports whether the patch gives the slice the capacity that make gives it, or a value of the standard library that
// is like a new one.
func (m *mend) isExact() bool {
	switch m.a.kind {
	case kindMake, kindHash, kindPointer, kindSlice: // a struct has no capacity, and the slice of a string may have any
		return true
	case "bufio": // a Scanner gets another array
		v, ok := m.a.instr.(ssa.Value)
		return ok && !m.a.borrows && !strings.HasSuffix(first(v.Type()).String(), "bufio.Scanner")
	}
	return isPackaged(m.a.kind)
}

func (m *mend) replace(from, to token.Pos, text string) {
	m.edits = append(m.edits, rewrite.Edit{Start: m.offset(from), End: m.offset(to), New: text})
}

func (m *mend) offset(pos token.Pos) int { return m.fset.PositionFor(pos, false).Offset }

func (m *mend) text(e ast.Expr) string {
	return string(m.contents[m.name][m.offset(e.Pos()):m.offset(e.End())])
}

func (m *mend) replaceCall(text string) { m.replace(m.maker().Pos(), m.maker().End(), text) }

// maker returns the expression that allocates.
func (m *mend) maker() ast.Expr {
	if m.call == nil {
		return m.lit
	}
	return m.call
}

// A count is the text of a size, as it is and as an int. On a machine where an int cannot hold it, the second is another
// number, so that the first has to be a bound of the slice.
type count struct {
	text, int string
	wide      string // the type of text, if that may not fit an int
}

// exceeds returns a condition: the size is larger than the capacity of a slice.
func (c count) exceeds(slice string) string {
	if c.wide != "" {
		return c.wide + "(cap(" + slice + ")) < " + c.text
	}
	return "cap(" + slice + ") < " + c.text
}

// bounds returns the length and the capacity of make, each an expression that may be written twice.
func (m *mend) bounds(stmt ast.Stmt, v *ast.Ident) (length, capacity count, err error) {
	args := m.call.Args
	if length, err = m.once(stmt, args[1], v.Name+"Len"); err != nil || len(args) == 2 {
		return length, length, err
	}
	capacity, err = m.once(stmt, args[2], v.Name+"Size")
	return length, capacity, err
}

// regrows reports whether something is appended to the slice, and its variable is set again. The deferred Put has the
// first array, and append must not grow into the rest of that array.
func (m *mend) regrows(v *ast.Ident) (again bool) {
	if !m.a.fate.grows {
		return false
	}
	info := m.file.pkg.TypesInfo
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			again = again || slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool {
				id, ok := ast.Unparen(e).(*ast.Ident)
				return ok && id != v && info.Uses[id] != nil && info.Uses[id] == info.ObjectOf(v)
			})
		}
		return !again
	})
	return again
}

// once returns an expression for a size that may be written twice: e itself if that is a variable or a constant, or else a
// new variable of this name.
func (m *mend) once(stmt ast.Stmt, e ast.Expr, name string) (count, error) {
	size, err := m.sizeOf(e)
	if err != nil {
		return count{}, err
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && !sets(stmt, id.Name) || isConstant(m.file.pkg.TypesInfo, e) {
		return size, nil
	}
	text, err := m.hoist(stmt, name, size.text)
	if size.text, size.int = text, text; size.wide != "" {
		size.int = "int(" + text + ")"
	}
	return size, err
}

// sets reports whether a statement assigns to a name, or declares it alone.
func sets(stmt ast.Stmt, name string) bool {
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
			id, ok := ast.Unparen(e).(*ast.Ident)
			return ok && id.Name == name
		})
	case *ast.DeclStmt:
		v, ok := s.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		return ok && v.Names[0].Name == name
	}
	return false
}

func isConstant(info *types.Info, e ast.Expr) bool { return info.Types[e].Value != nil }

func isZeroConstant(info *types.Info, e ast.Expr) bool {
	return isConstant(info, e) && info.Types[e].Value.ExactString() == "0"
}

func (m *mend) hasType(e ast.Expr, t types.Type) bool {
	return types.Identical(m.file.pkg.TypesInfo.TypeOf(e), t)
}

// size returns the text of a size as an int, which surely holds it.
func (m *mend) size(e ast.Expr) (string, error) {
	c, err := m.sizeOf(e)
	if err == nil && c.wide != "" {
		err = refusal("its size is of type " + c.wide + ", which an int may not hold")
	}
	return c.int, err
}

// sizeOf returns the text of a size.
func (m *mend) sizeOf(e ast.Expr) (count, error) {
	text, tv := m.text(e), m.file.pkg.TypesInfo.Types[e]
	b, ok := tv.Type.Underlying().(*types.Basic)
	switch {
	case !ok:
		return count{}, refusal("its size is of no known type")
	case tv.Type == types.Typ[types.Int] || b.Info()&types.IsUntyped != 0:
		return count{text, text, ""}, nil
	}
	asInt := "int(" + text + ")"
	switch b.Kind() {
	case types.Int, types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16, types.Uint32:
		return count{asInt, asInt, ""}, nil
	case types.Uint, types.Uint64, types.Int64, types.Uintptr:
		if types.Unalias(tv.Type) == types.Type(types.Typ[b.Kind()]) {
			return count{text, asInt, b.Name()}, nil
		}
	}
	return count{}, refusal("its size is of type " + tv.Type.String() + ", which an int may not hold")
}

// newName returns a name that the package and the file do not have yet.
func (m *mend) newName(stem string) string {
	name := stem
	for n := 2; m.isTaken(name); n++ {
		name = fmt.Sprint(stem, n)
	}
	m.declared[name] = true
	return name
}

// hoist declares a variable before a statement, for a value that the statement computes first.
func (m *mend) hoist(stmt ast.Stmt, name, value string) (string, error) {
	if a, ok := stmt.(*ast.AssignStmt); ok && len(a.Rhs) > 1 {
		return "", refusal("its size must not be computed before the other values: give it a statement of its own")
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return "", err
	}
	name = m.newName(name)
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: name + " := " + value + "\n" + indent})
	return name, nil
}

// clip returns the statement after which append leaves the array alone, if a variable regrows, or several slices may be made of it.
func (m *mend) clip(v *ast.Ident) []string {
	if f := m.a.fate; !f.asksRoom() && !f.resliced && !m.regrows(v) {
		return nil
	}
	return []string{v.Name + " = " + v.Name + "[:len(" + v.Name + "):len(" + v.Name + ")]"}
}

func (m *mend) replaceFunction(name string) {
	m.forget(m.call.Fun)
	m.replace(m.call.Fun.Pos(), m.call.Fun.End(), name)
}

// forget notes the names in syntax that is removed.
func (m *mend) forget(syntax ast.Node) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			m.gone = append(m.gone, id)
		}
		return true
	})
}

// statement returns the statement of a block that sets a variable to the result of the call, and the name of basin there.
func (m *mend) statement() (stmt ast.Stmt, v *ast.Ident, basin string, err error) {
	if stmt, v, err = m.setting(); err == nil {
		basin, err = m.basin(stmt.Pos())
	}
	return stmt, v, basin, err
}

// setting returns the statement of a block that sets a variable to the result of the call.
func (m *mend) setting() (stmt ast.Stmt, v *ast.Ident, err error) {
	path := m.path
	for len(path) > 1 {
		if _, ok := path[0].(*ast.ParenExpr); !ok {
			break
		}
		path = path[1:]
	}
	if err = errPart; m.isInit() {
		err = errInit
	}
	var target ast.Expr
	switch n := path[0].(type) {
	case *ast.AssignStmt:
		i := slices.IndexFunc(n.Rhs, func(e ast.Expr) bool { return ast.Unparen(e) == m.maker() })
		if i < 0 || n.Tok != token.DEFINE && n.Tok != token.ASSIGN {
			return nil, nil, err
		}
		target, stmt, path = n.Lhs[i], n, path[1:]
	case *ast.ValueSpec:
		decl, ok := path[2].(*ast.DeclStmt)
		if !ok || len(n.Values) != 1 || len(path[1].(*ast.GenDecl).Specs) != 1 {
			return nil, nil, err
		}
		target, stmt, path = n.Names[0], decl, path[3:]
	default:
		return nil, nil, err
	}
	v, ok := target.(*ast.Ident)
	if !isList(path[0]) || !ok || v.Name == "_" {
		return nil, nil, err
	}
	return stmt, v, nil
}

func isList(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// errorCheck returns the if statement behind a statement that sets v and an error. It must end the function if there is
// an error, and must not use v. The refusal says why.
func (m *mend) errorCheck(stmt ast.Stmt, v *ast.Ident, why string) (*ast.IfStmt, error) {
	reason := refusal("the next statement does not end the function after an error, and " + why)
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 {
		return nil, reason
	}
	id, ok := assign.Lhs[1].(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil, reason
	}
	info := m.file.pkg.TypesInfo
	following := m.next(stmt)
	if following == nil {
		return nil, refusal("its block ends before a check of the error, and " + why)
	}
	next, ok := following.(*ast.IfStmt)
	if !ok || next.Init != nil || next.Else != nil || len(next.Body.List) == 0 {
		return nil, reason
	}
	cond, ok := ast.Unparen(next.Cond).(*ast.BinaryExpr)
	if !ok || cond.Op != token.NEQ {
		return nil, reason
	}
	x, ok := ast.Unparen(cond.X).(*ast.Ident)
	if !ok || info.ObjectOf(x) != info.ObjectOf(id) || !info.Types[cond.Y].IsNil() {
		return nil, reason
	}
	if !m.ends(next.Body.List[len(next.Body.List)-1]) {
		return nil, reason
	}
	if m.isUsedIn(next.Body, info.ObjectOf(v)) {
		return nil, refusal("its result is used after an error, and " + why)
	}
	return next, nil
}

// isUsedIn reports whether a block uses a variable, or returns it as a named result.
func (m *mend) isUsedIn(body *ast.BlockStmt, v types.Object) (used bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n, ok := n.(*ast.Ident); ok && v != nil && m.file.pkg.TypesInfo.Uses[n] == v {
			used = true
		}
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 0 {
			used = used || m.isNamedResult(v)
		}
		return true
	})
	return used
}

// ends reports whether a statement ends the function, or the program.
func (m *mend) ends(stmt ast.Stmt) bool {
	if _, ok := stmt.(*ast.ReturnStmt); ok {
		return true
	}
	e, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name == "panic" && m.file.pkg.TypesInfo.Types[fun].IsBuiltin()
	case *ast.SelectorExpr:
		switch m.funcName(fun) {
		case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln":
			return true
		}
	}
	return false
}

// isNamedResult reports whether a variable is a result of the function that has the call.
func (m *mend) isNamedResult(v types.Object) bool {
	for _, n := range m.path {
		var t *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			t = n.Type
		case *ast.FuncLit:
			t = n.Type
		default:
			continue
		}
		return t.Results != nil && v != nil && t.Results.Pos() <= v.Pos() && v.Pos() < t.Results.End()
	}
	return true
}

// next returns the statement behind another, or nil.
func (m *mend) next(stmt ast.Stmt) ast.Stmt {
	for _, n := range m.path {
		if !isList(n) {
			continue
		}
		list := rewrite.Statements(n)
		if i := slices.Index(list, stmt); i >= 0 && i+1 < len(list) {
			return list[i+1]
		}
		return nil
	}
	return nil
}

// after adds lines behind a statement.
func (m *mend) after(stmt ast.Stmt, lines ...string) error {
	if len(lines) == 0 {
		return nil
	}
	src := string(m.contents[m.name])
	end := m.offset(stmt.End())
	rest, _, _ := strings.Cut(src[end:], "\n")
	trimmed := strings.TrimSpace(rest)
	if trimmed != "" && !strings.HasPrefix(trimmed, "//") {
		return refusal("something follows in the same line: begin a new line there")
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	at := end + len(strings.TrimSuffix(rest, "\r"))
	m.edits = append(m.edits, rewrite.Edit{Start: at, End: at, New: "\n" + indent + strings.Join(lines, "\n"+indent)})
	return nil
}

// indentation returns that of a statement, which must begin its line.
func (m *mend) indentation(stmt ast.Stmt) (indent string, err error) {
	src := string(m.contents[m.name])
	begin := m.offset(stmt.Pos())
	if indent = src[strings.LastIndexByte(src[:begin], '\n')+1 : begin]; strings.TrimSpace(indent) != "" {
		return "", refusal("something precedes it in the same line: begin a new line there")
	}
	return indent, nil
}

// basin returns the name of package basin in the file.
func (m *mend) basin(pos token.Pos) (string, error) {
	m.pools = true
	return m.library(rewrite.Library, pos)
}

// library returns the name that a package of basin has, or will have, at a position.
func (m *mend) library(library string, pos token.Pos) (string, error) {
	name := path.Base(library)
	for _, spec := range m.file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == library {
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	scope := m.file.pkg.Types.Scope().Innermost(pos)
	if scope == nil {
		return "", refusal("its scope is not known")
	}
	if err := shadowed(scope, pos); err != nil {
		return "", err
	}
	switch _, obj := scope.LookupParent(name, pos); obj := obj.(type) {
	case nil:
		return name, nil
	case *types.PkgName:
		if obj.Imported().Path() == library {
			return name, nil
		}
	}
	return "", refusal("the name " + name + " means something else there: rename that, or import " + path.Base(library) + " under another name")
}

// put returns the statement by which the function that takes memory from basin puts it, or none if its callers do.
func (m *mend) put(statement string) []string {
	if len(m.a.owners) > 0 {
		return nil
	}
	return []string{statement}
}

// around returns the nodes around a statement, from the inside.
func (m *mend) around(stmt ast.Stmt) (inner ast.Node, path []ast.Node) {
	path, _ = astutil.PathEnclosingInterval(m.file.File, stmt.Pos(), stmt.End())
	return path[0], path[1:]
}

// funcName is the full name of the function of another package that an expression names, or nothing.
func (m *mend) funcName(e ast.Expr) string {
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
		if f, ok := m.file.pkg.TypesInfo.Uses[sel.Sel].(*types.Func); ok {
			return f.FullName()
		}
	}
	return ""
}

// declare adds a variable of the package behind the functions of the file, named by the function and its variable.
func (m *mend) declare(v *ast.Ident, value string) (string, error) {
	return m.declareText(v, func(name string) string { return "\nvar " + name + " = " + value + "\n" })
}

// declareText adds a declaration behind the functions of the file, named by the function and its variable.
func (m *mend) declareText(v *ast.Ident, declaration func(name string) string) (string, error) {
	i := slices.IndexFunc(m.path, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if i < 0 {
		return "", refusal("it is in no function with a name")
	}
	title := func(s string, to func(rune) rune) string {
		r, size := utf8.DecodeRuneInString(s)
		return string(to(r)) + s[size:]
	}
	to := unicode.ToLower
	if m.isPutElsewhere() {
		to = unicode.ToUpper
	}
	stem := title(m.path[i].(*ast.FuncDecl).Name.Name, to) + title(v.Name, unicode.ToUpper)
	name := stem
	for n := 2; m.isTaken(name); n++ {
		name = fmt.Sprint(stem, n)
	}
	m.declared[name] = true
	src := m.contents[m.name]
	text := declaration(name)
	if !strings.HasSuffix(string(src), "\n") {
		text = "\n" + text
	}
	m.edits = append(m.edits, rewrite.Edit{Start: len(src), End: len(src), New: text})
	return name, nil
}

// shadowed returns an error if a word that edits use has another meaning at a position.
func shadowed(scope *types.Scope, pos token.Pos) error {
	for _, word := range []string{"nil", "append", "len", "cap", "clear", "copy", "make"} {
		if _, obj := scope.LookupParent(word, pos); obj != types.Universe.Lookup(word) {
			return refusal("the name " + word + " means something else there: rename that")
		}
	}
	return nil
}

// isTaken reports whether the file or its package has a name.
func (m *mend) isTaken(name string) (taken bool) {
	return m.isNamed(name) || m.declared[name] || m.file.pkg.Types.Scope().Lookup(name) != nil
}

// isNamed reports whether the file has a name.
func (m *mend) isNamed(name string) (named bool) {
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		named = named || ok && id.Name == name
		return !named
	})
	return named
}

// isOfFile reports whether all names of an expression are known in the whole file.
func (m *mend) isOfFile(e ast.Expr) bool {
	local := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := m.file.pkg.TypesInfo.Uses[id].(type) {
		case nil, *types.PkgName:
		default:
			local = local || obj.Pkg() == m.file.pkg.Types && obj.Parent() != obj.Pkg().Scope()
		}
		return true
	})
	return !local
}

// mentions reports whether an expression reads a variable that a statement sets.
func (m *mend) mentions(e ast.Expr, stmt ast.Stmt) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && sets(stmt, id.Name)
		return !found
	})
	return found
}

// needs has the file import a package of the standard library, under its name.
func (m *mend) needs(path string) error {
	m.imports = append(m.imports, path)
	for _, spec := range m.file.Imports {
		if spec.Path.Value == strconv.Quote(path) {
			if spec.Name != nil && spec.Name.Name != path {
				return refusal("package " + path + " has another name in the file")
			}
			return nil
		}
	}
	if m.isTaken(path) {
		return refusal("the name " + path + " is taken in the file")
	}
	return nil
}

// innerLiteral returns the innermost function literal of a stack of nodes, or nil.
func innerLiteral(stack []ast.Node) *ast.FuncLit {
	for _, n := range slices.Backward(stack) {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

func (m *mend) isAppend(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "append" && m.file.pkg.TypesInfo.Types[call.Fun].IsBuiltin()
}

// isPutElsewhere reports whether callers in other packages put the memory, so that its pool needs an exported name.
func (m *mend) isPutElsewhere() bool {
	return slices.ContainsFunc(slices.Concat(m.a.owners, m.a.keeping), func(call *ssa.Call) bool { return call.Parent().Pkg != m.a.instr.Parent().Pkg })
}

// declaredBy returns the only variable that a statement, or a part of it, declares, with its value, which is nil if there is none.
func declaredBy(n ast.Node, spec *ast.ValueSpec) (v *ast.Ident, value ast.Expr) {
	switch n := n.(type) {
	case *ast.DeclStmt:
		if spec == nil || len(spec.Names) != 1 {
			return nil, nil
		}
		if v = spec.Names[0]; len(spec.Values) == 1 {
			value = spec.Values[0]
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok == token.DEFINE {
			v, _ = n.Lhs[0].(*ast.Ident)
			value = n.Rhs[0]
		}
	}
	return v, value
}

// setAlone returns the only variable that a statement declares or sets, and its value, or nil.
func (m *mend) setAlone(n ast.Node) (of *ast.Ident, value ast.Expr) {
	var spec *ast.ValueSpec
	if decl, ok := n.(*ast.DeclStmt); ok {
		if group := decl.Decl.(*ast.GenDecl); len(group.Specs) == 1 {
			spec, _ = group.Specs[0].(*ast.ValueSpec)
		}
	}
	of, value = declaredBy(n, spec)
	if set, ok := n.(*ast.AssignStmt); ok && set.Tok == token.ASSIGN && len(set.Lhs) == 1 {
		of, _ = set.Lhs[0].(*ast.Ident)
		value = set.Rhs[0]
	}
	if value == nil {
		return nil, nil
	}
	return of, value
}

// knowsWords returns an error if a word that edits use has another meaning at a position.
func (m *mend) knowsWords(pos token.Pos) error {
	scope := m.file.pkg.Types.Scope().Innermost(pos)
	if scope == nil {
		return errUnreadable
	}
	return shadowed(scope, pos)
}
