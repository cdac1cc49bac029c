package advise

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
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
	a     *allocation
	call  *ast.CallExpr // that allocates, or nil
	path  []ast.Node    // the nodes around the call, from the inside
	file  *sourceFile
	name  string // of the file
	pools bool   // the edits need the import of basin
	clone string // how to begin the expression of a copy, if not by slices.Clone
	edits []rewrite.Edit
	gone  []*ast.Ident // names in syntax that is removed

	imports []string // packages of the standard library that the edits need
}

// A refusal says why there is no patch for a site that should be pooled.
type refusal string

func (r refusal) Error() string { return string(r) }

const errPart = refusal("it is a part of a larger expression: give it a variable")

const errUnreadable = refusal("it is written in a way that this tool does not know; change it by hand")

// mend makes the edits of an allocation.
func (s *source) mend(a *allocation) (m *mend, err error) {
	m = &mend{source: s, a: a}
	_, m.call, m.path = s.callAt(a.instr)
	pos := s.fset.PositionFor(a.instr.Pos(), false)
	m.name, m.file = pos.Filename, s.files[pos.Filename]
	switch f := a.fate; {
	case m.file == nil:
		return nil, errUnreadable
	case s.fset.PositionFor(a.instr.Pos(), true).Filename != pos.Filename:
		return nil, refusal("its file is made from another; change that one")
	case f.way != stays && len(a.copies)+len(a.owners) == 0:
		return nil, refusal("the memory leaves the function")
	case a.loop && !a.reusable() && a.kind != kindCopy && a.kind != kindProxy && a.kind != kindPNG: // which put it back themselves
		return nil, refusal("it runs in a loop, and a deferred Put comes only when the function returns: make the body a function")
	case f.sized && !m.isExact():
		return nil, refusal("cap is called on it, and slices of a pool have a larger capacity")
	case f.forked && !m.isExact():
		return nil, refusal("two slices may be made of it by append, which would share a pool's larger array")
	case f.asserted && (a.kind == kindBuffer || a.kind == kindBuilder):
		return nil, refusal("a type assertion depends on its type, which the patch changes")
	}
	var edit func() error
	converts, isConversion := a.instr.(*ssa.Convert)
	switch a.kind {
	case kindMake:
		switch edit = m.make; {
		case a.growing():
			edit = m.appended
		case a.loop:
			edit = m.reused
		}
	case kindReadAll:
		edit = m.readAll
	case kindBuffer, kindBuilder:
		edit = m.buffer
	case kindSlice:
		switch {
		case a.loop:
			edit = m.reused
		case !isConversion:
			edit = m.listed
		case isBytes(converts.Type()):
			edit = m.converted
		default:
			edit = m.runes
		}
	case "gzip", "zlib", "flate", "zstd", kindHash:
		edit = m.resettable
	case "bufio":
		if a.borrows {
			return nil, refusal("its argument has to change, which this tool cannot do")
		}
		edit = m.buffered
		if p, ok := a.instr.(ssa.Value); ok && strings.HasSuffix(p.Type().String(), "bufio.Scanner") {
			edit = m.scanned
		}
	case kindAppend:
		edit = m.appended
	case kindCipher:
		edit = m.sealed
	case kindCopy:
		edit = m.copied
	case kindProxy:
		edit = m.proxied
	case kindPNG:
		return nil, refusal("a BufferPool is an interface, which a type of yours has to implement")
	case "json":
		edit = m.marshaled
	default:
		return nil, refusal("this tool writes none for memory of this kind")
	}
	if m.call == nil && !slices.Contains([]kind{kindAppend, kindBuffer, kindBuilder}, a.kind) && a.kind != kindProxy {
		return nil, errUnreadable
	}
	if err := edit(); err != nil {
		return nil, err
	}
	return m, m.copyResults()
}

// isExact reports whether the patch gives the slice the capacity that make gives it.
func (m *mend) isExact() bool {
	_, converted := m.a.instr.(*ssa.Convert)
	return m.a.kind == kindMake || m.a.kind == kindSlice && !converted
}

func (m *mend) replace(from, to token.Pos, text string) {
	m.edits = append(m.edits, rewrite.Edit{Start: m.offset(from), End: m.offset(to), New: text})
}

func (m *mend) offset(pos token.Pos) int { return m.fset.PositionFor(pos, false).Offset }

func (m *mend) text(e ast.Expr) string {
	return string(m.contents[m.name][m.offset(e.Pos()):m.offset(e.End())])
}

func (m *mend) replaceCall(text string) { m.replace(m.call.Pos(), m.call.End(), text) }

func (m *mend) make() error {
	if !m.hasType(m.call, types.NewSlice(types.Typ[types.Byte])) {
		return refusal("its type is not []byte")
	}
	stmt, v, basin, err := m.statement()
	if errors.Is(err, errPart) {
		return m.lift(m.made)
	}
	if err != nil {
		return err
	}
	info := m.file.pkg.TypesInfo
	args := m.call.Args
	length, capacity := args[1], args[len(args)-1]
	empty := isZeroConstant(info, length)
	if m.a.fate.sized || m.a.fate.forked || m.regrows(v) && len(m.a.owners) == 0 || len(args) == 3 && !empty {
		if len(m.a.owners) > 0 {
			return refusal("its capacity has to be exact, and its callers could not put that")
		}
		return m.exactly(stmt, v, basin)
	}
	size, err := m.size(capacity)
	if err != nil {
		return err
	}
	guard := "" // make panics if the size is negative; so does a slice expression
	if alloc, ok := m.a.instr.(*ssa.MakeSlice); ok && !isNatural(alloc.Cap, map[ssa.Value]bool{}) {
		if size, err = m.once(stmt, capacity, v.Name+"Size"); err != nil {
			return err
		}
		guard = "[:" + size + "]"
	}
	text := basin + ".GetZeroed(" + size + ")" + guard
	if len(args) == 3 {
		switch {
		case m.a.fate.resliced:
			text += "[:0]"
		case guard != "":
			text = basin + ".Make(" + size + ")" + guard + "[:0]"
		default:
			text = basin + ".Make(" + size + ")"
		}
	}
	m.replaceCall(text)
	return m.after(stmt, m.put("defer "+basin+".Put("+v.Name+")")...)
}

// made returns an expression in the place of make whose size may be written twice.
func (m *mend) made(basin string) (string, error) {
	info := m.file.pkg.TypesInfo
	args := m.call.Args
	length, capacity := args[1], args[len(args)-1]
	empty := isZeroConstant(info, length)
	if len(args) == 3 && !empty {
		return "", errPart
	}
	size, err := m.size(capacity)
	if err != nil {
		return "", err
	}
	text := basin + ".GetZeroed(" + size + ")"
	if empty && len(args) == 3 && !m.a.fate.resliced {
		text = basin + ".Make(" + size + ")"
	}
	if alloc, ok := m.a.instr.(*ssa.MakeSlice); ok && !isNatural(alloc.Cap, map[ssa.Value]bool{}) {
		text += "[:" + size + "]"
	}
	if len(args) == 3 {
		text += "[:0]"
	}
	return text, nil
}

// exactly gives the slice the length and the capacity of make, behind the deferred Put, which takes all of the array.
func (m *mend) exactly(stmt ast.Stmt, v *ast.Ident, basin string) error {
	from, to, err := m.bounds(stmt, v)
	if err != nil {
		return err
	}
	get := ".GetZeroed("
	if from == "0" && !m.a.fate.resliced {
		get = ".Get("
	}
	m.replaceCall(basin + get + to + ")")
	return m.after(stmt, "defer "+basin+".Put("+v.Name+")", v.Name+" = "+v.Name+"[:"+from+":"+to+"]")
}

// bounds returns the length and the capacity of make, each an expression that may be written twice.
func (m *mend) bounds(stmt ast.Stmt, v *ast.Ident) (length, capacity string, err error) {
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
func (m *mend) once(stmt ast.Stmt, e ast.Expr, name string) (string, error) {
	size, err := m.size(e)
	if err != nil {
		return "", err
	}
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && !sets(stmt, id.Name) || isConstant(m.file.pkg.TypesInfo, e) {
		return size, nil
	}
	return m.hoist(stmt, name, size)
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

// size returns the text of a size as an int.
func (m *mend) size(e ast.Expr) (string, error) {
	text, tv := m.text(e), m.file.pkg.TypesInfo.Types[e]
	b, ok := tv.Type.Underlying().(*types.Basic)
	switch {
	case !ok:
		return "", refusal("its size is of no known type")
	case tv.Type == types.Typ[types.Int] || b.Info()&types.IsUntyped != 0:
		return text, nil
	}
	switch b.Kind() {
	case types.Int, types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16, types.Uint32:
		return "int(" + text + ")", nil
	}
	return "", refusal("its size is of type " + tv.Type.String() + ", which an int may not hold")
}

// isNatural reports whether a number is never negative, and fits an int of any machine. Sums and products may overflow.
func isNatural(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true // as far as this way leads
	}
	seen[v] = true
	t, _ := v.Type().Underlying().(*types.Basic)
	if t == nil {
		return false
	}
	switch t.Kind() {
	case types.Uint8, types.Uint16:
		return true
	case types.Int, types.Int8, types.Int16, types.Int32:
	default:
		return false
	}
	natural := func(v ssa.Value) bool { return isNatural(v, seen) }
	all := func(vs ...ssa.Value) bool {
		return !slices.ContainsFunc(vs, func(v ssa.Value) bool { return !natural(v) })
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constant.Sign(v.Value) >= 0
	case *ssa.Phi:
		return all(v.Edges...)
	case *ssa.Convert:
		return t.Kind() == types.Int && natural(v.X)
	case *ssa.BinOp:
		switch v.Op {
		case token.AND:
			return isNaturalConst(v.X) || isNaturalConst(v.Y) || all(v.X, v.Y)
		case token.REM, token.SHR:
			return natural(v.X)
		case token.QUO:
			return all(v.X, v.Y)
		}
	case *ssa.Call:
		b, ok := v.Call.Value.(*ssa.Builtin)
		if !ok {
			return false
		}
		switch b.Name() {
		case "len", "cap", "copy":
			return true
		case "min":
			return all(v.Call.Args...)
		case "max":
			return slices.ContainsFunc(v.Call.Args, isNaturalConst) || all(v.Call.Args...)
		}
	}
	return false
}

func isNaturalConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && constant.Sign(c.Value) >= 0
}

// hoist declares a variable before a statement, for a value that the statement computes first.
func (m *mend) hoist(stmt ast.Stmt, name, value string) (string, error) {
	if a, ok := stmt.(*ast.AssignStmt); ok && len(a.Rhs) > 1 {
		return "", refusal("its size must not be computed before the other values: give it a statement of its own")
	}
	if m.isTaken(name) {
		return "", refusal("its size may be negative, on which only make panics, and the name " + name + " is taken: give the size a variable")
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return "", err
	}
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: name + " := " + value + "\n" + indent})
	return name, nil
}

func (m *mend) readAll() error {
	stmt, v, basin, err := m.statement()
	if err != nil {
		return err
	}
	check, err := m.errorCheck(stmt, v, "basin.ReadAll returns no data with one")
	if err != nil {
		return err
	}
	m.replaceFunction(basin + ".ReadAll")
	return m.after(check, append(m.put("defer "+basin+".Put("+v.Name+")"), m.clip(v)...)...)
}

// clip returns the statement after which append leaves the array alone, if a variable regrows.
func (m *mend) clip(v *ast.Ident) []string {
	if !m.regrows(v) {
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
	err = errPart
	var target ast.Expr
	switch n := path[0].(type) {
	case *ast.AssignStmt:
		i := slices.IndexFunc(n.Rhs, func(e ast.Expr) bool { return ast.Unparen(e) == ast.Expr(m.call) })
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
	next, ok := m.next(stmt).(*ast.IfStmt)
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
	used := false
	ast.Inspect(next.Body, func(n ast.Node) bool {
		if n, ok := n.(*ast.Ident); ok && info.Uses[n] != nil && info.Uses[n] == info.ObjectOf(v) {
			used = true
		}
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 0 {
			used = used || m.isNamedResult(info.ObjectOf(v))
		}
		return true
	})
	if used {
		return nil, refusal("its result is used after an error, and " + why)
	}
	return next, nil
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
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		default:
			continue
		}
		for i, s := range list {
			if s == stmt && i+1 < len(list) {
				return list[i+1]
			}
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
	name := "basin"
	for _, spec := range m.file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == rewrite.Library {
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	scope := m.file.pkg.Types.Scope().Innermost(pos)
	if scope == nil {
		return "", refusal("its scope is not known")
	}
	switch _, obj := scope.LookupParent(name, pos); obj := obj.(type) {
	case nil:
		return name, nil
	case *types.PkgName:
		if obj.Imported().Path() == rewrite.Library {
			return name, nil
		}
	}
	return "", refusal("the name " + name + " means something else there: rename that, or import basin under another name")
}

// methods are those that both Buffers have, with the same meaning.
var methods = map[string]bool{"Bytes": true, "String": true, "Len": true, "Reset": true, "Truncate": true, "Grow": true,
	"Write": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "ReadFrom": true, "WriteTo": true, "Read": true,
	"Next": true, "ReadByte": true, "ReadRune": true, "UnreadByte": true, "UnreadRune": true, "ReadBytes": true, "ReadString": true}

// buffer replaces a variable that is a bytes.Buffer, or a pointer to a new one.
func (m *mend) buffer() error {
	pos := m.a.instr.Pos()
	var id *ast.Ident
	var stmt ast.Stmt
	value := false
	grow := ""
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeclStmt:
			d := n.Decl.(*ast.GenDecl)
			if len(d.Specs) != 1 {
				return true
			}
			if s, ok := d.Specs[0].(*ast.ValueSpec); ok && len(s.Names) == 1 && s.Names[0].Pos() == pos {
				if len(s.Values) == 0 {
					id, stmt, value = s.Names[0], n, true
					m.forget(s.Type)
				} else if s.Type == nil && m.isEmptyBuffer(s.Values[0]) {
					id, stmt, value = s.Names[0], n, true
				}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				return true
			}
			if n.Lhs[0].Pos() == pos && m.isEmptyBuffer(n.Rhs[0]) {
				id, stmt, value = n.Lhs[0].(*ast.Ident), n, true
			} else if n.Rhs[0].Pos() <= pos && pos < n.Rhs[0].End() {
				var ok bool
				if grow, ok = m.isNewBuffer(n.Rhs[0]); ok {
					id, stmt = n.Lhs[0].(*ast.Ident), n
				}
			}
		}
		return true
	})
	if id == nil {
		return errUnreadable
	}
	info := m.file.pkg.TypesInfo
	v := info.Defs[id]
	if v == nil {
		return errUnreadable
	}
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	var stack []ast.Node
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if use, ok := n.(*ast.Ident); ok && info.Uses[use] == v && !m.bufferUse(use, stack, value) {
			err = refusal("it is used in a way that only a bytes.Buffer allows")
		}
		stack = append(stack, n)
		return true
	})
	if err != nil {
		return err
	}
	if m.a.loop {
		_, m.path = m.around(stmt)
		name := id.Name + "Buffer"
		if m.isTaken(name) || grow != "" {
			return refusal("the name " + name + " is taken, or it begins with memory of its own")
		}
		m.declared[name] = true
		m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+name)
		if err := m.beforeLoop(name+" := "+basin+".GetBuffer()", "defer "+basin+".PutBuffer("+name+")"); err != nil {
			return err
		}
		return m.after(stmt, id.Name+".Reset()")
	}
	m.replace(stmt.Pos(), stmt.End(), id.Name+" := "+basin+".GetBuffer()")
	lines := []string{"defer " + basin + ".PutBuffer(" + id.Name + ")"}
	if grow != "" {
		lines = append(lines, id.Name+".Grow("+grow+")")
	}
	return m.after(stmt, lines...)
}

// around returns the nodes around a statement, from the inside.
func (m *mend) around(stmt ast.Stmt) (inner ast.Node, path []ast.Node) {
	path, _ = astutil.PathEnclosingInterval(m.file.File, stmt.Pos(), stmt.End())
	return path[0], path[1:]
}

// isGrowing reports whether a type is bytes.Buffer or strings.Builder.
func isGrowing(t types.Type) bool { return isBuffer(t) || isBuilder(t) }

// isEmptyBuffer reports whether an expression is the literal of an empty bytes.Buffer.
func (m *mend) isEmptyBuffer(e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok || len(lit.Elts) > 0 || !isGrowing(m.file.pkg.TypesInfo.TypeOf(lit)) {
		return false
	}
	m.forget(lit.Type)
	return true
}

// isNewBuffer reports whether an expression makes a pointer to an empty bytes.Buffer, and of which capacity.
func (m *mend) isNewBuffer(e ast.Expr) (grow string, ok bool) {
	info := m.file.pkg.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return "", m.isEmptyBuffer(e.X)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "new" && info.Types[e.Fun].IsBuiltin() && isGrowing(info.TypeOf(e.Args[0])) {
			m.forget(e.Args[0])
			return "", true
		}
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || len(e.Args) != 1 || info.Uses[sel.Sel] == nil || info.Uses[sel.Sel].Pkg() == nil ||
			info.Uses[sel.Sel].Pkg().Path() != "bytes" || sel.Sel.Name != "NewBuffer" {
			return "", false
		}
		switch arg := ast.Unparen(e.Args[0]).(type) {
		case *ast.CompositeLit:
			ok = len(arg.Elts) == 0
		case *ast.CallExpr:
			id, isName := arg.Fun.(*ast.Ident)
			if ok = isName && id.Name == "make" && info.Types[arg.Fun].IsBuiltin() && len(arg.Args) == 3 &&
				isZeroConstant(info, arg.Args[1]); ok {
				var err error
				grow, err = m.size(arg.Args[2])
				ok = err == nil
			}
		default:
			ok = info.Types[arg].IsNil()
		}
		if ok {
			m.forget(sel)
		}
		return grow, ok
	}
	return "", false
}

// bufferUse reports whether a use of the variable means the same with basin's Buffer. It removes an & before the
// variable.
func (m *mend) bufferUse(use *ast.Ident, stack []ast.Node, value bool) bool {
	parent := stack[len(stack)-1]
	if sel, ok := parent.(*ast.SelectorExpr); ok {
		call, ok := stack[len(stack)-2].(*ast.CallExpr)
		return ok && call.Fun == sel && methods[sel.Sel.Name] && (m.a.kind != kindBuilder || sel.Sel.Name != "Reset")
	}
	var arg ast.Expr = use
	if value {
		u, ok := parent.(*ast.UnaryExpr)
		if !ok || u.Op != token.AND {
			return false
		}
		arg, parent = u, stack[len(stack)-2]
	}
	call, ok := parent.(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return false
	}
	sig, ok := m.file.pkg.TypesInfo.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return false
	}
	for i, a := range call.Args {
		if a != arg {
			continue
		}
		if i >= sig.Params().Len() || sig.Variadic() && i >= sig.Params().Len()-1 {
			return false
		}
		face, ok := sig.Params().At(i).Type().Underlying().(*types.Interface)
		if !ok || face.NumMethods() == 0 {
			return false
		}
		if value {
			m.replace(arg.Pos(), use.Pos(), "")
		}
		return true
	}
	return false
}

// A patch is the change of all sites that have one.
type patch struct {
	*source
	repairs  []*repair
	packages []*rewrite.Package
	sites    map[*rewrite.Package][]*Site
}

// A repair is the part of a patch that is for one site, and for others of the same memory.
type repair struct {
	sites []*Site
	mends []*mend
}

// refuse takes a repair back.
func (c *repair) refuse(err error) {
	for _, s := range c.sites {
		s.Patch, s.Diff = false, ""
		s.Reason += " There is no patch: " + reasonOf(err) + "."
	}
}

// patch makes the edits of all sites that should be pooled. Where there is no edit, the reason of the site says why.
func (s *source) patch(r *Report) *patch {
	p := &patch{source: s}
	done := map[ssa.Instruction]*repair{}
	var sites []*Site // those that grow first, because their patch serves their first array, too
	for _, grows := range []bool{true, false} {
		for _, site := range r.Sites {
			if a := site.found; (site.Verdict == PoolIt || site.Verdict == Reuse) && a != nil && grows == (a.kind == kindAppend) {
				sites = append(sites, site)
			}
		}
	}
	for _, site := range sites {
		a := site.found
		c := done[a.made()]
		if c == nil {
			m, err := s.mend(a)
			var owners []*mend
			if err == nil {
				owners, err = s.owned(a)
			}
			if err != nil {
				site.Reason += " There is no patch: " + err.Error() + "."
				continue
			}
			if site.Verdict == Reuse {
				site.Call = "one array for all rounds of the loop"
			}
			c = &repair{nil, append([]*mend{m}, owners...)}
			done[a.made()], site.Diff = c, m.diffOf()
			p.repairs = append(p.repairs, c)
		}
		c.sites, site.Patch = append(c.sites, site), true
		for _, a := range a.more {
			if done[a.instr] != nil || a.pooled {
				continue
			}
			if m, err := s.mend(a); err == nil {
				c.mends = append(c.mends, m)
				done[a.instr] = c
			}
		}
	}
	p.build()
	return p
}

// build makes the packages of the changes.
func (p *patch) build() {
	p.packages, p.sites = nil, map[*rewrite.Package][]*Site{}
	var names []string
	mends := map[string][]*mend{}
	repairs := map[string][]*repair{}
	for _, c := range p.repairs {
		for _, m := range c.mends {
			if mends[m.name] == nil {
				names = append(names, m.name)
			}
			mends[m.name], repairs[m.name] = append(mends[m.name], m), append(repairs[m.name], c)
		}
	}
	for _, name := range names {
		f := &rewrite.File{Name: name, Old: p.contents[name]}
		for _, m := range mends[name] {
			f.Edits = append(f.Edits, m.edits...)
		}
		if err := p.imports(f, mends[name]); err != nil {
			for _, c := range repairs[name] {
				c.refuse(err)
			}
			p.repairs = slices.DeleteFunc(p.repairs, func(c *repair) bool { return slices.Contains(repairs[name], c) })
			p.build()
			return
		}
		pkg := p.pkg(mends[name][0])
		pkg.Files = append(pkg.Files, f)
		for _, c := range repairs[name] {
			for _, s := range c.sites {
				if !slices.Contains(p.sites[pkg], s) {
					p.sites[pkg] = append(p.sites[pkg], s)
				}
			}
		}
	}
}

// pkg returns the package of a mend.
func (p *patch) pkg(m *mend) *rewrite.Package {
	dir := filepath.Dir(m.name)
	for _, pkg := range p.packages {
		if pkg.Dir == dir {
			return pkg
		}
	}
	pkg := &rewrite.Package{Dir: dir}
	if mod := m.file.pkg.Module; mod != nil && mod.Main {
		pkg.Module = mod.Dir
	}
	p.packages = append(p.packages, pkg)
	return pkg
}

// imports adds basin to the imports of a file, and removes those that the file needs no more. Basin may take the line
// of one of these.
func (s *source) imports(f *rewrite.File, mends []*mend) error {
	file := s.files[f.Name]
	unused := unusedImports(file, mends)
	if err := s.importStandard(f, mends); err != nil {
		return err
	}
	hasBasin := !slices.ContainsFunc(mends, func(m *mend) bool { return m.pools }) || slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(rewrite.Library) })
	var last *ast.ImportSpec
	foreign := false
	if !hasBasin {
		last, foreign = importBefore(file.File)
	}
	offset := func(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }
	src := string(f.Old)
	lineOf := func(n ast.Node) (from, to int, alone bool) {
		from = strings.LastIndexByte(src[:offset(n.Pos())], '\n') + 1
		to = offset(n.End())
		rest, _, _ := strings.Cut(src[to:], "\n")
		after := strings.TrimSpace(rest)
		to = min(to+len(rest)+1, len(src))
		return from, to, strings.TrimSpace(src[from:offset(n.Pos())]) == "" && (after == "" || strings.HasPrefix(after, "//"))
	}
	for _, spec := range unused {
		decl := declOf(file.File, spec)
		instead := !hasBasin && spec == last
		hasBasin = hasBasin || instead
		if !decl.Lparen.IsValid() && instead {
			f.Edits = append(f.Edits, rewrite.Edit{Start: offset(spec.Pos()), End: offset(spec.End()), New: strconv.Quote(rewrite.Library)})
			continue
		}
		var n ast.Node = spec
		if !decl.Lparen.IsValid() {
			n = decl
		}
		from, to, alone := lineOf(n)
		if !alone {
			return errImports
		}
		text := ""
		if instead {
			if text = "\t" + strconv.Quote(rewrite.Library) + "\n"; !foreign {
				text = "\n" + text
			}
		}
		f.Edits = append(f.Edits, rewrite.Edit{Start: from, End: to, New: text})
	}
	if hasBasin {
		return nil
	}
	if len(file.Imports) == 0 {
		end := offset(file.Name.End())
		if rest, _, _ := strings.Cut(src[end:], "\n"); strings.TrimSpace(rest) != "" {
			return errImports
		}
		f.Edits = append(f.Edits, rewrite.Edit{Start: end, End: end, New: "\n\nimport " + strconv.Quote(rewrite.Library)})
		return nil
	}
	if last == nil {
		return errImports
	}
	grouped := declOf(file.File, last).Lparen.IsValid()
	_, to, _ := lineOf(last)
	if rest := strings.TrimSpace(src[offset(last.End()):to]); rest != "" && !strings.HasPrefix(rest, "//") {
		return errImports
	}
	text := "\t" + strconv.Quote(rewrite.Library) + "\n"
	switch {
	case !grouped:
		text = "import " + strconv.Quote(rewrite.Library) + "\n"
	case !foreign:
		text = "\n" + text
	}
	f.Edits = append(f.Edits, rewrite.Edit{Start: to, End: to, New: text})
	return nil
}

// importStandard adds packages of the standard library to the imports of a file, which gofmt sorts.
func (s *source) importStandard(f *rewrite.File, mends []*mend) error {
	file := s.files[f.Name]
	var paths []string
	for _, m := range mends {
		for _, path := range m.imports {
			if !slices.Contains(paths, path) && !slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(path) }) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	first := file.Imports[0]
	text := ""
	for _, path := range paths {
		if text += "\t" + strconv.Quote(path) + "\n"; !declOf(file.File, first).Lparen.IsValid() {
			return errImports
		}
	}
	at := strings.LastIndexByte(string(f.Old[:s.fset.PositionFor(first.Pos(), false).Offset]), '\n') + 1
	f.Edits = append(f.Edits, rewrite.Edit{Start: at, End: at, New: text})
	return nil
}

// unusedImports returns the imports that a file does not need after these mends.
func unusedImports(file *sourceFile, mends []*mend) map[types.Object]*ast.ImportSpec {
	info := file.pkg.TypesInfo
	gone := map[*ast.Ident]bool{}
	for _, m := range mends {
		for _, id := range m.gone {
			gone[id] = true
		}
	}
	used := map[types.Object]bool{}
	needed := map[string]bool{}
	for _, m := range mends {
		for _, path := range m.imports {
			needed[path] = true
		}
	}
	ast.Inspect(file.File, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !gone[id] {
			if pn, ok := info.Uses[id].(*types.PkgName); ok {
				used[pn] = true
			}
		}
		return true
	})
	unused := map[types.Object]*ast.ImportSpec{}
	for id := range gone {
		pn, ok := info.Uses[id].(*types.PkgName)
		if !ok || used[pn] || unused[pn] != nil || needed[pn.Imported().Path()] {
			continue
		}
		for _, spec := range file.Imports {
			if info.Implicits[spec] == pn || spec.Name != nil && info.Defs[spec.Name] == pn {
				unused[pn] = spec
			}
		}
	}
	return unused
}

// importBefore returns the import behind which basin's import belongs, or nil: the last of another module (foreign), or
// else the last of all.
func importBefore(f *ast.File) (last *ast.ImportSpec, foreign bool) {
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path == "C" {
			continue
		}
		first, _, _ := strings.Cut(path, "/")
		if dotted := strings.Contains(first, "."); last == nil || dotted || !foreign {
			last, foreign = spec, foreign || dotted
		}
	}
	return last, foreign
}

const errImports = refusal("the imports of its file are written in a way that this tool does not know; change it by hand")

// declOf returns the declaration that has an import.
func declOf(f *ast.File, spec *ast.ImportSpec) *ast.GenDecl {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Pos() <= spec.Pos() && spec.End() <= g.End() {
			return g
		}
	}
	return nil
}
