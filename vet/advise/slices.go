package advise

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

func (m *mend) make() error {
	if !m.hasType(m.call, types.NewSlice(types.Typ[types.Byte])) {
		return refusal("its type is not []byte")
	}
	stmt, v, basin, err := m.statement()
	if isPart(err) {
		if stmt := m.slicedStatement(); stmt != nil {
			return m.sliced(stmt)
		}
		return m.lift(m.made)
	}
	if err != nil {
		return err
	}
	info := m.file.pkg.TypesInfo
	args := m.call.Args
	length, capacity := args[1], args[len(args)-1]
	empty := isZeroConstant(info, length)
	if m.a.fate.asksRoom() || m.regrows(v) && len(m.a.owners) == 0 || len(args) == 3 && !empty {
		if len(m.a.owners) > 0 {
			return refusal("its capacity has to be exact, and its callers could not put that")
		}
		return m.exactly(stmt, v, basin)
	}
	size, err := m.sizeOf(capacity)
	if err != nil {
		return err
	}
	guard := "" // make panics if the size is negative; so does a slice expression
	if alloc, ok := m.a.instr.(*ssa.MakeSlice); ok && !isNatural(alloc.Cap, map[ssa.Value]bool{}) {
		if size, err = m.once(stmt, capacity, v.Name+"Size"); err != nil {
			return err
		}
		guard = "[:" + size.text + "]"
	}
	text := basin + ".GetZeroed(" + size.int + ")" + guard
	if len(args) == 3 {
		if !m.a.fate.resliced {
			text = basin + ".Get(" + size.int + ")" + guard
		}
		text += "[:0]"
	}
	m.replaceCall(text)
	return m.after(stmt, m.put("defer "+basin+".Put("+v.Name+")")...)
}

// slicedStatement returns the statement of a block that sets a variable to a part of a new slice: b := make([]byte, n)[:m].
func (m *mend) slicedStatement() *ast.AssignStmt {
	if len(m.path) < 3 || len(m.call.Args) != 2 || len(m.a.owners) > 0 {
		return nil
	}
	part, ok := m.path[0].(*ast.SliceExpr)
	if !ok || part.X != ast.Expr(m.call) {
		return nil
	}
	stmt, ok := m.path[1].(*ast.AssignStmt)
	if !ok || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 || stmt.Rhs[0] != ast.Expr(part) || !isList(m.path[2]) {
		return nil
	}
	if _, ok := stmt.Lhs[0].(*ast.Ident); !ok { // which may be computed first
		return nil
	}
	return stmt
}

// sliced gives such memory a variable of its own, from which the part is taken. Its capacity is that of make.
func (m *mend) sliced(stmt *ast.AssignStmt) error {
	basin, err := m.basin(stmt.Pos())
	if err != nil {
		return err
	}
	size, err := m.sizeOf(m.call.Args[1])
	if err != nil {
		return err
	}
	indent, err := m.indentation(stmt)
	if err != nil {
		return err
	}
	name := m.newName("buf")
	length := m.newName(name + "Size")
	asInt := length
	if size.wide != "" {
		asInt = "int(" + length + ")"
	}
	m.insert(stmt, length+" := "+size.text+"\n"+indent+name+" := "+basin+".GetZeroed("+asInt+")[:"+length+"]\n"+indent+
		"defer "+basin+".Put("+name+")\n"+indent)
	m.replaceCall(name + "[:" + length + ":" + length + "]")
	return nil
}

// insert adds text, if there is any, before a statement.
func (m *mend) insert(stmt ast.Stmt, text string) {
	if text == "" {
		return
	}
	begin := m.offset(stmt.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: text})
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
	size, err := m.sizeOf(capacity)
	if err != nil {
		return "", err
	}
	text := basin + ".GetZeroed(" + size.int + ")"
	if empty && len(args) == 3 && !m.a.fate.resliced {
		text = basin + ".Get(" + size.int + ")[:0]"
	}
	if alloc, ok := m.a.instr.(*ssa.MakeSlice); ok && !isNatural(alloc.Cap, map[ssa.Value]bool{}) {
		text += "[:" + size.text + "]"
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
	if from.text == "0" && !m.a.fate.resliced {
		get = ".Get("
	}
	m.replaceCall(basin + get + to.int + ")")
	return m.after(stmt, "defer "+basin+".Put("+v.Name+")", v.Name+" = "+v.Name+"[:"+from.text+":"+to.text+"]")
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
