package pooled

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/cfg"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/effects"
)

// NoReturn marks a function that never returns, such as one that ends with
// log.Fatal.
type NoReturn struct{}

// AFact marks NoReturn as a fact.
func (*NoReturn) AFact()         {}
func (*NoReturn) String() string { return "never returns" }

// endings are functions known never to return, from which endless finds others. Functions of
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

// endless finds the functions of a package that never return. It exports them as
// facts, and returns a predicate for all functions.
//
// It works like passes/ctrlflow, but only for the few functions that need it. The control
// flow of all functions would take more time and memory than everything else.
func endless(pass *analysis.Pass) func(*types.Func) bool {
	decls := map[*types.Func]*ast.FuncDecl{}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					decls[f] = d
				}
			}
		}
	}
	known := map[*types.Func]bool{}
	var ends func(f *types.Func) bool
	mayReturn := func(call *ast.CallExpr) bool {
		if id, ok := call.Fun.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == types.Universe.Lookup("panic") {
			return false
		}
		f := typeutil.StaticCallee(pass.TypesInfo, call)
		return f == nil || !ends(f)
	}
	// suspicious reports whether a body may have no end that is reached.
	suspicious := func(body *ast.BlockStmt) bool {
		for _, s := range body.List {
			switch s := s.(type) {
			case *ast.ExprStmt:
				if call, ok := s.X.(*ast.CallExpr); ok && !mayReturn(call) {
					return true
				}
			case *ast.ForStmt:
				if s.Cond == nil {
					return true
				}
			case *ast.IfStmt:
				if s.Else != nil {
					return true
				}
			case *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.BlockStmt, *ast.LabeledStmt:
				return true
			}
		}
		return false
	}
	ends = func(f *types.Func) bool {
		f = f.Origin()
		if e, ok := known[f]; ok {
			return e
		}
		known[f] = false // if it calls itself
		decl := decls[f]
		switch {
		case f.Pkg() == nil:
		case endingPackages[f.Pkg().Path()] && endings[f.FullName()]:
			known[f] = true
		case decl == nil:
			known[f] = f.Pkg() != pass.Pkg && pass.ImportObjectFact(f, new(NoReturn))
		case decl.Body != nil && suspicious(decl.Body) && cfg.New(decl.Body, mayReturn).NoReturn():
			known[f] = true
			pass.ExportObjectFact(f, new(NoReturn))
		}
		return known[f]
	}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if f, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					ends(f)
				}
			}
		}
	}
	return ends
}
