//go:build go1.25

// Command rewrite replaces &T{…} by f(T{…}) in a file, for types T that match an expression. In f, @ stands
// for the name of T. It prints these names.
//
//	rewrite file expression f
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	file, match, f := os.Args[1], regexp.MustCompile("^("+os.Args[2]+")$"), os.Args[3]
	source, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, 0)
	if err != nil {
		log.Fatal(err)
	}
	type edit struct {
		at, cut int
		text    string
	}
	var edits []edit
	names := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		and, ok := n.(*ast.UnaryExpr)
		if !ok || and.Op != token.AND {
			return true
		}
		lit, ok := and.X.(*ast.CompositeLit)
		if !ok {
			return true
		}
		name := string(source[set.Position(lit.Type.Pos()).Offset:set.Position(lit.Type.End()).Offset])
		if !match.MatchString(name) {
			return true
		}
		names[name] = true
		edits = append(edits,
			edit{set.Position(and.Pos()).Offset, 1, strings.ReplaceAll(f, "@", name[strings.LastIndex(name, ".")+1:])},
			edit{set.Position(lit.End()).Offset, 0, ")"})
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return b.at - a.at })
	for _, e := range edits {
		source = slices.Concat(source[:e.at], []byte(e.text), source[e.at+e.cut:])
	}
	if err := os.WriteFile(file, source, 0o666); err != nil {
		log.Fatal(err)
	}
	for name := range names {
		fmt.Println(name)
	}
}
