//go:build go1.25

package cachelines

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The code is instrumented as text. Each expression that reads or writes memory through a pointer,
// a slice or a variable of a package is wrapped in a call that notes its address:
//
//	m.limit        becomes  (*lines.R(&m.limit))
//	d.asks++       becomes  (*lines.W(&d.asks))++
//	e.used.Load()  becomes  lines.R(&e.used).Load()
//
// Not noted: maps, strings, embedded pointers on the way to a field or a method, and the runtime.

const (
	module = "github.com/basin-go/basin"
	// alias is the name of package lines in instrumented files.
	alias = "lines_"
)

// bare are the packages that are not instrumented: those of the runtime's internals.
var bare = []string{module + "/internal/pin", module + "/internal/mem"}

// pinned replaces the files of internal/pin that call the runtime.
var pinned = map[string]string{
	"pin_runtime.go": `package pin

import "` + module + `/proof/cachelines/lines"

const Available = true

func Pin() int { return lines.P }
func Unpin()   {}
func Quiesce() {}
`,
	"now_runtime.go": `package pin

import (
	"time"

	"` + module + `/proof/cachelines/lines"
)

func Now() time.Duration { return lines.Now }
`,
}

// A listed package is one that package basin consists of, or depends on.
type listed struct {
	path, export, dir string
	files             []string
}

// list lists package basin and all that it imports.
func list() ([]listed, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}}|{{.Export}}|{{.Dir}}|{{join .GoFiles "|"}}`, module).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []listed
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		all = append(all, listed{f[0], f[1], f[2], f[3:]})
	}
	return all, nil
}

// instrument returns instrumented files by their names. Before that, mutate may change each file.
func instrument(all []listed, mutate func(name, src string) string) (map[string]string, error) {
	fset := token.NewFileSet()
	exports := make(map[string]string)
	for _, p := range all {
		exports[p.path] = p.export
	}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	out := make(map[string]string)
	for _, p := range all {
		if !strings.HasPrefix(p.path, module) {
			continue
		}
		if slices.Contains(bare, p.path) {
			for _, name := range p.files {
				if src, ok := pinned[name]; ok {
					out[filepath.Join(p.dir, name)] = src
				}
			}
			continue
		}
		var files []*ast.File
		var sources []string
		for _, name := range p.files {
			name = filepath.Join(p.dir, name)
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			text := mutate(name, string(src))
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files, sources = append(files, f), append(sources, text)
		}
		info := &types.Info{
			Types:      make(map[ast.Expr]types.TypeAndValue),
			Uses:       make(map[*ast.Ident]types.Object),
			Selections: make(map[*ast.SelectorExpr]*types.Selection),
		}
		config := types.Config{Importer: imports, Sizes: types.SizesFor("gc", runtime.GOARCH)}
		pkg, err := config.Check(p.path, fset, files, info)
		if err != nil {
			return nil, err
		}
		for i, f := range files {
			w := &weaver{pkg: pkg, info: info, roles: make(map[ast.Expr]role), starts: make(map[int]string), ends: make(map[int]string), base: int(fset.File(f.Pos()).Base())}
			ast.Inspect(f, w.visit)
			if len(w.starts) > 0 {
				w.insert(f.Name.End(), fmt.Sprintf(`; import %s "%s/proof/cachelines/lines"`, alias, module))
				out[fset.File(f.Pos()).Name()] = w.weave(sources[i])
			}
		}
	}
	return out, nil
}

// A role says how an expression is used.
type role int

const (
	read    role = iota
	written      // assigned to
	located      // only its address is needed
	plain        // a name that accesses nothing
)

// A weaver instruments one file.
type weaver struct {
	pkg   *types.Package
	info  *types.Info
	roles map[ast.Expr]role // without those that are read; set before the expression is visited
	base  int

	// Text to insert, by offset. Of several that start at one place, the outermost is visited
	// first. Those that end at one place are the other way around.
	starts, ends map[int]string
}

// insert inserts text at pos, after everything that ends there.
func (w *weaver) insert(pos token.Pos, text string) { w.starts[int(pos)-w.base] += text }

func (w *weaver) wrap(e ast.Node, before, after string) {
	w.insert(e.Pos(), before)
	end := int(e.End()) - w.base
	w.ends[end] = after + w.ends[end]
}

// replace replaces the name of a function, which then need not be visited.
func (w *weaver) replace(name *ast.Ident, by string) {
	w.wrap(name, alias+"."+by+"/*", "*/")
	w.roles[name] = plain
}

func (w *weaver) weave(src string) string {
	var b strings.Builder
	for i := range len(src) + 1 {
		b.WriteString(w.ends[i])
		b.WriteString(w.starts[i])
		if i < len(src) {
			b.WriteByte(src[i])
		}
	}
	return b.String()
}

// inMemory reports whether e is memory that other goroutines may reach.
func (w *weaver) inMemory(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.inMemory(e.X)
	case *ast.Ident:
		v, ok := w.info.Uses[e].(*types.Var)
		return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := w.info.Selections[e]
		if s == nil {
			return w.inMemory(e.Sel)
		}
		return s.Indirect() || w.inMemory(e.X)
	case *ast.IndexExpr:
		if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			return w.inMemory(e.X)
		}
		return true // a slice or a pointer to an array, as e is addressable
	}
	return false
}

// below sets the roles of the expressions that e, which has an address, consists of.
func (w *weaver) below(e ast.Expr) {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		w.roles[e.Sel] = plain
		if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Struct); ok {
			w.roles[e.X] = located
		}
	case *ast.IndexExpr:
		if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			w.roles[e.X] = located
		}
	}
}

func (w *weaver) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if n.Tok != token.DEFINE {
				w.roles[l] = written
			}
		}
	case *ast.IncDecStmt:
		w.roles[n.X] = written
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.roles[n.Key] = written
			if n.Value != nil {
				w.roles[n.Value] = written
			}
		}
		if _, ok := w.info.TypeOf(n.X).Underlying().(*types.Slice); ok && n.Value != nil {
			w.wrap(n.X, alias+".All(", ")")
		}
	case *ast.CallExpr:
		return w.call(n)
	case ast.Expr:
		return w.expr(n)
	}
	return true
}

func (w *weaver) call(n *ast.CallExpr) bool {
	if tv := w.info.Types[n]; tv.Value != nil {
		return false // a constant, as unsafe.Sizeof is
	}
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if _, ok := w.info.Uses[f].(*types.Builtin); !ok {
			break
		}
		concrete := func() bool { // otherwise items are converted, and Append's types are not inferred
			s, ok := w.info.TypeOf(n.Args[0]).Underlying().(*types.Slice)
			return ok && !types.IsInterface(s.Elem())
		}
		isSlice := func(i int) bool { _, ok := w.info.TypeOf(n.Args[i]).Underlying().(*types.Slice); return ok }
		switch {
		case f.Name == "clear" && isSlice(0):
			w.replace(f, "Clear")
		case f.Name == "copy" && isSlice(1):
			w.replace(f, "Copy")
		case f.Name == "append" && isSlice(len(n.Args)-1) == n.Ellipsis.IsValid() && concrete():
			w.replace(f, "Append")
		}
	case *ast.SelectorExpr:
		obj, ok := w.info.Uses[f.Sel].(*types.Func)
		if !ok || obj.Pkg() == nil || obj.Pkg().Path() != "sync/atomic" || w.info.Selections[f] != nil || len(n.Args) == 0 {
			break
		}
		// A function such as atomic.LoadUint64, with an address.
		w.wrap(n.Args[0], alias+"."+access(obj.Name())+"(", ")")
	}
	return true
}

// access is the name of the function that notes an atomic operation, or one of a lock.
func access(operation string) string {
	if strings.HasPrefix(operation, "Load") {
		return "R"
	}
	return "W"
}

func (w *weaver) expr(e ast.Expr) bool {
	role := w.roles[e]
	tv, ok := w.info.Types[e]
	if role == plain || ok && tv.IsType() {
		return role != plain && !tv.IsType()
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		w.roles[e.X] = role
		return true
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			w.roles[e.X] = located
		}
		return true
	case *ast.KeyValueExpr:
		if key, ok := e.Key.(*ast.Ident); ok {
			if v, ok := w.info.Uses[key].(*types.Var); ok && v.IsField() {
				w.roles[key] = plain
			}
		}
		return true
	case *ast.SliceExpr:
		if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			w.roles[e.X] = located
		}
		return true
	case *ast.SelectorExpr:
		if s := w.info.Selections[e]; s != nil && s.Kind() != types.FieldVal {
			w.method(e, s)
			return true
		}
	}
	if !ok || !tv.IsValue() || !tv.Addressable() {
		return true
	}
	w.below(e)
	if role != located && w.inMemory(e) {
		w.wrap(e, "(*"+alias+"."+map[bool]string{false: "R", true: "W"}[role == written]+"(&", "))")
	}
	return true
}

// method handles the method s of e.X.
func (w *weaver) method(e *ast.SelectorExpr, s *types.Selection) {
	w.roles[e.Sel] = plain
	if s.Kind() != types.MethodVal {
		return
	}
	f := s.Obj().(*types.Func)
	_, byPointer := f.Signature().Recv().Type().(*types.Pointer)
	_, isPointer := s.Recv().Underlying().(*types.Pointer)
	if byPointer && !isPointer {
		w.roles[e.X] = located
	}
	if pkg := f.Pkg(); byPointer && pkg != nil && (pkg.Path() == "sync" || pkg.Path() == "sync/atomic") {
		before := alias + "." + access(f.Name()) + "("
		if !isPointer {
			before += "&"
		}
		w.wrap(e.X, before, ")")
	}
}
