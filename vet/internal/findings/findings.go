// Package findings makes the analyzers, and leaves out findings that are in generated files or silenced by a comment.
//
// Touch it for how findings are shown or silenced. Each check words its own findings.
package findings

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet/internal/pooled"
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
func NewCheck(name, doc string, find func(*pooled.Result) []Finding) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       name,
		Doc:        doc,
		URL:        "https://pkg.go.dev/github.com/basin-go/basin/vet/" + name,
		Requires:   []*analysis.Analyzer{pooled.Analyzer},
		ResultType: reflect.TypeFor[Findings](),
		Run: func(pass *analysis.Pass) (any, error) {
			r := pass.ResultOf[pooled.Analyzer].(*pooled.Result)
			if !r.Analyzed() {
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

// InOrder returns the comments in the order of the source.
func (c CommentsByLine) InOrder() (all []*Comment) {
	for _, lines := range c {
		all = slices.AppendSeq(all, maps.Values(lines))
	}
	slices.SortFunc(all, func(a, b *Comment) int { return int(a.Pos - b.Pos) })
	return all
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

// generated reports whether a position is in a file that says it is generated.
func generated(pass *analysis.Pass) func(token.Pos) bool {
	files := map[*token.File]bool{}
	for _, f := range pass.Files {
		if ast.IsGenerated(f) {
			files[pass.Fset.File(f.Pos())] = true
		}
	}
	return func(pos token.Pos) bool { return pos.IsValid() && files[pass.Fset.File(pos)] }
}
