package pooled

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/effects"
	"github.com/basin-go/basin/vet/internal/facts"
	"github.com/basin-go/basin/vet/internal/paths"
	"github.com/basin-go/basin/vet/internal/shape"
	"github.com/basin-go/basin/vet/internal/syntax"
)

// Subject returns the source of the argument that the call at pos puts, or "the memory".
func (r *Result) Subject(pos token.Pos) string {
	call := r.Call(pos)
	if call == nil {
		return "the memory"
	}
	var e ast.Expr
	if put := r.Puts(call); len(put) == 1 {
		e = put[0]
	} else if len(call.Args) == 1 {
		e = call.Args[0]
	} else if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && len(call.Args) == 0 {
		e = s.X
	}
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
			if s := types.ExprString(e); len(s) <= 40 {
				return s
			}
			return "the memory"
		default:
			return "the memory"
		}
	}
}

// Earlier returns a clause that names the Put of h, which comes before the use.
func (r *Result) Earlier(h *paths.Hit) string {
	put, memory := r.Text(h.Put), r.Subject(h.Put)
	if Hidden(h.Inner, h.Callee) {
		put = r.Within(h.Inner, h.Callee)
	}
	switch {
	case h.Forget:
		return fmt.Sprintf("%s already gave %s up, to its users", put, memory)
	case h.Defer:
		return fmt.Sprintf("the deferred %s already put %s", put, memory)
	case h.Grow:
		return fmt.Sprintf("%s may already have put the memory that it outgrew", put)
	}
	return fmt.Sprintf("%s already put %s", put, memory)
}

// Hidden reports whether a call has a Put, at inner, that the name of the called function does not say.
func Hidden(inner token.Pos, callee string) bool {
	name := strings.ToLower(callee)
	return inner.IsValid() && !slices.ContainsFunc([]string{"put", "release", "free", "recycle", "return", "give"}, func(verb string) bool {
		return strings.Contains(name, verb)
	})
}

// Within returns the source of a Put and the function that has it, which a call calls. Without the Put, it is the function.
func (r *Result) Within(put token.Pos, callee string) string {
	if put.IsValid() {
		return r.Text(put) + " in " + callee
	}
	return callee
}

// Memory returns the memory that the Put of h puts, and a relative clause that names the Put.
func (r *Result) Memory(h *paths.Hit) string {
	put, memory := r.Text(h.Put), r.Subject(h.Put)
	switch {
	case h.Defer:
		return fmt.Sprintf("%s, which the deferred %s puts", memory, put)
	case h.Grow:
		return fmt.Sprintf("memory that %s may outgrow and put", put)
	}
	return fmt.Sprintf("%s, which %s puts", memory, put)
}

// Story returns the places that led to h: the Get, the Put, with put as its message, and further uses
// after that Put.
func (r *Result) Story(h *paths.Hit, put string) []analysis.RelatedInformation {
	story := append(r.Related(h.Get, "acquired here"), r.Related(h.Put, put)...)
	for _, pos := range h.More {
		story = append(story, r.Related(pos, "also here")...)
	}
	return story
}

// called returns the function that a call calls, and its row or else its fact.
func (r *Result) called(call *ast.CallExpr) (f *types.Func, m *effects.Effect, fact *facts.Fact) {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return nil, nil, nil
	}
	if m = effects.Of(f); m == nil {
		fact = r.fact(f)
	}
	return f, m, fact
}

// Puts returns the arguments that a call puts on every path, the receiver included.
func (r *Result) Puts(call *ast.CallExpr) (put []ast.Expr) {
	f, m, fact := r.called(call)
	add := func(i int) {
		if args := syntax.Args(r.Pass.TypesInfo, call, f); i >= 0 && i < len(args) {
			put = append(put, ast.Unparen(args[i]))
		}
	}
	switch {
	case m != nil:
		add(m.Put)
		add(m.Release)
	case fact != nil:
		for _, p := range fact.Puts {
			if p.Path == "" && p.When == facts.Always {
				add(p.Arg)
			}
		}
	}
	return put
}

// Gets reports whether the first result of a call is from a pool.
func (r *Result) Gets(call *ast.CallExpr) bool {
	_, m, fact := r.called(call)
	return m != nil && m.Get || fact.GetsFirst()
}

// Sized reports whether a call gets memory of a requested size from a pool.
func (r *Result) Sized(call *ast.CallExpr) bool {
	f, m, fact := r.called(call)
	return m != nil && m.Get && shape.IsInteger(f.Signature().Params(), 0) || fact != nil && fact.Sized
}

// Appends returns the argument that a function of the program appends to and returns, or nil.
func (r *Result) Appends(call *ast.CallExpr) ast.Expr {
	f, _, fact := r.called(call)
	if fact == nil {
		return nil
	}
	args := syntax.Args(r.Pass.TypesInfo, call, f)
	for _, a := range fact.Aliases {
		if a.Result == 0 && a.Grown && a.Path == "" && a.Arg < len(args) {
			return ast.Unparen(args[a.Arg])
		}
	}
	return nil
}

// Grows returns the argument that a call may put because it outgrows it, or nil.
func (r *Result) Grows(call *ast.CallExpr) ast.Expr {
	f, m, _ := r.called(call)
	if m != nil && m.Grow != effects.None {
		if args := syntax.Args(r.Pass.TypesInfo, call, f); m.Grow < len(args) {
			return ast.Unparen(args[m.Grow])
		}
	}
	return nil
}
