// Command snippets type-checks the Go code in Markdown files:
//
//	snippets README.md docs/*.md
//
// It runs at the root of the workspace, and code may import whatever any module of
// the workspace can. A snippet is a file, a few declarations, or a few
// statements, which may follow imports and return anything.
//
// Declarations that a reader of the page does not need stand in a comment, which holds
// for all snippets up to the next such comment:
//
//	<!-- go
//	import "bytes"
//	var buf *bytes.Buffer
//	-->
//
// Imports and declarations need not be used. A snippet that opens with ```go wrong must
// not compile.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	markdown "github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/scripts/tools/source"
)

func main() {
	problems, checked, err := check(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "snippets:", err)
		os.Exit(2)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d snippets compile\n", checked)
}

// A code is Go source in a Markdown file.
type code struct {
	file string
	line int // of the first line of source
	text string
}

// A snippet is code to be checked, behind the declarations of its page.
type snippet struct {
	code
	declared code
	wrong    bool // must not compile
}

// goVersion sets the language of snippets, in place of the go line of basin's go.mod.
const goVersion = "//go:build go1.25\n\n"

// check returns the faults of the snippets in files, and the number of snippets.
func check(files []string) (problems []string, checked int, err error) {
	config := packages.Config{Overlay: map[string][]byte{}}
	var patterns []string
	wrong := map[string]string{} // where a wrong snippet is, by the path of its package
	for _, file := range files {
		found, err := snippets(file)
		if err != nil {
			return nil, 0, err
		}
		for _, s := range found {
			source, err := s.source()
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			// No such directory exists: the go command sees the overlay's.
			dir := fmt.Sprintf("snippets/s%d", len(patterns))
			path, err := filepath.Abs(filepath.Join(dir, "snippet.go"))
			if err != nil {
				return nil, 0, err
			}
			config.Overlay[path] = append([]byte(goVersion), source...)
			patterns = append(patterns, "./"+dir)
			if s.wrong {
				wrong[dir] = fmt.Sprintf("%s:%d", s.file, s.line)
			}
		}
	}
	isSnippet := func(file string) bool { return config.Overlay[file] != nil }
	loaded, _, err := source.Load(config, nil, isSnippet, patterns...)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range loaded {
		errors := slices.DeleteFunc(p.Errors, func(e packages.Error) bool { return ignored.MatchString(e.Msg) })
		dir := p.PkgPath[max(0, strings.LastIndex(p.PkgPath, "snippets/")):]
		if where, ok := wrong[dir]; ok {
			if len(errors) == 0 {
				problems = append(problems, where+": it compiles, and is marked as wrong")
			}
			continue
		}
		for _, e := range errors {
			problems = append(problems, e.Error())
		}
	}
	return problems, len(patterns), nil
}

// ignored matches the type checker's messages about unused names, and the compiler's
// before them.
var ignored = regexp.MustCompile(`^declared and not used|imported( as \S+)? and not used$|^# `)

// quoted matches the path in an import.
var quoted = regexp.MustCompile(`"[^"]+"`)

// snippets returns the snippets of a Markdown file.
func snippets(file string) (all []snippet, err error) {
	page, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	at := func(start int, source string) code {
		return code{absolute, 1 + strings.Count(string(page[:start]), "\n"), source}
	}
	var declared code
	err = markdown.Walk(goldmark.DefaultParser().Parse(text.NewReader(page)), func(n markdown.Node, entering bool) (markdown.WalkStatus, error) {
		if !entering {
			return markdown.WalkContinue, nil
		}
		switch n := n.(type) {
		case *markdown.HTMLBlock:
			comment := string(page[n.Lines().At(0).Start:lastOf(n.Lines())])
			if n.HasClosure() {
				comment += string(n.ClosureLine.Value(page))
			}
			const opening = "<!-- go\n"
			if source, ok := strings.CutPrefix(comment, opening); ok {
				source, _, _ = strings.Cut(source, "-->")
				declared = at(n.Lines().At(0).Start+len(opening), source)
			}
		case *markdown.FencedCodeBlock:
			if n.Info == nil || n.Lines().Len() == 0 {
				break
			}
			info := strings.Fields(string(n.Info.Value(page)))
			if info[0] != "go" {
				break
			}
			s := at(n.Lines().At(0).Start, string(n.Lines().Value(page)))
			all = append(all, snippet{s, declared, slices.Contains(info[1:], "wrong")})
		}
		return markdown.WalkContinue, nil
	})
	return all, err
}

func lastOf(lines *text.Segments) int { return lines.At(lines.Len() - 1).Stop }

// source returns a file of Go with the snippet in it.
func (s snippet) source() ([]byte, error) {
	if s.parses(s.text) == nil { // a file imports all that it needs
		_, declarations := splitImports(s.declared.text)
		return []byte(s.lineDirective() + s.text + declarations), nil
	}
	imports, rest := splitImports(s.text)
	declaredImports, declarations := splitImports(s.declared.text)
	for _, path := range quoted.FindAllString(imports, -1) {
		declaredImports = strings.ReplaceAll(declaredImports, path, "") // once is enough
	}
	var source strings.Builder
	source.WriteString("package p\n")
	write := func(c code, skipped, text string) {
		if text == "" {
			return
		}
		c.line += strings.Count(skipped, "\n")
		source.WriteString(c.lineDirective() + text + "\n")
	}
	write(s.declared, "", declaredImports)
	write(s.code, "", imports)
	write(s.declared, declaredImports, declarations)
	if s.parses("package p\n"+s.text) == nil {
		write(s.code, imports, rest)
		return []byte(source.String()), nil
	}
	statements, err := withoutReturns(rest)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: neither a file, nor declarations, nor statements: %w", s.file, s.line, err)
	}
	source.WriteString("func _() {\n")
	write(s.code, imports, statements)
	source.WriteString("}\n")
	return []byte(source.String()), nil
}

func (s snippet) parses(source string) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	return err
}

// lineDirective has the compiler say where c is.
func (c code) lineDirective() string { return fmt.Sprintf("//line %s:%d\n", c.file, c.line) }

// splitImports splits source after its import declarations.
func splitImports(source string) (imports, rest string) {
	const clause = "package p;"
	files := token.NewFileSet()
	f, _ := parser.ParseFile(files, "", clause+source, parser.ImportsOnly)
	if f == nil || len(f.Decls) == 0 {
		return "", source
	}
	end := files.Position(f.Decls[len(f.Decls)-1].End()).Offset - len(clause)
	if newline := strings.IndexByte(source[end:], '\n'); newline >= 0 {
		end += newline + 1
	}
	return source[:end], source[end:]
}

// withoutReturns makes return statements evaluate their results only: the function
// around them is unknown.
func withoutReturns(statements string) (string, error) {
	const opening = "package p; func _() {\n"
	source := opening + statements + "\n}"
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var returns []*ast.ReturnStmt
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			returns = append(returns, r)
		}
		_, ok := n.(*ast.FuncLit)
		return !ok
	})
	for _, r := range slices.Backward(returns) {
		var evaluated []string
		for _, result := range r.Results {
			evaluated = append(evaluated, "any("+source[files.Position(result.Pos()).Offset:files.Position(result.End()).Offset]+")")
		}
		blanks := strings.Repeat(", _", len(evaluated)-1)
		start, end := files.Position(r.Pos()).Offset, files.Position(r.End()).Offset
		source = source[:start] + "_" + blanks + " = " + strings.Join(evaluated, ", ") + source[end:]
	}
	return strings.TrimSuffix(strings.TrimPrefix(source, opening), "\n}"), nil
}
