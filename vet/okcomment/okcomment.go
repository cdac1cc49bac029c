// Package okcomment defines an analyzer that finds //basin:ok comments without a reason or without a finding.
//
// # Analyzer okcomment
//
// okcomment: find //basin:ok comments without a reason or without a finding
//
// A comment //basin:ok REASON silences the findings of its line, or of the next
// line if it stands alone. A comment without a reason silences nothing, nor does
// one with a space before basin:ok.
package okcomment

import (
	_ "embed"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/basin-go/basin/vet/internal/findings"
)

//go:embed okcomment.go
var source string

// New returns the check of the comments that silence findings of others.
func New(others []*analysis.Analyzer) *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "okcomment", Doc: findings.Doc(source, "okcomment"), Requires: others,
		URL: "https://pkg.go.dev/github.com/basin-go/basin/vet/okcomment"}
	a.Run = func(pass *analysis.Pass) (any, error) {
		report := func(pos token.Pos, message string) {
			pass.Report(analysis.Diagnostic{Pos: pos, End: pos + token.Pos(len("//basin:ok")), Message: message})
		}
		comments := findings.Comments(pass)
		for _, pos := range findings.Spaced(pass) {
			report(pos, "// basin:ok is ignored: write //basin:ok, without the space")
		}
		if len(comments) == 0 {
			return nil, nil
		}
		used := map[*findings.Comment]bool{}
		for _, o := range others {
			for _, f := range pass.ResultOf[o].(findings.Findings) {
				if c := comments.Silences(pass.Fset, f.Pos); c != nil {
					used[c] = true
				}
			}
		}
		for _, c := range comments.InOrder() {
			switch {
			case !used[c]:
				report(c.Pos, "unused //basin:ok: no check finds anything here; remove it")
			case c.Reason == "":
				report(c.Pos, "//basin:ok without a reason is ignored; write the reason behind it")
			}
		}
		return nil, nil
	}
	return a
}
