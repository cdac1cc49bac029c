package pooled

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/pools"
	"github.com/basin-go/basin/vet/internal/shape"
)

// withInit returns the functions of a package with that of its initialization. Function literals are among funcs.
func withInit(pkg *ssa.Package, funcs []*ssa.Function) []*ssa.Function {
	if init := pkg.Func("init"); init != nil {
		return append(funcs[:len(funcs):len(funcs)], init)
	}
	return funcs
}

// survey looks at the pools of a package as a whole.
func survey(funcs []*ssa.Function) []*pools.Pool {
	return pools.Survey(funcs, effects.IsPool, func(f *types.Func) pools.Role {
		switch m := effects.Of(f); {
		case m == nil:
		case m.Get:
			return pools.Get
		case m.Puts():
			return pools.Put
		}
		return pools.Neither
	})
}

// Complete reports whether the functions of a package are all that use a variable or a field of it: there is no function
// without a body, no unsafe code, and no file for other systems or in another language that seems to use it.
func (r *Result) Complete(v types.Object) bool {
	for _, imp := range r.Pass.Pkg.Imports() {
		if imp.Path() == "unsafe" {
			return false
		}
	}
	for _, f := range r.Pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil {
				return false
			}
		}
	}
	pattern := `\b` + v.Name() + `\b`
	if f, ok := v.(*types.Var); ok && f.IsField() {
		pattern = `\.` + v.Name() + `\b|\b` + v.Name() + `:`
	}
	used := regexp.MustCompile(pattern)
	for _, files := range [][]string{r.Pass.IgnoredFiles, r.Pass.OtherFiles} {
		for _, file := range files {
			if text, err := r.Pass.ReadFile(file); err != nil || used.Match(text) {
				return false
			}
		}
	}
	return true
}

// NeverSet returns calls that put a field of the package which nobody sets, with the field.
func (r *Result) NeverSet() ([]ssa.CallInstruction, []*types.Var) {
	return pools.NeverSet(withInit(r.info.SSA, r.Funcs), func(c ssa.CallInstruction) ssa.Value {
		args := c.Common().Args
		if e := facts.RowOf(c); e != nil {
			if e.Put == effects.None || e.Put >= len(args) {
				return nil
			}
			return args[e.Put]
		}
		f := shape.Declared(c)
		if f == nil || c.Common().IsInvoke() {
			return nil
		}
		if fact := r.fact(f); fact != nil {
			for _, p := range fact.Puts {
				if p.Path == "" && p.When == facts.Always && p.Arg < len(args) {
					return args[p.Arg]
				}
			}
		}
		return nil
	})
}

// LostInChannel returns places that send pooled memory to a channel whose receivers do not put it.
func (r *Result) LostInChannel() []token.Pos {
	return pools.LostInChannel(withInit(r.info.SSA, r.Funcs), pools.Flow{
		Gets: func(c *ssa.Call) bool {
			if e := facts.RowOf(c); e != nil {
				return e.Get
			}
			f := shape.Declared(c)
			return f != nil && r.fact(f).GetsFirst()
		},
		Ends: func(c ssa.CallInstruction) bool {
			if e := facts.RowOf(c); e != nil {
				return !e.OfPool() && !e.Keeps() && (e.Fresh || e.Calm) && e.Holds == effects.None && e.Part == effects.None && e.View == effects.None
			}
			m := c.Common().Method // a writer does not keep its argument
			return m != nil && m.Name() == "Write" && m.Signature().Params().Len() == 1 && shape.IsSlice(m.Signature().Params().At(0).Type())
		},
	})
}
