package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// reused has the rounds of a loop share one array, which is cleared for each as make clears it.
func (m *mend) reused() error {
	info := m.file.pkg.TypesInfo
	if id, ok := m.call.Fun.(*ast.Ident); !ok || id.Name != "make" || !info.Types[id].IsBuiltin() {
		return refusal("it is not made by make")
	}
	list, ok := info.TypeOf(m.call).Underlying().(*types.Slice)
	if !ok || mayAlias(list.Elem()) || !m.isOfFile(m.call.Args[0]) {
		return refusal("an array that stays would keep what its elements point at, or has no type that is known outside of the loop")
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

// beforeLoop adds lines before the outermost loop of the function that has the call.
func (m *mend) beforeLoop(lines ...string) error {
	var loop ast.Stmt
	listed := false
path:
	for i, n := range m.path {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loop, listed = n.(ast.Stmt), i+1 < len(m.path) && isList(m.path[i+1])
		case *ast.FuncLit, *ast.FuncDecl:
			break path
		}
	}
	if loop == nil || !listed {
		return refusal("it runs in a loop that has a label, or is made of goto")
	}
	indent, err := m.indentation(loop)
	if err != nil {
		return err
	}
	begin := m.offset(loop.Pos())
	m.edits = append(m.edits, rewrite.Edit{Start: begin, End: begin, New: strings.Join(lines, "\n"+indent) + "\n" + indent})
	return nil
}
