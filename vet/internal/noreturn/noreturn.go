// Package noreturn finds functions that never return, such as one that ends with log.Fatal. No path goes on after a call of
// one.
//
// Touch it for a function that ends a program, or a goroutine, in a way that is not seen: add it to endings.
package noreturn

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/cfg"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/effects"
)

// A Fact marks a function that never returns.
type Fact struct{}

// AFact marks Fact as a fact.
func (*Fact) AFact()         {}
func (*Fact) String() string { return "never returns" }

// endings are functions known never to return, from which Find finds others. Functions of
// the standard library are listed because it is not analyzed itself.
var endings, endingPackages = map[string]bool{}, map[string]bool{}

func init() {
	for _, names := range []string{
		"os.Exit syscall.Exit runtime.Goexit",
		"log.Fatal log.Fatalf log.Fatalln log.Panic log.Panicf log.Panicln",
		"(*log.Logger).Fatal (*log.Logger).Fatalf (*log.Logger).Fatalln (*log.Logger).Panic (*log.Logger).Panicf (*log.Logger).Panicln",
		"(*testing.common).FailNow (*testing.common).Fatal (*testing.common).Fatalf",
		"(*testing.common).SkipNow (*testing.common).Skip (*testing.common).Skipf",
		"(*go.uber.org/zap.Logger).Fatal (*go.uber.org/zap.Logger).Panic",
		"(*go.uber.org/zap.SugaredLogger).Fatal (*go.uber.org/zap.SugaredLogger).Fatalf (*go.uber.org/zap.SugaredLogger).Fatalw",
		"(*go.uber.org/zap.SugaredLogger).Panic (*go.uber.org/zap.SugaredLogger).Panicf (*go.uber.org/zap.SugaredLogger).Panicw",
		"(*github.com/sirupsen/logrus.Logger).Exit (*github.com/sirupsen/logrus.Logger).Panic (*github.com/sirupsen/logrus.Entry).Panicf",
		"k8s.io/klog/v2.Exit k8s.io/klog/v2.Exitf k8s.io/klog/v2.Fatal k8s.io/klog/v2.Fatalf k8s.io/klog/v2.Fatalln",
	} {
		for _, name := range strings.Fields(names) {
			endings[name] = true
			endingPackages[effects.PackageOf(name)] = true
		}
	}
}

// Find finds the functions of a package that never return. It exports them as
// facts, and returns a predicate for all functions.
//
// It works like passes/ctrlflow, but only for the few functions that need it. The control
// flow of all functions would take more time and memory than everything else.
func Find(pass *analysis.Pass) func(*types.Func) bool {
	s := search{pass, map[*types.Func]*ast.FuncDecl{}, map[*types.Func]bool{}}
	var funcs []*types.Func
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					s.decls[f] = d
					funcs = append(funcs, f)
				}
			}
		}
	}
	for _, f := range funcs { // of functions that call each other, the first is asked first, in each run
		s.ends(f)
	}
	return s.ends
}

// A search looks at the functions of a package.
type search struct {
	pass  *analysis.Pass
	decls map[*types.Func]*ast.FuncDecl
	known map[*types.Func]bool
}

// ends reports whether a function never returns.
func (s search) ends(f *types.Func) bool {
	f = f.Origin()
	if e, ok := s.known[f]; ok {
		return e
	}
	s.known[f] = false // if it calls itself
	decl := s.decls[f]
	switch {
	case f.Pkg() == nil:
	case endingPackages[f.Pkg().Path()] && endings[f.FullName()]:
		s.known[f] = true
	case decl == nil:
		s.known[f] = f.Pkg() != s.pass.Pkg && s.pass.ImportObjectFact(f, new(Fact))
	case decl.Body != nil && s.suspicious(decl.Body) && cfg.New(decl.Body, s.mayReturn).NoReturn():
		s.known[f] = true
		s.pass.ExportObjectFact(f, new(Fact))
	}
	return s.known[f]
}

// mayReturn reports whether a call may return.
func (s search) mayReturn(call *ast.CallExpr) bool {
	if id, ok := call.Fun.(*ast.Ident); ok && s.pass.TypesInfo.Uses[id] == types.Universe.Lookup("panic") {
		return false
	}
	f := typeutil.StaticCallee(s.pass.TypesInfo, call)
	return f == nil || !s.ends(f)
}

// suspicious reports whether a body may have no end that is reached.
func (s search) suspicious(body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		switch stmt := stmt.(type) {
		case *ast.ExprStmt:
			if call, ok := stmt.X.(*ast.CallExpr); ok && !s.mayReturn(call) {
				return true
			}
		case *ast.ForStmt:
			if stmt.Cond == nil {
				return true
			}
		case *ast.IfStmt:
			if stmt.Else != nil {
				return true
			}
		case *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.BlockStmt, *ast.LabeledStmt:
			return true
		}
	}
	return false
}
