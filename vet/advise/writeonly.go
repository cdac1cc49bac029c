package advise

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The Bytes of a Buffer that begins without memory are nil if nothing was written to it, but not if it has read nothing from somewhere.
// So it matters whether a variable that has a Buffer is written to only, by its function or by others of the module.

// writesOnly are methods of a bytes.Buffer that leave it nil if they write nothing, or do not change it.
var writesOnly = map[string]bool{"Write": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "Bytes": true, "String": true, "Len": true}

// A writeOnly looks at the uses of variables that have a Buffer, or an io.Writer that is one.
type writeOnly struct {
	*source
	seen map[types.Object]bool
}

// isWritten reports whether a variable of a file is only written to.
func (w *writeOnly) isWritten(f *sourceFile, v types.Object) bool {
	if w.seen[v] {
		return true
	}
	w.seen[v] = true
	ok := true
	var stack []ast.Node
	ast.Inspect(f.File, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if use, isName := n.(*ast.Ident); isName && f.pkg.TypesInfo.Uses[use] == v {
			ok = ok && w.isWrite(f, use, stack)
		}
		stack = append(stack, n)
		return true
	})
	return ok
}

// isWrite reports whether a use of a variable only writes to it: a method, or a function that is known not to read from elsewhere into
// it, which would make its memory.
func (w *writeOnly) isWrite(f *sourceFile, use *ast.Ident, stack []ast.Node) bool {
	var arg ast.Expr = use
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return arg == ast.Expr(use) && writesOnly[n.Sel.Name]
		case *ast.UnaryExpr, *ast.ParenExpr:
			arg = n.(ast.Expr)
		case *ast.CallExpr:
			fn := calledBy(f, n)
			return fn != nil && fn.Pkg() != nil && (fillers[fn.Pkg().Path()] || w.isWrittenBy(fn, slices.Index(n.Args, arg)))
		default:
			return false
		}
	}
	return false
}

// calledBy returns the function that a call names, or nil.
func calledBy(f *sourceFile, call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	fn, _ := f.pkg.TypesInfo.Uses[id].(*types.Func)
	return fn
}

// isWrittenBy reports whether a function of the module only writes to its argument of a number.
func (w *writeOnly) isWrittenBy(fn *types.Func, i int) bool {
	fn = fn.Origin()
	sig := fn.Signature()
	if i < 0 || i >= sig.Params().Len() || sig.Variadic() && i == sig.Params().Len()-1 || len(w.tracer.variants[fn]) > 0 {
		return false
	}
	made := w.tracer.prog.FuncValue(fn)
	if made == nil || made.Syntax() == nil || !made.Pos().IsValid() {
		return false
	}
	f := w.files[w.fset.PositionFor(made.Pos(), false).Filename]
	return f != nil && isDeclaredIn(f, made) && w.isWritten(f, sig.Params().At(i))
}

// isDeclaredIn reports whether a file has the body of a function.
func isDeclaredIn(f *sourceFile, fn *ssa.Function) bool {
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	return ok && decl.Body != nil && slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return d == ast.Decl(decl) })
}

// fillers are packages whose functions write to an io.Writer by Write alone, or by WriteString and WriteByte.
var fillers = map[string]bool{"fmt": true, "encoding/json": true, "encoding/xml": true, "encoding/gob": true, "encoding/csv": true,
	"encoding/binary": true, "encoding/hex": true, "encoding/base64": true, "encoding/pem": true, "text/template": true,
	"html/template": true, "compress/gzip": true, "compress/zlib": true, "compress/flate": true, "image/png": true,
	"image/jpeg": true, "image/gif": true, "text/tabwriter": true, "mime/quotedprintable": true}
