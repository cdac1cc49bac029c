// Package source loads packages from source alone: nothing needs to be compiled
// first, which costs minutes where no build cache has the dependencies.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Load type-checks the packages that the patterns name, and their dependencies, without
// cgo. The settings of config hold, such as build flags, and those of env.
// If bodies returns false for a file, the bodies of its functions are left out.
//
// It drops the main packages that go test generates, and packages that are part
// of the same package with its tests. The errors are those of all other packages.
func Load(config packages.Config, env []string, bodies func(file string) bool, patterns ...string) (pkgs []*packages.Package, errors []packages.Error, err error) {
	config.Mode = packages.LoadAllSyntax | packages.NeedForTest | packages.NeedModule
	config.Env = Env(env...)
	config.ParseFile = func(files *token.FileSet, name string, src []byte) (*ast.File, error) {
		f, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if f != nil && !bodies(name) {
			removeBodies(f)
		}
		return f, err
	}
	loaded, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, nil, err
	}
	loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool {
		return p.Name == "main" && strings.HasSuffix(p.ID, ".test")
	})
	tested := map[string]bool{}
	for _, p := range loaded {
		errors = append(errors, p.Errors...)
		if p.ForTest == p.PkgPath {
			tested[p.PkgPath] = true
		}
	}
	pkgs = slices.DeleteFunc(loaded, func(p *packages.Package) bool { return p.ForTest == "" && tested[p.PkgPath] })
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		p.IllTyped = false // imports that only the bodies use are errors
	})
	return pkgs, errors, nil
}

// Env is the environment of the go command, without cgo and with the settings given.
func Env(settings ...string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0"), settings...)
}

// removeBodies removes the bodies that the type checker can do without.
func removeBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.TypeParams == nil && (fn.Recv != nil || fn.Name.Name != "init") {
			fn.Body = nil
		}
	}
}
