package advise

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// pictured has an Encoder of package image/png take its memory from a pool, which it puts back itself.
func (m *mend) pictured() error {
	sel, ok := ast.Unparen(m.call.Fun).(*ast.SelectorExpr)
	if !ok {
		return errUnreadable
	}
	if m.breaks() {
		return refusal("a Write or Read method of the program keeps its argument")
	}
	basin, err := m.basin(m.call.Pos())
	if err != nil {
		return err
	}
	pool := func(png string) string {
		return basin + ".Pool[*" + png + ".EncoderBuffer]{\n\tNew: func() *" + png + ".EncoderBuffer { return new(" + png + ".EncoderBuffer) },\n}"
	}
	if pkg, ok := sel.X.(*ast.Ident); ok && m.funcName(sel) == "image/png.Encode" {
		encoder, err := m.declare(ast.NewIdent("Encoder"), pkg.Name+".Encoder{BufferPool: &"+pool(pkg.Name)+"}")
		if err != nil {
			return err
		}
		m.replace(m.call.Fun.Pos(), m.call.Fun.End(), encoder+".Encode") // the import of png stays
		return nil
	}
	lit := m.encoderOf()
	if lit == nil {
		return refusal("its Encoder is not made in the function by a literal that names its fields")
	}
	png := lit.Type.(*ast.SelectorExpr).X.(*ast.Ident).Name
	buffers, err := m.declare(ast.NewIdent("Buffers"), pool(png))
	if err != nil {
		return err
	}
	separator := ""
	if len(lit.Elts) > 0 {
		separator = ", "
	}
	m.replace(lit.Lbrace+1, lit.Lbrace+1, "BufferPool: &"+buffers+separator)
	return nil
}

// encoderOf returns the literal of the Encoder whose method the site calls, or nil.
func (m *mend) encoderOf() (found *ast.CompositeLit) {
	call, ok := m.a.instr.(ssa.CallInstruction)
	if !ok || len(call.Common().Args) == 0 {
		return nil
	}
	made, ok := call.Common().Args[0].(*ssa.Alloc)
	if !ok {
		return nil
	}
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if n.Lbrace == made.Pos() {
				found = n
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Lhs[0].Pos() == made.Pos() {
				found, _ = ast.Unparen(n.Rhs[0]).(*ast.CompositeLit)
			}
		}
		return found == nil
	})
	if found == nil || !namesFields(found) {
		return nil
	}
	if sel, ok := found.Type.(*ast.SelectorExpr); !ok || !strings.HasSuffix(m.file.pkg.TypesInfo.TypeOf(sel).String(), "image/png.Encoder") {
		return nil
	}
	return found
}

// namesFields reports whether a literal of a struct can get another field.
func namesFields(lit *ast.CompositeLit) bool {
	for _, e := range lit.Elts {
		if _, ok := e.(*ast.KeyValueExpr); !ok {
			return false
		}
	}
	return true
}
