package advise

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A pool is a variable of the package, and so needs a type that the package knows. A type that a function declares moves out
// of that, with its name: it stays the same type for all that can be seen of it.

// isOfPackage reports whether all names of an expression are known in the whole file, if the types that its function declares
// move out. They do so with the edits of the mend.
func (m *mend) isOfPackage(typ ast.Expr) bool {
	if m.isOfFile(typ) {
		return true
	}
	movable := true
	info := m.file.pkg.TypesInfo
	moved := map[types.Object]bool{}
	ast.Inspect(typ, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || !movable || m.isOfFile(id) || moved[info.Uses[id]] {
			return movable
		}
		movable = m.moveType(info.Uses[id])
		moved[info.Uses[id]] = true
		return movable
	})
	if !movable {
		m.moves = nil
	}
	return movable
}

// moveType moves a type that a function declares behind the functions of the file, if its name means nothing there.
func (m *mend) moveType(obj types.Object) bool {
	name, ok := obj.(*types.TypeName)
	if !ok || name.IsAlias() || name.Exported() || types.Universe.Lookup(name.Name()) != nil || m.file.pkg.Types.Scope().Lookup(name.Name()) != nil ||
		m.isImportName(name.Name()) {
		return false
	}
	spec, decl := m.declarationOfType(name)
	if m.isGeneric() || spec == nil || spec.TypeParams != nil || !m.refersOnlyTo(spec.Type, name) {
		return false
	}
	begin := decl.Pos()
	if decl.Doc != nil {
		begin = decl.Doc.Pos()
	}
	src := string(m.contents[m.name])
	from, to, alone := linesOf(src, m.offset(begin), m.offset(decl.End()))
	if !alone || m.declared[name.Name()] && !m.movedTypes[name] {
		return false
	}
	m.declared[name.Name()], m.movedTypes[name] = true, true
	text := "\n" + strings.TrimSpace(src[from:to]) + "\n"
	if !strings.HasSuffix(src, "\n") {
		text = "\n" + text
	}
	m.moves = append(m.moves, rewrite.Edit{Start: from, End: to}, rewrite.Edit{Start: len(src), End: len(src), New: text})
	return true
}

// isGeneric reports whether the function that has the call may have type parameters, each of whose instances has a type of its
// own.
func (m *mend) isGeneric() bool {
	for _, n := range m.path {
		if fn, ok := n.(*ast.FuncDecl); ok {
			obj, ok := m.file.pkg.TypesInfo.Defs[fn.Name].(*types.Func)
			return !ok || obj.Signature().TypeParams() != nil || obj.Signature().RecvTypeParams() != nil
		}
	}
	return true
}

// declarationOfType returns the statement that alone declares a type, and its only part.
func (m *mend) declarationOfType(name *types.TypeName) (spec *ast.TypeSpec, decl *ast.GenDecl) {
	ast.Inspect(m.file.File, func(n ast.Node) bool {
		stmt, ok := n.(*ast.DeclStmt)
		if !ok {
			return spec == nil
		}
		g, ok := stmt.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || len(g.Specs) != 1 || g.Lparen.IsValid() {
			return true
		}
		if s := g.Specs[0].(*ast.TypeSpec); m.file.pkg.TypesInfo.Defs[s.Name] == name {
			spec, decl = s, g
		}
		return true
	})
	return spec, decl
}

// refersOnlyTo reports whether all names of a type are known in the whole file, or are its own.
func (m *mend) refersOnlyTo(typ ast.Expr, own *types.TypeName) bool {
	known := true
	ast.Inspect(typ, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && m.file.pkg.TypesInfo.Uses[id] != own {
			known = known && m.isOfFile(id)
		}
		return known
	})
	return known
}

// isImportName reports whether a file of the package imports another under a name, or all names of another.
func (m *mend) isImportName(name string) bool {
	for _, f := range m.file.pkg.Syntax {
		for _, spec := range f.Imports {
			if spec.Name != nil && (spec.Name.Name == name || spec.Name.Name == ".") {
				return true
			}
			if pn, ok := m.file.pkg.TypesInfo.Implicits[spec].(*types.PkgName); ok && pn.Name() == name {
				return true
			}
		}
	}
	return false
}
