// Package okcomment finds comments that silence without need or without a reason.
package okcomment

import (
	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet/internal/pooled"
)

const doc = `find //basin:ok comments without a reason or without a finding

A comment //basin:ok REASON silences the findings of its line, or of the next
one if it is alone on its line. With a space before basin:ok it silences nothing.`

// New returns the check for the findings of others.
func New(others []*analysis.Analyzer) *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "okcomment", Doc: doc, Requires: others,
		URL: "https://pkg.go.dev/github.com/basin-go/basin/vet/okcomment"}
	a.Run = func(pass *analysis.Pass) (any, error) {
		comments := pooled.Comments(pass)
		for _, pos := range pooled.Spaced(pass) {
			pass.Reportf(pos, "// basin:ok is ignored: write //basin:ok, without the space")
		}
		if len(comments) == 0 {
			return nil, nil
		}
		used := map[*pooled.Comment]bool{}
		for _, o := range others {
			for _, f := range pass.ResultOf[o].(pooled.Findings) {
				if c := comments.Silences(pass.Fset, f.Pos); c != nil {
					used[c] = true
				}
			}
		}
		for _, lines := range comments {
			for _, c := range lines {
				switch {
				case !used[c]:
					pass.Reportf(c.Pos, "unused //basin:ok: no check finds anything here")
				case c.Reason == "":
					pass.Reportf(c.Pos, "//basin:ok without a reason is ignored")
				}
			}
		}
		return nil, nil
	}
	return a
}
