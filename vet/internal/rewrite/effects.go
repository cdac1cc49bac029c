package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A listed is a package as the go command describes it. A package and its variant for a test are two of them.
type listed struct {
	ImportPath, Name, Dir string
	Standard, DepOnly     bool
	Incomplete            bool
	GoFiles, Imports      []string
	CgoFiles              []string

	effects *bool // see hasEffects
	names   map[string]declaration
	files   []*sourceFile
	broken  bool // a file cannot be read, or names of others without their package
	has     task
}

// A sourceFile is a file of a package.
type sourceFile struct {
	*ast.File
	of  *listed
	all map[string]*listed
}

// A declaration is that of a constant, a type, a variable or a function of a package.
type declaration struct {
	kind       token.Token // CONST, TYPE, VAR or FUNC
	fn         *ast.FuncDecl
	typ, value ast.Expr // of a variable, as far as its declaration has them
	file       *sourceFile
}

// A task is whether the linker sees anything to initialize in a package. It orders no others.
type task int

const (
	unknownTask task = iota
	noTask
	maybeTask // a variable has a value that the compiler may make
	surelyTask
)

func (p *listed) task(all map[string]*listed) task {
	if p.has != unknownTask {
		return p.has
	}
	p.has = noTask
	if p.Name == "main" || p.ImportPath == "runtime" || len(p.CgoFiles) > 0 {
		p.has = surelyTask
		return p.has
	}
	for _, path := range p.Imports {
		if q := all[path]; q != nil {
			p.has = max(p.has, q.task(all))
		}
	}
	if p.has < surelyTask {
		p.has = max(p.has, p.ownTask(all))
	}
	return p.has
}

// ownTask does so for a package without its imports.
func (p *listed) ownTask(all map[string]*listed) (has task) {
	p.parse(all)
	has = noTask
	for _, f := range p.files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					return surelyTask
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR && slices.ContainsFunc(d.Specs, func(s ast.Spec) bool { return len(s.(*ast.ValueSpec).Values) > 0 }) {
					has = maybeTask
				}
			}
		}
	}
	return has
}

// hasEffects reports whether the order in which a package and others are initialized may matter. An init function may do more than
// fill variables of the package. Variables may have values of other packages, or of calls that may do more than make a value.
func (p *listed) hasEffects(all map[string]*listed) bool {
	if p.effects == nil {
		p.parse(all)
		found := p.broken || p.Incomplete || len(p.CgoFiles) > 0 || slices.ContainsFunc(p.files, (*sourceFile).hasEffects)
		p.effects = &found
	}
	return *p.effects
}

// parse reads the files of a package.
func (p *listed) parse(all map[string]*listed) {
	if p.names != nil {
		return
	}
	p.names = map[string]declaration{}
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			p.broken = true
			continue
		}
		p.broken = p.broken || slices.ContainsFunc(syntax.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Name == "." })
		f := &sourceFile{syntax, p, all}
		p.files = append(p.files, f)
		for _, d := range syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					p.names[d.Name.Name] = declaration{kind: token.FUNC, fn: d, file: f}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						p.names[s.Name.Name] = declaration{kind: token.TYPE, file: f}
					case *ast.ValueSpec:
						for i, id := range s.Names {
							of := declaration{kind: d.Tok, typ: s.Type, file: f}
							if len(s.Values) == len(s.Names) {
								of.value = s.Values[i]
							} else if len(s.Values) > 0 {
								of.value = s.Values[0]
							}
							p.names[id.Name] = of
						}
					}
				}
			}
		}
	}
}

func (f *sourceFile) hasEffects() bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.FuncDecl:
			return d.Recv == nil && d.Name.Name == "init" && !(&initialization{f.of, 0}).onlyFills(f, d)
		case *ast.GenDecl:
			return d.Tok == token.VAR && slices.ContainsFunc(d.Specs, func(s ast.Spec) bool {
				return slices.ContainsFunc(s.(*ast.ValueSpec).Values, func(e ast.Expr) bool { return (&initialization{f.of, 0}).dependsOn(f, e) })
			})
		}
		return false
	})
}

// makers are functions that only make a value.
var makers = []string{"make", "new", "len", "cap", "append", "min", "max", "string", "int", "int64", "uint64", "float64", "byte", "rune", "int8", "int16", "int32",
	"uint", "uint8", "uint16", "uint32", "uintptr", "float32", "complex", "reflect.TypeOf", "time.Duration", "errors.New", "big.NewInt", "crc32.MakeTable",
	"crc64.MakeTable", "base64.StdEncoding.DecodeString", "base64.URLEncoding.DecodeString", "base64.RawStdEncoding.DecodeString", "base64.RawURLEncoding.DecodeString",
	"net.ParseIP", "net.ParseCIDR", "net.IPv4", "netip.MustParseAddr", "netip.MustParsePrefix", "url.Parse", "template.Must", "template.New"}

// computing are packages whose functions only make a value, but for those that call one they are given.
var computing = []string{"bits", "bytes", "hex", "html", "math", "path", "regexp", "strconv", "strings", "unicode", "utf16", "utf8"}

// onlyComputes reports whether a function of the file or of the standard library only makes a value. It must call none of its arguments,
// and no methods of them.
func (f *sourceFile) onlyComputes(name string, args []ast.Expr) bool {
	pkg, fn, ok := strings.Cut(name, ".")
	switch {
	case name == "fmt.Sprintf" || name == "fmt.Errorf":
		return !slices.ContainsFunc(args, func(e ast.Expr) bool { return !f.isPlain(e) })
	case !ok:
		_, declared := f.of.names[name]
		return !declared && slices.Contains(makers, name)
	}
	return slices.Contains(makers, name) || slices.Contains(computing, pkg) && fn != "Map" && !strings.Contains(fn, "Func") && !strings.Contains(fn, ".")
}

// isPlain reports whether an expression is surely a number or a string, and no value with methods.
func (f *sourceFile) isPlain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		d := f.of.names[e.Name]
		return d.kind == token.CONST && d.typ == nil && f.isPlain(d.value)
	case *ast.BinaryExpr:
		return f.isPlain(e.X) && f.isPlain(e.Y)
	case *ast.CallExpr:
		return strings.HasPrefix(f.calledName(e), "strconv.") || f.calledName(e) == "len"
	}
	return false
}

// An initialization is that of a package, at an expression within so many calls.
type initialization struct {
	of    *listed
	depth int
}

// dependsOn reports whether the value of an expression may depend on other packages, or do more.
func (i *initialization) dependsOn(f *sourceFile, e ast.Expr) (found bool) {
	visit := func(e ast.Expr) { found = found || i.dependsOn(f, e) }
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
			return false // a function that is not called, or a type
		case *ast.CompositeLit:
			for _, elt := range n.Elts {
				visit(elt)
			}
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SelectorExpr:
			if f.isOwn(n.X) {
				return true
			}
			found = found || !f.isFixed(n)
			return false
		case *ast.CallExpr:
			name := f.calledName(n)
			found = found || !f.onlyComputes(name, n.Args) && !i.onlyMakes(f, n.Fun)
			for k, arg := range n.Args {
				if k > 0 || name != "make" && name != "new" { // or it is a type
					visit(arg)
				}
			}
			return false
		}
		return !found
	})
	return found
}

// imported returns the package that a name of an expression means, or nil, and whether it is one of the standard library.
func (f *sourceFile) imported(e ast.Expr) (p *listed, standard bool) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, false
	}
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		p := f.all[path]
		switch {
		case s.Name != nil && s.Name.Name == id.Name:
			return p, p != nil && p.Standard
		case s.Name != nil:
		case p != nil && p.Name == id.Name:
			return p, p.Standard
		case p == nil && path == id.Name: // a list without it
			return nil, !strings.ContainsAny(path, "./")
		}
	}
	return nil, false
}

// isFixed reports whether a name of another package has the same value at any time: that of a constant, or one that the
// standard library sets.
func (f *sourceFile) isFixed(sel *ast.SelectorExpr) bool {
	p, standard := f.imported(sel.X)
	switch {
	case standard && (strings.HasPrefix(sel.Sel.Name, "Err") || sel.Sel.Name == "EOF"):
		return true
	case p == nil:
		return false
	}
	p.parse(f.all)
	d, ok := p.names[sel.Sel.Name]
	return ok && (d.kind == token.CONST || d.kind == token.TYPE || d.kind == token.FUNC)
}

// onlyMakes reports whether a call converts its argument, or calls a function that does nothing but return an expression
// without effects.
func (i *initialization) onlyMakes(f *sourceFile, fun ast.Expr) bool {
	const deep = 4
	p := f.of
	var name string
	switch fun := fun.(type) {
	case *ast.FuncLit:
		return i.depth <= deep && i.onlyReturns(f, &ast.FuncDecl{Type: fun.Type, Body: fun.Body})
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		other, standard := f.imported(fun.X)
		if other == nil || standard {
			return fun.Sel.Name == "Error" && f.isStandardValue(fun.X) || i.isMade(f, fun.X)
		}
		p, name = other, fun.Sel.Name
		p.parse(f.all)
	}
	d, ok := p.names[name]
	switch {
	case !ok || i.depth > deep || p.broken:
		return false
	case d.kind == token.TYPE:
		return true
	case d.kind != token.FUNC || d.fn.Body == nil:
		return false
	}
	return i.onlyReturns(d.file, d.fn)
}

// onlyReturns reports whether a function returns an expression without effects, or one that it computes with variables of its own or of
// the package.
func (i *initialization) onlyReturns(f *sourceFile, fn *ast.FuncDecl) bool {
	within := &initialization{i.of, i.depth + 1}
	if len(fn.Body.List) != 1 {
		return f.of == i.of && within.computes(f, fn)
	}
	result, ok := fn.Body.List[0].(*ast.ReturnStmt)
	return ok && within.returnsFixed(f, result, fn)
}

// isMade reports whether the receiver of a method is made right there, by a function of the standard library whose values know
// nothing else, as in reflect.TypeOf(x).Elem().
func (i *initialization) isMade(f *sourceFile, receiver ast.Expr) bool {
	call, ok := receiver.(*ast.CallExpr)
	if !ok {
		return false
	}
	made := slices.Contains([]string{"reflect.TypeOf", "big.NewInt"}, f.calledName(call)) // whose methods call nothing else
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && !made {                             // in a chain
		return i.isMade(f, sel.X) && !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return i.dependsOn(f, e) })
	}
	return made && !i.dependsOn(f, call)
}

// returnsFixed reports whether a function returns values that are made of its parameters and constants. It may read variables
// of the package that is initialized: no other sets them before.
func (i *initialization) returnsFixed(f *sourceFile, ret *ast.ReturnStmt, fn *ast.FuncDecl) bool {
	params := map[string]bool{}
	for _, id := range namesIn(fn) {
		params[id.Name] = true
	}
	fixed := true
	for _, e := range ret.Results {
		fixed = fixed && !i.dependsOn(f, e)
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				id, ok := n.Fun.(*ast.Ident)
				fixed = fixed && !(ok && params[id.Name])
			case *ast.SelectorExpr:
				id, ok := n.X.(*ast.Ident)
				fixed = fixed && !(ok && params[id.Name]) // which may have the name of an import
			case *ast.StarExpr, *ast.IndexExpr:
				fixed = false // of memory that a parameter points to
			case *ast.Ident:
				d, ok := f.of.names[n.Name]
				fixed = fixed && (i.of == f.of || params[n.Name] || !ok || d.kind != token.VAR)
			}
			return fixed
		})
	}
	return fixed
}

// isOwn reports whether an expression is a variable of the package, or a part of one.
func (f *sourceFile) isOwn(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		d, ok := f.of.names[e.Name]
		return ok && d.kind == token.VAR
	case *ast.SelectorExpr:
		return f.isOwn(e.X)
	case *ast.IndexExpr:
		return f.isOwn(e.X)
	}
	return false
}

// namesIn returns the names of the parameters and results of a function.
func namesIn(fn *ast.FuncDecl) (names []*ast.Ident) {
	for _, list := range []*ast.FieldList{fn.Type.Params, fn.Type.Results} {
		if list != nil {
			for _, field := range list.List {
				names = append(names, field.Names...)
			}
		}
	}
	return names
}

// isStandardValue reports whether an expression is a variable of the standard library.
func (f *sourceFile) isStandardValue(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, standard := f.imported(sel.X)
	return standard && f.isFixed(sel)
}

// isPointerType reports whether an expression in parentheses that is called is the type of pointers.
func (f *sourceFile) isPointerType(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch of := star.X.(type) {
	case *ast.Ident:
		d, declared := f.of.names[of.Name]
		return declared && d.kind == token.TYPE || !declared && slices.Contains(append(basic, "error", "any"), of.Name)
	case *ast.SelectorExpr: // a pointer to a function, of the standard library, is no variable
		_, standard := f.imported(of.X)
		return standard
	}
	return false
}

// conversion is a function that only makes a value of its argument.
const conversion = "string"

// calledName returns the name of a function of the file or of the standard library that is called, or nothing.
func (f *sourceFile) calledName(c *ast.CallExpr) string {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		of, name := fun.X, fun.Sel.Name
		if v, ok := of.(*ast.SelectorExpr); ok { // a method of a variable
			of, name = v.X, v.Sel.Name+"."+name
		}
		if id, ok := of.(*ast.Ident); ok {
			if p, standard := f.imported(id); standard {
				pkg := id.Name
				if p != nil { // which may have another name here
					pkg = path.Base(p.ImportPath)
				}
				return pkg + "." + name
			}
		}
	case *ast.ArrayType, *ast.MapType:
		return conversion
	case *ast.ParenExpr:
		if f.isPointerType(fun.X) {
			return conversion
		}
	}
	return ""
}

// Many init functions only fill tables of their package, which nobody else can read before. When they run does not matter.

// onlyFills reports whether a function only sets variables of its own or of its package, to values that depend on no other.
func (i *initialization) onlyFills(f *sourceFile, fn *ast.FuncDecl) bool {
	if fn.Body == nil {
		return false
	}
	ok := true
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		id, isName := n.(*ast.Ident)
		if isName && id.Name == "_" {
			return true
		}
		ok = ok && !(isName && f.isHidden(id.Name, fn))
		return ok
	})
	return ok && i.fills(f, fn.Body)
}

// isHidden reports whether a function declares a name that has another meaning in its file, so that this cannot tell them apart.
func (f *sourceFile) isHidden(name string, fn *ast.FuncDecl) (hidden bool) {
	_, known := f.of.names[name]
	if p, standard := f.imported(ast.NewIdent(name)); !known && p == nil && !standard && !slices.Contains(makers, name) {
		return false
	}
	declares := func(e ast.Expr) {
		id, ok := e.(*ast.Ident)
		hidden = hidden || ok && id.Name == name
	}
	for _, id := range namesIn(fn) {
		declares(id)
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if n.Tok == token.DEFINE {
					declares(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declares(n.Key)
				declares(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declares(id)
			}
		case *ast.TypeSpec:
			declares(n.Name)
		}
		return !hidden
	})
	return hidden
}

// fills does so for a statement, which may be nil.
func (i *initialization) fills(f *sourceFile, s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.GOTO
	case *ast.BlockStmt:
		return i.fillsAll(f, s.List)
	case *ast.CaseClause:
		return i.areFixed(f, s.List...) && i.fillsAll(f, s.Body)
	case *ast.IfStmt:
		return i.areFixed(f, s.Cond) && i.fillsAll(f, []ast.Stmt{s.Init, s.Body, s.Else})
	case *ast.SwitchStmt:
		return i.areFixed(f, s.Tag) && i.fillsAll(f, []ast.Stmt{s.Init, s.Body})
	case *ast.ForStmt:
		return i.areFixed(f, s.Cond) && i.fillsAll(f, []ast.Stmt{s.Init, s.Post, s.Body})
	case *ast.RangeStmt:
		return (s.Tok == token.DEFINE || s.Key == nil) && i.areFixed(f, s.X) && f.isRanged(s.X) && i.fills(f, s.Body)
	}
	return i.sets(f, s)
}

// sets does so for a statement without others in it.
func (i *initialization) sets(f *sourceFile, s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return i.areFixed(f, s.Rhs...) && !slices.ContainsFunc(s.Rhs, isMember) && !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return !i.isOwn(f, e) })
	case *ast.ReturnStmt:
		return i.areFixed(f, s.Results...)
	case *ast.IncDecStmt:
		return i.isOwn(f, s.X)
	case *ast.ExprStmt: // a panic ends the program, whenever it comes
		call, ok := s.X.(*ast.CallExpr)
		_, declared := f.of.names["panic"]
		return ok && f.calledName(call) == "panic" && !declared
	case *ast.DeclStmt:
		return !slices.ContainsFunc(s.Decl.(*ast.GenDecl).Specs, func(s ast.Spec) bool {
			v, ok := s.(*ast.ValueSpec)
			return !ok || !i.areFixed(f, v.Values...)
		})
	}
	return false
}

func (i *initialization) fillsAll(f *sourceFile, list []ast.Stmt) bool {
	return !slices.ContainsFunc(list, func(s ast.Stmt) bool { return !i.fills(f, s) })
}

// areFixed reports whether expressions, which may be nil, depend on no other package.
func (i *initialization) areFixed(f *sourceFile, all ...ast.Expr) bool {
	return !slices.ContainsFunc(all, func(e ast.Expr) bool { return e != nil && i.dependsOn(f, e) })
}

// isMember reports whether an expression may be a variable of another package, whose memory is not that of this one.
func isMember(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok
}

// isOwn reports whether an expression that is set is a variable of the package or of the function, or an element of a table.
func (i *initialization) isOwn(f *sourceFile, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.IndexExpr:
		id, ok := ast.Unparen(e.X).(*ast.Ident)
		return (ok && f.isTable(id) || !ok && i.isOwn(f, e.X)) && !i.dependsOn(f, e.Index)
	}
	return false
}

// isTable reports whether a variable of the package begins with memory of its own, or none. So do those of functions.
func (f *sourceFile) isTable(id *ast.Ident) bool {
	d, ok := f.of.names[id.Name]
	return !ok || d.kind == token.VAR && (d.value == nil || makesTable(d.value))
}

// isRanged reports whether a range over an expression calls no function.
func (f *sourceFile) isRanged(e ast.Expr) bool {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		d, ok := f.of.names[id.Name]
		return ok && (d.kind == token.CONST || d.value != nil && makesTable(d.value) || isTableType(d.typ))
	}
	_, number := e.(*ast.BasicLit)
	call, ok := e.(*ast.CallExpr)
	return number || makesTable(e) || ok && f.calledName(call) == "append" && f.onlyComputes("append", nil)
}

// makesTable reports whether an expression makes an array, a slice, a map or a struct, or is a length.
func makesTable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "make" || id.Name == "len" || id.Name == "cap")
	}
	return false
}

func isTableType(e ast.Expr) bool {
	switch e.(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// computes reports whether a function only fills variables of its own or of its package, and gets numbers and strings alone.
func (i *initialization) computes(f *sourceFile, fn *ast.FuncDecl) bool {
	return !slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		id, ok := p.Type.(*ast.Ident)
		return !ok || !slices.Contains(basic, id.Name)
	}) && i.onlyFills(f, fn)
}

var basic = []string{"bool", "string", "byte", "rune", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "float32", "float64"}
