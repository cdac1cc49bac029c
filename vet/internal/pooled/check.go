package pooled

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/basin-go/basin/vet/internal/effects"
)

// Generated makes checks report findings in generated files, too.
var Generated bool

// A Finding is a report of one check about one place.
type Finding struct {
	Pos, End token.Pos
	Message  string
	Related  []analysis.RelatedInformation
	Fixes    []analysis.SuggestedFix
}

// Findings are the findings of one check in one package, silenced ones included.
type Findings []Finding

// Doc returns the text for name in the package comment of source, a Go file. It follows "# Analyzer name" and
// "name:", as in the passes of golang.org/x/tools. So pkg.go.dev, to which findings refer, shows it too.
func Doc(source, name string) string {
	comment, _, _ := strings.Cut(source, "\npackage ")
	text := strings.ReplaceAll(strings.ReplaceAll(comment, "\n// ", "\n"), "\n//", "\n")
	_, text, ok := strings.Cut(text, "\n# Analyzer "+name+"\n\n"+name+": ")
	if !ok {
		panic("no text for " + name)
	}
	text, _, _ = strings.Cut(text, "\n# Analyzer ")
	return strings.TrimSpace(text)
}

// NewCheck returns an analyzer that reports the findings of find, except those that a
// comment silences.
func NewCheck(name, doc string, find func(*Result) []Finding) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       name,
		Doc:        doc,
		URL:        "https://pkg.go.dev/github.com/basin-go/basin/vet/" + name,
		Requires:   []*analysis.Analyzer{Analyzer},
		ResultType: reflect.TypeFor[Findings](),
		Run: func(pass *analysis.Pass) (any, error) {
			r := pass.ResultOf[Analyzer].(*Result)
			if r.info == nil {
				return Findings(nil), nil
			}
			isGenerated, ok := generated(pass), Comments(pass)
			var kept Findings
			seen := map[string]bool{}
			for _, f := range find(r) {
				key := fmt.Sprint(pass.Fset.Position(f.Pos).Line, pass.Fset.File(f.Pos).Name())
				if !f.Pos.IsValid() || isGenerated(f.Pos) && !Generated || seen[key] {
					continue
				}
				seen[key] = true
				kept = append(kept, f)
				if c, silent := ok.at(pass.Fset, f.Pos); silent && c.Reason != "" {
					continue
				}
				pass.Report(analysis.Diagnostic{Pos: f.Pos, End: f.End, Message: f.Message,
					Related: f.Related, SuggestedFixes: f.Fixes})
			}
			return kept, nil
		},
	}
}

// A Comment is a //basin:ok. It silences a line if it has a Reason.
type Comment struct {
	Pos    token.Pos
	Reason string
}

// CommentsByLine has the comments by file and by the line that they silence.
type CommentsByLine map[string]map[int]*Comment

// Comments collects the comments of a package.
func Comments(pass *analysis.Pass) CommentsByLine {
	found := CommentsByLine{}
	for _, f := range pass.Files {
		code := map[int]bool{}
		collected := false
		for _, g := range f.Comments {
			for _, c := range g.List {
				reason, ok := strings.CutPrefix(c.Text, "//basin:ok")
				if !ok || reason != "" && reason[0] != ' ' && reason[0] != '\t' {
					continue
				}
				if !collected {
					collected = true
					ast.Inspect(f, func(n ast.Node) bool {
						switch n.(type) {
						case nil, *ast.Comment, *ast.CommentGroup, *ast.File:
							return n != nil
						}
						code[pass.Fset.Position(n.Pos()).Line] = true
						code[pass.Fset.Position(n.End()).Line] = true
						return true
					})
				}
				at := pass.Fset.Position(c.Pos())
				comment := &Comment{c.Pos(), strings.TrimSpace(reason)}
				lines := found[at.Filename]
				if lines == nil {
					lines = map[int]*Comment{}
					found[at.Filename] = lines
				}
				line := at.Line
				if !code[line] { // alone on its line
					line = pass.Fset.Position(g.End()).Line + 1
				}
				lines[line] = comment
			}
		}
	}
	return found
}

// Spaced returns the comments of the form "// basin:ok", which are ignored because of the space.
func Spaced(pass *analysis.Pass) (found []token.Pos) {
	for _, f := range pass.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				text, ok := strings.CutPrefix(c.Text, "//")
				spaced := strings.TrimLeft(text, " \t")
				rest, isOK := strings.CutPrefix(spaced, "basin:ok")
				if ok && spaced != text && isOK && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
					found = append(found, c.Pos())
				}
			}
		}
	}
	return found
}

func (c CommentsByLine) at(fset *token.FileSet, pos token.Pos) (*Comment, bool) {
	p := fset.Position(pos)
	found, ok := c[p.Filename][p.Line]
	return found, ok
}

// Silences returns the comment for the line of pos, or nil.
func (c CommentsByLine) Silences(fset *token.FileSet, pos token.Pos) *Comment {
	found, _ := c.at(fset, pos)
	return found
}

// Text returns the source of the call or expression at pos, in one line of at most 60 bytes.
func (r *Result) Text(pos token.Pos) string {
	var e ast.Expr
	switch n := r.Node(pos).(type) {
	case *ast.DeferStmt:
		e = n.Call
	case *ast.GoStmt:
		e = n.Call
	case ast.Expr:
		e = n
	default:
		return "the Put"
	}
	if c, ok := e.(*ast.CallExpr); ok {
		if _, lit := ast.Unparen(c.Fun).(*ast.FuncLit); lit {
			return "the function literal"
		}
	}
	s := types.ExprString(e)
	if len(s) > 60 {
		s = s[:57] + "..."
	}
	return s
}

// Subject returns the source of the argument that the call at pos puts, or "the memory".
func (r *Result) Subject(pos token.Pos) string {
	call := r.call(pos)
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

// Pool returns the source of the pool that the call at pos gets from or puts into, after the preposition. For a
// call of a function, it is "with" and the name of the function.
func (r *Result) Pool(preposition string, pos token.Pos) string {
	call := r.call(pos)
	if call == nil {
		return preposition + " the pool"
	}
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && r.Pass.TypesInfo.Selections[s] != nil {
		return preposition + " " + types.ExprString(s.X)
	}
	return "with " + types.ExprString(call.Fun)
}

func (r *Result) call(pos token.Pos) *ast.CallExpr {
	switch n := r.Node(pos).(type) {
	case *ast.CallExpr:
		return n
	case *ast.DeferStmt:
		return n.Call
	case *ast.GoStmt:
		return n.Call
	}
	return nil
}

// Earlier returns a clause that names the Put of h, which comes before the use.
func (r *Result) Earlier(h *Hit) string {
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
func (r *Result) Memory(h *Hit) string {
	put, memory := r.Text(h.Put), r.Subject(h.Put)
	switch {
	case h.Defer:
		return fmt.Sprintf("%s, which the deferred %s puts", memory, put)
	case h.Grow:
		return fmt.Sprintf("memory that %s may outgrow and put", put)
	}
	return fmt.Sprintf("%s, which %s puts", memory, put)
}

// Start returns the beginning and the end of the expression or statement at pos.
func (r *Result) Start(pos token.Pos) (token.Pos, token.Pos) {
	if !pos.IsValid() {
		return pos, pos
	}
	n := r.Node(pos)
	switch n := n.(type) {
	case *ast.CallExpr:
		return n.Pos(), n.End()
	case *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt:
		return n.Pos(), n.End()
	case *ast.AssignStmt, ast.Expr:
		if n.End() > pos {
			return pos, n.End()
		}
	}
	return pos, pos + 1 // an empty region would be no place at all
}

// Story returns the places that led to h: the Get, the Put, with put as its message, and further uses
// after that Put.
func (r *Result) Story(h *Hit, put string) []analysis.RelatedInformation {
	story := append(r.Related(h.Get, "acquired here"), r.Related(h.Put, put)...)
	for _, pos := range h.More {
		story = append(story, r.Related(pos, "also here")...)
	}
	return story
}

// Related returns pos with a message, or nil if pos is unknown.
func (r *Result) Related(pos token.Pos, message string) []analysis.RelatedInformation {
	if !pos.IsValid() {
		return nil
	}
	start, end := r.Start(pos)
	return []analysis.RelatedInformation{{Pos: start, End: end, Message: message}}
}

// Puts returns the arguments that a call puts on every path, the receiver included.
func (r *Result) Puts(call *ast.CallExpr) []ast.Expr {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return nil
	}
	args := Args(r.Pass.TypesInfo, call, f)
	var put []ast.Expr
	add := func(i int) {
		if i >= 0 && i < len(args) {
			put = append(put, ast.Unparen(args[i]))
		}
	}
	if m := effects.Of(f); m != nil {
		add(m.Put)
		add(m.Release)
	} else if fact := r.fact(f); fact != nil {
		for _, p := range fact.Puts {
			if p.Path == "" && p.When == Always {
				add(p.Arg)
			}
		}
	}
	return put
}

// Gets reports whether the first result of a call is from a pool.
func (r *Result) Gets(call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return false
	}
	if m := effects.Of(f); m != nil {
		return m.Get
	}
	fact := r.fact(f)
	return fact != nil && len(fact.Gets) > 0 && fact.Gets[0] == 0
}

// Sized reports whether a call gets memory of a requested size from a pool.
func (r *Result) Sized(call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return false
	}
	if m := effects.Of(f); m != nil {
		return m.Get && isInteger(f.Signature().Params(), 0)
	}
	fact := r.fact(f)
	return fact != nil && fact.Sized
}

// Appends returns the argument that a function of the program appends to and returns, or nil.
func (r *Result) Appends(call *ast.CallExpr) ast.Expr {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok || effects.Of(f) != nil {
		return nil
	}
	fact := r.fact(f)
	if fact == nil {
		return nil
	}
	args := Args(r.Pass.TypesInfo, call, f)
	for _, a := range fact.Aliases {
		if a.Result == 0 && a.Grown && a.Path == "" && a.Arg < len(args) {
			return ast.Unparen(args[a.Arg])
		}
	}
	return nil
}

// Grows returns the argument that a call may put because it outgrows it, or nil.
func (r *Result) Grows(call *ast.CallExpr) ast.Expr {
	f, ok := typeutil.Callee(r.Pass.TypesInfo, call).(*types.Func)
	if !ok {
		return nil
	}
	if m := effects.Of(f); m != nil && m.Grow != effects.None {
		if args := Args(r.Pass.TypesInfo, call, f); m.Grow < len(args) {
			return ast.Unparen(args[m.Grow])
		}
	}
	return nil
}

func (r *Result) fact(f *types.Func) *Fact {
	if f.Pkg() != r.Pass.Pkg {
		return r.info.imported(f)
	}
	if fn := r.info.ssa.Prog.FuncValue(f.Origin()); fn != nil {
		return r.info.summary(fn)
	}
	return nil
}

// Args returns the arguments of a call, with the receiver of a method before them.
func Args(info *types.Info, call *ast.CallExpr, f *types.Func) []ast.Expr {
	if f.Signature().Recv() == nil {
		return call.Args
	}
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && info.Selections[s] != nil && info.Selections[s].Kind() == types.MethodVal {
		return append([]ast.Expr{s.X}, call.Args...)
	}
	return call.Args
}
