package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Collected is the error of a package that must keep its sync.Pools: another one collects garbage, which empties them.
type Collected struct {
	Path string // of the package that collects
	Func string // that it calls
}

func (c *Collected) Error() string {
	return "package " + c.Path + " of the program calls " + c.Func + ", and a collection does not empty a pool of basin"
}

// collected finds the packages that are in a program, other than a test, with a package that collects garbage.
func collected(all map[string]*listed, pkgs []*Package) map[*Package]error {
	failed := map[*Package]error{}
	if len(pkgs) == 0 {
		return failed
	}
	collects := map[*listed]string{}
	for _, p := range all {
		if f := p.collects(); f != "" {
			collects[p] = f
		}
	}
	if len(collects) == 0 {
		return failed
	}
	for _, root := range all {
		if root.DepOnly || strings.HasSuffix(root.ImportPath, ".test") || strings.Contains(root.ImportPath, " [") {
			continue
		}
		program := map[*listed]bool{}
		root.visit(all, program)
		for _, p := range pkgs {
			has := func(q *listed) bool { return q.Dir == p.Dir }
			for q := range program {
				if !has(q) {
					continue
				}
				for c, f := range collects {
					old, known := failed[p].(*Collected)
					if program[c] && !has(c) && (!known || c.ImportPath < old.Path) {
						failed[p] = &Collected{c.ImportPath, f}
					}
				}
			}
		}
	}
	return failed
}

// visit adds a package and its imports, direct or not.
func (p *listed) visit(all map[string]*listed, seen map[*listed]bool) {
	if p == nil || seen[p] {
		return
	}
	seen[p] = true
	for _, i := range p.Imports {
		all[i].visit(all, seen)
	}
}

// collects returns the name of a function that collects garbage, if the package calls one.
func (p *listed) collects() (name string) {
	if p.Standard || p.ImportPath == Library || strings.HasPrefix(p.ImportPath, Library+"/") || !slices.Contains(p.Imports, "runtime") && !slices.Contains(p.Imports, "runtime/debug") {
		return ""
	}
	for _, file := range p.GoFiles {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		names := map[string]string{} // of the functions, as the file writes them
		for _, s := range f.Imports {
			path, _ := strconv.Unquote(s.Path.Value)
			short := filepath.Base(path)
			if s.Name != nil {
				short = s.Name.Name
			}
			switch path {
			case "runtime":
				names[short+".GC"] = "runtime.GC"
			case "runtime/debug":
				names[short+".FreeOSMemory"] = "debug.FreeOSMemory"
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && name == "" {
					name = names[x.Name+"."+s.Sel.Name]
				}
			}
			return name == ""
		})
	}
	return name
}
