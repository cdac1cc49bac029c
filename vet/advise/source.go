package advise

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A source has the packages of a module that have sites of a profile, and those that they import.
type source struct {
	dir       string
	flags     []string
	fset      *token.FileSet
	files     map[string]*sourceFile       // by absolute name
	written   map[string]string            // files of which cgo made others, by the names of these
	names     map[*Site]string             // where their files are here
	module    string                       // the folder of the main module
	own       map[string]*packages.Package // of the main module, and those of others that are read
	others    map[string]*packages.Package // of modules that it requires
	wanted    map[string]bool              // those of own that are loaded
	bases     map[string][]fileOfPackage   // by their names without folders
	inlined   map[*Site]string             // packages of literals that are inlined into others
	program   bool                         // the profile is of a main package, whose functions it calls main
	lines     map[fileLine][]ssa.Instruction
	callers   map[*ssa.Function][]calledIn
	valued    map[types.Object]bool // functions that are used otherwise than in a call
	invoked   map[string][]calledIn // methods that are called through interfaces, by name
	functions []*ssa.Function
	named     map[string]*ssa.Function             // by the names of profiles
	closed    func(*ssa.Function) bool             // whether callers has all calls of a function
	setElse   func(*packages.Package, string) bool // whether a file that is not loaded may set a field of a name
	tracer    *tracer
	contents  map[string][]byte
	declared  map[string]bool // names that patches add to packages

	movedTypes map[*types.TypeName]bool
	frees      func() bool // whether the toolchain frees arrays that append outgrows
	tree       func() *tree
	inner      map[innerFunc]bool // exported functions, by whether all calls are known
	optional   map[string]bool    // those of wanted that have callers only, or are of other modules
	exposed    map[*types.TypeName]bool
}

type sourceFile struct {
	*ast.File
	pkg *packages.Package
}

// A calledIn is a static call, and the function that has it.
type calledIn struct {
	*ssa.CallCommon
	call ssa.CallInstruction
	in   *ssa.Function
}

type fileLine struct {
	file string
	line int
}

func newSource(dir string) *source {
	return &source{dir: absolute(dir), fset: token.NewFileSet(), names: map[*Site]string{}, contents: map[string][]byte{}, declared: map[string]bool{},
		movedTypes: map[*types.TypeName]bool{}, own: map[string]*packages.Package{}, others: map[string]*packages.Package{},
		wanted: map[string]bool{}, inlined: map[*Site]string{}, optional: map[string]bool{}}
}

// list finds the packages of the module.
func (s *source) list(ctx context.Context, dir string) error {
	config := &packages.Config{Context: ctx, Dir: dir, BuildFlags: s.flags,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedModule | packages.NeedDeps}
	all, err := packages.Load(config, "./...")
	if err != nil {
		why, stderr, _ := strings.Cut(strings.TrimPrefix(err.Error(), "err: "), ": stderr: ")
		why = strings.Join(strings.Fields(cmp.Or(stderr, why)), " ")
		return fmt.Errorf("the go command cannot list the packages of %s (%s); run this in the program's module, or name that with -source", dir, why)
	}
	module := ""
	for _, p := range all {
		if p.Module != nil && p.Module.Main && module == "" {
			module = p.Module.Dir
		}
	}
	s.module = module
	s.tree = sync.OnceValue(func() *tree { return readTree(ctx, module) })
	packages.Visit(all, nil, func(p *packages.Package) {
		if p.Module != nil && isMain(p.Module, module) { // others of a workspace are not changed
			s.own[p.PkgPath] = p
		} else if p.Module != nil {
			s.others[p.PkgPath] = p
		}
	})
	if len(s.own) == 0 {
		return fmt.Errorf("%s has no Go module with packages; run this in the program's module, or name that with -source", dir)
	}
	return nil
}

// A fileOfPackage is a Go file here.
type fileOfPackage struct {
	name string
	pkg  *packages.Package
}

// filesNamed returns the files of all packages that have a name without its folders.
func (s *source) filesNamed(name string) []fileOfPackage {
	if s.bases == nil {
		s.bases = map[string][]fileOfPackage{}
		for _, packages := range []map[string]*packages.Package{s.own, s.others} {
			for _, path := range slices.Sorted(maps.Keys(packages)) {
				for _, file := range packages[path].GoFiles {
					s.bases[filepath.Base(file)] = append(s.bases[filepath.Base(file)], fileOfPackage{file, packages[path]})
				}
			}
		}
	}
	return s.bases[name]
}

// fileOf returns the file here that has a site, or nothing, and notes its package. A literal has the package of where it is
// inlined, so that its file tells its own.
func (s *source) fileOf(site *Site) string {
	pkg := packageOf(site.Function)
	var named, other fileOfPackage // with the longest end in common
	for _, f := range s.filesNamed(base(site.File)) {
		best := &other
		if f.pkg.PkgPath == pkg || pkg == "main" && f.pkg.Name == "main" && s.own[f.pkg.PkgPath] == f.pkg {
			best = &named
		}
		if commonEnd(f.name, site.File) > commonEnd(best.name, site.File) {
			*best = f
		}
	}
	if isLiteral(site.Function) {
		of, ends := commonEnd(named.name, site.File), commonEnd(other.name, site.File)
		isRoot := named.pkg != nil && (pkg == "main" || named.pkg.Module != nil && named.pkg.Module.Path == pkg) // in a folder of any name
		if ends > of+1 || ends > of && !isRoot && ends > 1 {
			named = other
			s.inlined[site] = other.pkg.PkgPath
		}
	}
	if named.pkg == nil || s.own[named.pkg.PkgPath] != named.pkg {
		return ""
	}
	s.wanted[named.pkg.PkgPath] = true
	return named.name
}

// packageOf returns the package that has a site.
func (s *source) packageOf(site *Site) string {
	if path := s.inlined[site]; path != "" {
		return path
	}
	return packageOf(site.Function)
}

// addImports adds the packages of the module that the wanted ones import, for their use of arguments.
func (s *source) addImports() {
	for more := true; more; {
		more = false
		for path := range s.wanted {
			for imported := range s.own[path].Imports {
				if s.own[imported] != nil && !s.wanted[imported] {
					s.wanted[imported], more = true, true
				}
			}
		}
	}
}

// load builds SSA of packages.
func (s *source) load(ctx context.Context) error {
	s.fset, s.tracer, s.files, s.lines = token.NewFileSet(), nil, map[string]*sourceFile{}, map[fileLine][]ssa.Instruction{}
	s.callers, s.valued, s.invoked = map[*ssa.Function][]calledIn{}, map[types.Object]bool{}, map[string][]calledIn{}
	s.inner, s.exposed, s.functions, s.named, s.written = map[innerFunc]bool{}, nil, nil, nil, map[string]string{}
	var lock sync.Mutex
	config := &packages.Config{Context: ctx, Dir: s.dir, BuildFlags: s.flags, Fset: s.fset, Mode: packages.LoadSyntax | packages.NeedModule,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			lock.Lock()
			s.contents[name] = src
			lock.Unlock()
			return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		}}
	loaded, err := packages.Load(config, slices.Sorted(maps.Keys(s.wanted))...)
	if err != nil {
		return err
	}
	var sound []*packages.Package
	for _, p := range loaded {
		broken := len(p.Errors) > 0 || p.IllTyped
		if broken && s.optional[p.PkgPath] {
			continue
		}
		if broken {
			why, way := "", ""
			if i := slices.IndexFunc(p.Errors, func(e packages.Error) bool { return strings.Contains(e.Pos, ":") }); i >= 0 {
				why = fmt.Sprintf(" (%s: %s)", relative(s.dir, p.Errors[i].Pos), p.Errors[i].Msg)
				way = wayByTags(s.dir, p, p.Errors[i].Msg, s.own, s.others)
			}
			return fmt.Errorf("%s does not compile here%s; mend that, or check out the version of the profile%s", p.PkgPath, why, way)
		}
		sound = append(sound, p)
		for i, f := range p.Syntax {
			s.addFile(p.CompiledGoFiles[i], &sourceFile{f, p})
		}
	}
	prog, built := ssautil.Packages(sound, ssa.BuilderMode(0))
	prog.Build()
	s.tracer = newTracer(prog, s.module, s.closed, s.setElse)
	s.tracer.declareElse = s.mayDeclareElse
	for i, p := range sound {
		s.tracer.packages[p.Types] = p
		maps.Copy(s.tracer.assembly, assemblyOf(p))
		for fn, all := range variants(p) { // which may be a method that a package's type has from another package
			s.tracer.variants[fn] = append(s.tracer.variants[fn], all...)
		}
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if obj, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
						fn := prog.FuncValue(obj)
						s.index(fn)
						if d.Recv != nil && fn != nil {
							s.tracer.methods = append(s.tracer.methods, fn)
						}
					}
				}
			}
		}
		s.index(built[i].Func("init")) // has the function literals of variables
	}
	s.tracer.findMakers()
	s.tracer.findOnces()
	s.tracer.findKeepers()
	for _, instrs := range s.lines { // literals come last
		slices.SortFunc(instrs, func(a, b ssa.Instruction) int { return int(a.Pos() - b.Pos()) })
	}
	return nil
}

// index notes the lines of a function that may allocate, and of the literals in it.
func (s *source) index(fn *ssa.Function) {
	if fn == nil {
		return
	}
	s.functions = append(s.functions, fn)
	if isHandler(fn.Signature) {
		s.tracer.handlers = append(s.tracer.handlers, fn)
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			s.noteFunctions(instr, fn)
			s.tracer.noteNew(instr)
			switch instr := instr.(type) {
			case *ssa.MakeInterface:
				s.tracer.interfaces = append(s.tracer.interfaces, instr)
			case *ssa.Alloc:
				if n, ok := types.Unalias(instr.Type().Underlying().(*types.Pointer).Elem()).(*types.Named); ok {
					s.tracer.locals[n.Obj()] = append(s.tracer.locals[n.Obj()], instr)
				}
			case *ssa.ChangeInterface, *ssa.TypeAssert:
				s.tracer.conversions = append(s.tracer.conversions, instr.(ssa.Value))
			case *ssa.FieldAddr, *ssa.Field, *ssa.ChangeType:
				if change, ok := instr.(*ssa.ChangeType); ok {
					s.tracer.conversions = append(s.tracer.conversions, change)
				}
				for _, v := range fieldsIn(instr) {
					s.tracer.fields[v] = append(s.tracer.fields[v], instr.(ssa.Value))
				}
			}
			if call, ok := instr.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil {
				callee := call.Common().StaticCallee()
				s.callers[callee] = append(s.callers[callee], calledIn{call.Common(), call, fn})
				s.tracer.calls[callee] = append(s.tracer.calls[callee], call)
				if generic := callee.Origin(); generic != nil {
					s.tracer.instances[generic] = append(s.tracer.instances[generic], call)
				}
			}
			if instr.Pos().IsValid() && allocates(instr) {
				at := s.position(instr.Pos())
				key := fileLine{at.Filename, at.Line}
				s.lines[key] = append(s.lines[key], instr)
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		s.index(literal)
	}
}

// noteFunctions notes the functions that an instruction has as values, and the method that it calls through an interface. Its
// Id has the package of an unexported name.
func (s *source) noteFunctions(instr ssa.Instruction, in *ssa.Function) {
	var called *ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok {
		called = &call.Common().Value
		if call.Common().IsInvoke() {
			method := call.Common().Method.Id()
			s.invoked[method] = append(s.invoked[method], calledIn{call.Common(), call, in})
		}
	}
	for _, v := range instr.Operands(nil) {
		fn, ok := (*v).(*ssa.Function)
		if ok && fn.Object() != nil && (v != called || strings.HasPrefix(fn.Synthetic, "thunk ")) { // T.m(v) calls that of T.m
			s.valued[fn.Object()] = true
		}
	}
}

// allocates reports whether an instruction may allocate, by itself or by a call.
func allocates(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Alloc:
		return instr.Heap
	case *ssa.MakeSlice, *ssa.Call, *ssa.Defer, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.Go, *ssa.MapUpdate:
		return true
	case *ssa.Store:
		return isMadeThere(instr.Val)
	case *ssa.Send:
		return isMadeThere(instr.X)
	case *ssa.Return:
		return returnsMade(instr) || returnsGrown(instr) != nil
	case *ssa.Convert:
		return isString(instr.Type()) || isString(instr.X.Type())
	case *ssa.BinOp:
		return instr.Op == token.ADD && isString(instr.Type())
	}
	return false
}

// returnsMade reports whether a result becomes an interface's value or is a function literal, neither of which has a line of
// its own.
func returnsMade(r *ssa.Return) bool {
	return slices.ContainsFunc(r.Results, isMadeThere)
}

func isMadeThere(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.MakeInterface, *ssa.MakeClosure:
		return true
	}
	return false
}

const stale = "so the source is of another version"

// at returns the instructions that may allocate at a site, or why the source has none.
func (s *source) at(site *Site) ([]ssa.Instruction, string) {
	name := s.names[site]
	f := s.files[name]
	switch {
	case site.isTest():
		return nil, "it is test code" // whose files are not loaded
	case f == nil && s.own[s.packageOf(site)] != nil && !strings.HasSuffix(site.File, ".go"): // by a //line comment
		return nil, fmt.Sprintf("%s is no Go file: a tool has made this code from it", base(site.File))
	case f == nil && s.own[s.packageOf(site)] != nil:
		return nil, fmt.Sprintf("%s is not among the files of package %s, %s", base(site.File), packageOf(site.Function), stale)
	case f == nil:
		return nil, "it is in another module"
	}
	decl := s.enclosing(f, int(site.Line))
	short, declared := shortFunction(site.Function), ""
	if decl != nil {
		declared = f.declName(decl)
	}
	switch {
	case decl == nil && variables.MatchString(short): // a variable of the package
		return s.lines[fileLine{name, int(site.Line)}], ""
	case decl == nil:
		return nil, fmt.Sprintf("line %d of %s is in no function, %s", site.Line, base(name), stale)
	case !isOf(site.Function, declared):
		return nil, fmt.Sprintf("line %d of %s is in %s, not in %s, %s", site.Line, base(name), declared, short, stale)
	}
	if start := s.line(decl.Pos()); site.start > 0 && !isLiteral(site.Function) && int(site.start) != start {
		return nil, fmt.Sprintf("%s begins at line %d, and at line %d in the profile, %s", declared, start, site.start, stale)
	}
	return s.lines[fileLine{name, int(site.Line)}], ""
}

// variables matches the compiler's functions that set the variables of a package; large maps have one of their own.
var variables = regexp.MustCompile(`^(init$|init\.|glob\.|map\.init\.)`)

// deferred returns the deferred calls of the function that has a site: profiles have them in the
// line where it returns.
func (s *source) deferred(site *Site) (all []ssa.Instruction) {
	name := s.names[site]
	decl := s.enclosing(s.files[name], int(site.Line))
	if decl == nil {
		return nil
	}
	for line := s.line(decl.Pos()); line <= s.line(decl.End()); line++ {
		for _, instr := range s.lines[fileLine{name, line}] {
			if _, ok := instr.(*ssa.Defer); ok {
				all = append(all, instr)
			}
		}
	}
	return all
}

// callAt returns the call that an instruction is made of, with its file and the nodes around it, from the inside.
func (s *source) callAt(instr ssa.Instruction) (f *sourceFile, call *ast.CallExpr, around []ast.Node) {
	if f = s.files[s.fset.PositionFor(instr.Pos(), false).Filename]; f == nil {
		return nil, nil, nil
	}
	path, _ := astutil.PathEnclosingInterval(f.File, instr.Pos(), instr.Pos())
	for i, n := range path {
		if call, ok := n.(*ast.CallExpr); ok && call.Lparen == instr.Pos() {
			return f, call, path[i+1:]
		}
	}
	return nil, nil, nil
}

// returnAt returns the statement that an instruction is made of, or nil.
func (s *source) returnAt(ret *ssa.Return) (stmt *ast.ReturnStmt) {
	f := s.files[s.fset.PositionFor(ret.Pos(), false).Filename]
	if f == nil {
		return nil
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && r.Return == ret.Pos() {
			stmt = r
		}
		return stmt == nil
	})
	return stmt
}

// moduleOf returns the other module that has a site, or nothing.
func (s *source) moduleOf(site *Site) string {
	if m := s.files[s.names[site]].pkg.Module; m != nil && !isMain(m, s.module) {
		return m.Path
	}
	return ""
}

func (s *source) line(pos token.Pos) int { return s.position(pos).Line }

// position returns where a position is in the file that somebody wrote: for package C, the loaded one is made of that.
func (s *source) position(pos token.Pos) token.Position {
	at := s.fset.PositionFor(pos, false)
	if name := s.written[at.Filename]; name != "" {
		at = s.fset.PositionFor(pos, true)
		at.Filename = name
	}
	return at
}

// addFile notes a file of a package by its name and, if cgo has made it, by that of its source.
func (s *source) addFile(name string, f *sourceFile) {
	s.files[name] = f
	if slices.Contains(f.pkg.GoFiles, name) {
		return
	}
	from := filepath.Base(s.fset.PositionFor(f.Package, true).Filename)
	for _, written := range f.pkg.GoFiles {
		if filepath.Base(written) == from {
			s.files[written], s.written[name] = f, written
		}
	}
}

// enclosing returns the function that has a line.
func (s *source) enclosing(f *sourceFile, line int) *ast.FuncDecl {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && s.line(fn.Pos()) <= line && line <= s.line(fn.End()) {
			return fn
		}
	}
	return nil
}

// declName names a function as profiles do, without its package.
func (f *sourceFile) declName(d *ast.FuncDecl) string {
	return shortFunction(objectName(f.pkg.TypesInfo.Defs[d.Name].(*types.Func)))
}

// isOf reports whether a function of a profile is the declared one, or a literal in it.
func isOf(name, decl string) bool {
	name = shortFunction(name)
	rest, ok := strings.CutPrefix(name, decl)
	if ok && (rest == "" || rest[0] == '.' || rest[0] == '-') { // -range1 is the body of a range over a function
		return true
	}
	for { // a literal of decl where that is inlined
		if _, name, ok = strings.Cut(name, "."+decl); !ok {
			return false
		}
		if literal.MatchString(name) {
			return true
		}
	}
}

// literal matches what the name of a literal has behind that of its function.
var literal = regexp.MustCompile(`^(\.func\d|\.\d|-range\d)`)

// An innerFunc is an exported function, and whether calls of tests count.
type innerFunc struct {
	fn    *types.Func
	tests bool
}

// literalAt returns the composite literal of an instruction, or its address if the literal is that of a variable, with the nodes
// around it from the inside.
func (s *source) literalAt(instr ssa.Instruction) (e ast.Expr, around []ast.Node) {
	f := s.files[s.fset.PositionFor(instr.Pos(), false).Filename]
	if f == nil {
		return nil, nil
	}
	path, _ := astutil.PathEnclosingInterval(f.File, instr.Pos(), instr.Pos())
	for i, n := range path {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || lit.Lbrace != instr.Pos() {
			continue
		}
		if _, variable := instr.(*ssa.Alloc); !variable {
			return lit, path[i+1:]
		}
		if address, ok := path[i+1].(*ast.UnaryExpr); ok {
			return address, path[i+2:]
		}
	}
	return nil, nil
}

// mayDeclareElse reports whether a file of the module that is not loaded may declare a method of a name.
func (s *source) mayDeclareElse(method string) bool {
	t := s.tree()
	if t.unknown {
		return true
	}
	for name, f := range t.files {
		if s.files[name] == nil && bytes.Contains(f.text, []byte(") "+method+"(")) {
			return true
		}
	}
	return false
}
