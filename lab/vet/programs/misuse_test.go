package programs

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/vet"
)

// invisible has the misuse that the source does not show, and why.
var invisible = map[string]string{
	"detach_put_twice":         "the slice goes through a channel",
	"shared_retained_too_late": "the reference goes through a channel",
	"double_put_readall":       "a function that is passed as an argument puts",
	"leak_goroutine":           "a goroutine should put",
}

// TestMisuse analyzes the programs that misuse basin. Their misuse must be found, and
// nothing in the same programs without it.
func TestMisuse(t *testing.T) {
	testenv.API()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: filepath.Join("..", "..", "..", "proof", "misuse", "testdata", "misuse")}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatalf("%v, %v", err, pkgs)
	}
	graph, err := checker.Analyze(vet.All(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	fset := pkgs[0].Fset
	functionAt := func(file string, line int) string {
		for _, f := range pkgs[0].Syntax {
			if fset.Position(f.Pos()).Filename != file {
				continue
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && fset.Position(d.Pos()).Line <= line && line <= fset.Position(d.End()).Line {
					return d.Name.Name
				}
			}
		}
		return ""
	}
	for _, a := range graph.Roots {
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		for _, d := range a.Diagnostics {
			at := fset.Position(d.Pos)
			fn := functionAt(at.Filename, at.Line)
			if strings.HasSuffix(fn, "Fixed") {
				t.Errorf("%s:%d: reported although it is right: %s (%s)", filepath.Base(at.Filename), at.Line, d.Message, a.Analyzer.Name)
				continue
			}
			// A missing Put is a right report only of programs that leak.
			name := strings.TrimSuffix(filepath.Base(at.Filename), ".go")
			if a.Analyzer.Name != "missingput" && a.Analyzer.Name != "boundedput" || strings.Contains(name, "leak") {
				found[name] = true
			}
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "proof", "misuse", "testdata", "misuse", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	visible, seen := 0, 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".go")
		if name == "programs" {
			continue
		}
		why, hidden := invisible[name]
		if hidden && found[name] {
			t.Errorf("%s is found, although %s", name, why)
		}
		if hidden {
			continue
		}
		visible++
		if found[name] {
			seen++
		} else {
			t.Logf("missed: %s", name)
		}
	}
	t.Logf("found %d of %d programs in which the source shows the misuse, of %d", seen, visible, len(files)-1)
	if seen*100 < visible*80 || visible < 30 {
		t.Errorf("found %d of %d programs, want 80 %%", seen, visible)
	}
	if missing := slices.DeleteFunc(slices.Collect(maps.Keys(invisible)), func(n string) bool {
		return slices.Contains(files, filepath.Join("..", "..", "..", "proof", "misuse", "testdata", "misuse", n+".go"))
	}); len(missing) > 0 {
		t.Errorf("there are no programs %v", missing)
	}
}
