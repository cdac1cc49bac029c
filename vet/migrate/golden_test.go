package migrate_test

import (
	"bytes"
	"go/format"
	"os"
	"sort"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/basin-go/basin/vet/migrate"
)

// quiet is for golden files that are not there yet.
type quiet struct{ *testing.T }

func (quiet) Errorf(string, ...any) {}

// TestUpdate writes the golden files anew.
func TestUpdate(t *testing.T) {
	text := os.Getenv("BASIN_TEST_UPDATE")
	if text == "" {
		t.Skip("needs BASIN_TEST_UPDATE=1")
	}
	if text != "1" { // as in basin's internal/testenv, which this module does not require
		t.Fatalf("The environment variable BASIN_TEST_UPDATE is %q, but must be 1.", text)
	}
	for _, pkg := range moves {
		for _, r := range analysistest.Run(quiet{t}, analysistest.TestData(), migrate.Analyzer, pkg) {
			fset := r.Action.Package.Fset
			files := map[string][]analysis.TextEdit{}
			for _, d := range r.Diagnostics {
				for _, f := range d.SuggestedFixes {
					for _, e := range f.TextEdits {
						name := fset.File(e.Pos).Name()
						files[name] = append(files[name], e)
					}
				}
			}
			for name, edits := range files {
				src, _ := os.ReadFile(name)
				sort.SliceStable(edits, func(i, j int) bool { return edits[i].Pos < edits[j].Pos })
				var out bytes.Buffer
				at := 0
				for _, e := range edits {
					f := fset.File(e.Pos)
					out.Write(src[at:f.Offset(e.Pos)])
					out.Write(e.NewText)
					at = f.Offset(e.End)
				}
				out.Write(src[at:])
				text, err := format.Source(out.Bytes())
				if err != nil {
					t.Error(err)
				}
				if err := os.WriteFile(name+".golden", text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
