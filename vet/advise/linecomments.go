package advise

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

// The tools that make Go code of grammars and templates write //line comments, and profiles have the lines of these. Such a site
// becomes one of the Go file, as that can be read here.

// findMade gives sites in files that are no Go code the places in the Go files made of them.
func (s *source) findMade(sites []*Site) {
	files := map[string]*madeFile{}
	for _, site := range sites {
		if strings.HasSuffix(site.File, ".go") || site.File == "" {
			continue
		}
		var best madeLine
		for _, name := range s.filesOf(site) {
			f, ok := files[name]
			if !ok {
				f = readMade(name)
				files[name] = f
			}
			best = best.nearer(f.find(site))
		}
		if best.file != "" {
			site.File, site.Line, site.start = best.file, int64(best.line), 0
		}
	}
}

// filesOf returns the Go files of the package that a profile says a site is in.
func (s *source) filesOf(site *Site) (names []string) {
	path := packageOf(site.Function)
	for _, p := range s.own {
		if p.PkgPath == path || path == "main" && p.Name == "main" {
			names = append(names, p.GoFiles...)
		}
	}
	slices.Sort(names)
	return names
}

// A madeFile is a Go file with //line comments, or nil.
type madeFile struct {
	*ast.File
	fset *token.FileSet
	name string
}

func readMade(name string) *madeFile {
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), "\n//line ") && !strings.Contains(string(text), "/*line ") {
		return nil
	}
	f := &madeFile{fset: token.NewFileSet(), name: name}
	if f.File, err = parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil
	}
	return f
}

// A madeLine is a line of a Go file, so many lines after its comment.
type madeLine struct {
	file        string
	line, after int
}

// nearer returns the one closer to its comment: the tools write the code of a line right after that, and code of their own later.
func (l madeLine) nearer(other madeLine) madeLine {
	if other.file == "" || l.file != "" && l.after <= other.after {
		return l
	}
	return other
}

// find returns the line of a file that was made of that of a site, in the function of the site.
func (f *madeFile) find(site *Site) (best madeLine) {
	if f == nil {
		return best
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !isOf(site.Function, declaredName(fn)) {
			continue
		}
		lines := f.fset.File(fn.Pos())
		last, after := -1, 0
		for line := lines.PositionFor(fn.Pos(), false).Line; line <= lines.PositionFor(fn.End(), false).Line; line++ {
			at := lines.PositionFor(lines.LineStart(line), true)
			if after++; at.Line != last+1 {
				after = 0
			}
			last = at.Line
			if base(at.Filename) == base(site.File) && at.Line == int(site.Line) {
				best = best.nearer(madeLine{f.name, line, after})
			}
		}
	}
	return best
}

// declaredName names a function as profiles do, without its package.
func declaredName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	star, pointer := receiver.(*ast.StarExpr)
	if pointer {
		receiver = star.X
	}
	var id *ast.Ident
	switch t := receiver.(type) {
	case *ast.Ident:
		id = t
	case *ast.IndexExpr:
		id, _ = t.X.(*ast.Ident)
	case *ast.IndexListExpr:
		id, _ = t.X.(*ast.Ident)
	}
	name := cmp.Or(id, ast.NewIdent("")).Name
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + fn.Name.Name
}
