package advise

import (
	"errors"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

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
