package advise

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/version"
	"slices"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// Patches use type arguments and clear, which older versions of the language do not have. A module keeps its version: the
// changed file alone gets a newer one, by a build constraint. Basin needs a newer toolchain anyway.

// language is the version that patches need. A loop's variables are still those of older versions.
const language = "go1.21"

// raise has a file be of a version of the language that knows all that the mends write.
func (s *source) raise(f *rewrite.File, mends []*mend) error {
	file := s.files[f.Name]
	if !file.isOld() || !slices.ContainsFunc(mends, (*mend).isModern) {
		return nil
	}
	const refused = refusal("its file is of an older version of Go, and has build constraints that this tool does not know")
	if bytes.HasPrefix(f.Old, []byte("\xef\xbb\xbf")) {
		return refused
	}
	var is *ast.Comment
	for _, group := range file.Comments {
		for _, c := range group.List {
			switch {
			case c.Pos() > file.Package:
			case constraint.IsPlusBuild(c.Text):
				return refused
			case constraint.IsGoBuild(c.Text):
				is = c
			}
		}
	}
	if is != nil {
		return s.constrain(f, is)
	}
	f.Edits = slices.Insert(f.Edits, 0, rewrite.Edit{New: "//go:build " + language + "\n\n"})
	return nil
}

// isOld reports whether a file is of an older version.
func (f *sourceFile) isOld() bool {
	of := f.pkg.TypesInfo.FileVersions[f.File]
	return of != "" && version.Compare(of, language) < 0
}

// constrain adds the version to a constraint.
func (s *source) constrain(f *rewrite.File, c *ast.Comment) error {
	x, err := constraint.Parse(c.Text)
	if err != nil {
		return refusal("its build constraint is not valid")
	}
	text := "//go:build " + (&constraint.AndExpr{X: x, Y: &constraint.TagExpr{Tag: language}}).String()
	f.Edits = append(f.Edits, rewrite.Edit{Start: s.fset.PositionFor(c.Pos(), false).Offset, End: s.fset.PositionFor(c.End(), false).Offset, New: text})
	return nil
}

// isModern reports whether the mend writes more than calls of functions.
func (m *mend) isModern() bool {
	return len(m.imports) > 0 || slices.ContainsFunc(m.edits, func(e rewrite.Edit) bool {
		return slices.ContainsFunc([]string{"Pool[", "clear(", "max(", "min("}, func(word string) bool { return strings.Contains(e.New, word) })
	})
}
