package advise

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A program may compile only with a build tag, which names the file that declares something, such as assets or their absence.

// missing matches the messages of the compiler about a name that is not declared.
var missing = regexp.MustCompile(`undefined: (?:(\w+)\.)?(\w+)|has no field or method (\w+)`)

// wayByTags names the build tags of a file that declares a name which the compiler misses in a package, or returns nothing. It looks in
// the packages of some maps.
func wayByTags(dir string, p *packages.Package, message string, listed ...map[string]*packages.Package) string {
	parts := missing.FindStringSubmatch(message)
	if parts == nil {
		return ""
	}
	declares := parts[2] + parts[3]
	for _, in := range packagesWith(p, parts[1], parts[3] != "", listed) {
		for _, file := range in.IgnoredFiles {
			if tags := tagsOf(file, declares); len(tags) > 0 {
				list := strings.Join(tags, ",")
				return fmt.Sprintf(". Or %s is missing because %s is behind a build tag: run this with -tags=%s, or with GOFLAGS=-tags=%[3]s", declares, relative(dir, file), list)
			}
		}
	}
	return ""
}

// packagesWith returns the packages that may declare a name: the package itself, the one that it imports by a name, or all of them for a
// method.
func packagesWith(p *packages.Package, imported string, method bool, listed []map[string]*packages.Package) (all []*packages.Package) {
	for _, packages := range listed {
		if own := packages[p.PkgPath]; own != nil && imported == "" {
			all = append(all, own)
		}
		for path := range p.Imports {
			if in := packages[path]; in != nil && (in.Name == imported || method) {
				all = append(all, in)
			}
		}
	}
	slices.SortFunc(all, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return all
}

// tagsOf returns the tags that a file needs, if it declares a name and needs some.
func tagsOf(file, name string) (tags []string) {
	src, err := os.ReadFile(file)
	if err != nil || strings.HasSuffix(file, "_test.go") {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return declaresName(d, name) }) {
		return nil
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.Package {
				tags = neededBy(expr, tags)
			}
		}
	}
	return tags
}

// declaresName reports whether a declaration is that of a name.
func declaresName(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name == name
	case *ast.GenDecl:
		return slices.ContainsFunc(d.Specs, func(spec ast.Spec) bool {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				return spec.Name.Name == name
			case *ast.ValueSpec:
				return slices.ContainsFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name })
			}
			return false
		})
	}
	return false
}

// neededBy adds the tags that a constraint needs, of which the user chooses. Those of systems and of Go are no choice.
func neededBy(expr constraint.Expr, tags []string) []string {
	switch e := expr.(type) {
	case *constraint.AndExpr:
		return neededBy(e.Y, neededBy(e.X, tags))
	case *constraint.OrExpr: // the first will do
		if more := neededBy(e.X, tags); len(more) > len(tags) {
			return more
		}
		return neededBy(e.Y, tags)
	case *constraint.TagExpr:
		if !isOfBuild(e.Tag) && !slices.Contains(tags, e.Tag) {
			return append(tags, e.Tag)
		}
	}
	return tags
}

// isOfBuild reports whether a tag tells of the machine, the compiler or the version of Go. One that no user chooses, such as ignore, is
// that of a file that is never built.
func isOfBuild(tag string) bool {
	return ofBuild[tag] || strings.HasPrefix(tag, "go1.") || strings.HasPrefix(tag, "goexperiment.")
}

var ofBuild = map[string]bool{}

func init() {
	for tag := range strings.FieldsSeq(`aix android darwin dragonfly freebsd hurd illumos ios js linux netbsd openbsd plan9 solaris wasip1
		windows zos unix 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm gc gccgo cgo race msan asan
		appengine ignore`) {
		ofBuild[tag] = true
	}
}
