package advise

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// assemblyOf returns the functions of a package that are written in assembly and whose comment //go:noescape tells the
// compiler that they keep none of their arguments. Compiled programs have such arguments on their stacks, so that a function
// which breaks this promise breaks them, too.
func assemblyOf(p *packages.Package) map[types.Object]bool {
	if !slices.ContainsFunc(p.OtherFiles, func(name string) bool { return strings.HasSuffix(name, ".s") }) {
		return nil
	}
	all, linked := map[types.Object]bool{}, map[string]bool{}
	for _, f := range p.Syntax {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
					linked[words[1]] = true // it may have a body in Go elsewhere
				}
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil && isNoescape(fn) {
				all[p.TypesInfo.Defs[fn.Name]] = true
			}
		}
	}
	for fn := range all {
		if linked[fn.Name()] {
			delete(all, fn)
		}
	}
	return all
}

// isNoescape reports whether a function promises to keep none of its arguments.
func isNoescape(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.TrimSpace(c.Text) == "//go:noescape" })
}
