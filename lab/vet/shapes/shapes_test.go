package shapes

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/vet"
)

// The demands of the test.
const (
	minInside = 0.90
	minAcross = 0.50
)

// kinds are the checks that name a kind of bug rightly.
var kinds = map[kind][]string{
	alias:     {"alias"},
	use:       {"use"},
	double:    {"double"},
	stale:     {"stale"},
	wrong:     {"wrong"},
	poolNew:   {"new"},
	missing:   {"missing", "bounded"},
	shared:    {"alias", "use"},
	noReset:   {"reset"},
	unlimited: {"unlimited"},
}

// A function of a shape, with the lines on which a report is right.
type function struct {
	shape string // the folder that it is in
	name  string
	file  string
	lines [2]int // first and last
	marks []int  // none if it is correct
	found []report
	stray []report
}

func (f *function) String() string { return fmt.Sprintf("%s.%s", f.shape, f.name) }

type report struct {
	check string
	file  string
	line  int
	text  string
}

func (r report) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", filepath.Base(r.file), r.line, r.text, r.check)
}

func TestShapes(t *testing.T) {
	pkgs := load(t, "shapes/...")
	functions := functionsOf(t, pkgs, "shapes/")
	reports := analyze(t, pkgs)

	byName := map[string]shape{}
	for _, s := range table {
		byName[s.name] = s
	}
	optional := map[string]bool{}
	for _, a := range vet.All() {
		optional[a.Name] = !slices.ContainsFunc(vet.Analyzers(), func(d *analysis.Analyzer) bool { return d.Name == a.Name })
	}
	for _, r := range reports {
		f := at(functions, r)
		if f == nil {
			t.Errorf("outside of every function: %v", r)
			continue
		}
		// Optional checks are judged on their own shapes alone.
		if optional[r.check] && !(byName[f.shape].optIn && names(byName[f.shape].kind, r.check)) {
			continue
		}
		if slices.Contains(f.marks, r.line) {
			f.found = append(f.found, r)
		} else {
			f.stray = append(f.stray, r)
		}
	}

	found, all, misnamed := map[class]int{}, map[class]int{}, 0
	seen := map[string]bool{}
	for _, f := range functions {
		s, ok := byName[f.shape]
		seen[f.shape] = true
		if !ok && f.shape != "legal" {
			t.Errorf("%v: no such shape in the table", f)
		}
		for _, r := range f.stray {
			if len(f.marks) == 0 {
				t.Errorf("%v is correct, reported: %v", f, r)
			} else {
				t.Errorf("%v has no bug there: %v", f, r)
			}
		}
		if len(f.marks) == 0 {
			continue
		}
		all[s.class]++
		if len(f.found) == 0 {
			t.Logf("missed [%s] %s: %v, line %d (%s)", s.class, s.kind, f, f.marks[0], s.source)
			continue
		}
		found[s.class]++
		if s.kind != mixed && !slices.ContainsFunc(f.found, func(r report) bool { return names(s.kind, r.check) }) {
			misnamed++
			t.Logf("other kind [%s] %s: %v: %v", s.class, s.kind, f, f.found[0])
		}
	}
	for _, s := range table {
		if !seen[s.name] {
			t.Errorf("%s is in the table and has no program", s.name)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(all)) {
		t.Logf("[%s] found %d of %d (%.0f %%)", c, found[c], all[c], 100*float64(found[c])/float64(all[c]))
	}
	correct := 0
	for _, f := range functions {
		if len(f.marks) == 0 && f.name != "" {
			correct++
		}
	}
	t.Logf("%d correct functions; %d bugs found under the name of another kind", correct, misnamed)
	demand := func(c class, min float64) {
		if got := float64(found[c]) / float64(all[c]); !(got >= min) {
			t.Errorf("[%s]: found %.0f %%, want %.0f %%", c, 100*got, 100*min)
		}
	}
	demand(inside, minInside)
	demand(across, minAcross)
}

func names(k kind, check string) bool {
	return slices.ContainsFunc(kinds[k], func(s string) bool { return strings.Contains(check, s) })
}

// load type-checks the shapes, the packages that stand in for their imports, and basin
// itself.
func load(t *testing.T, pattern string) []*packages.Package {
	testenv.API()
	gopath := t.TempDir()
	copyTree(t, filepath.Join(gopath, "src"), filepath.Join("testdata", "src"), true)
	basin := filepath.Join(gopath, "src", "github.com", "basin-go", "basin")
	copyTree(t, basin, filepath.Join("..", "..", ".."), false)
	for _, folder := range []string{"basincheck", "internal"} { // what it imports
		copyTree(t, filepath.Join(basin, folder), filepath.Join("..", "..", "..", folder), true)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Dir:   gopath,
		Tests: true,
		Env: append(os.Environ(), "GOPATH="+gopath, "GO111MODULE=off", "GOWORK=off",
			"GOPROXY=off", "GOFLAGS="),
	}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the shapes do not compile")
	}
	return pkgs
}

// copyTree copies Go files, tests of basin left out.
func copyTree(t *testing.T, dst, src string, deep bool) {
	err := filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && !deep || d.Name() == "testdata" && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		name := d.Name()
		if !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") ||
			strings.HasSuffix(name, "_test.go") && !strings.Contains(path, "shapes") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dst, rel)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dst, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func functionsOf(t *testing.T, pkgs []*packages.Package, prefix string) (all []*function) {
	seen := map[string]bool{}
	for _, p := range pkgs {
		for _, file := range p.Syntax {
			name := p.Fset.Position(file.Pos()).Filename
			rest, ok := strings.CutPrefix(filepath.ToSlash(p.PkgPath), prefix)
			if !ok || seen[name] || strings.HasSuffix(p.PkgPath, ".test") {
				continue
			}
			seen[name] = true
			shape, _, _ := strings.Cut(strings.TrimSuffix(rest, "_test"), "/")
			line := func(pos token.Pos) int { return p.Fset.Position(pos).Line }
			var bugs, also []int
			for _, group := range file.Comments {
				for _, c := range group.List {
					switch strings.TrimSpace(strings.TrimPrefix(c.Text, "//")) {
					case "BUG":
						bugs = append(bugs, line(c.Pos()))
					case "ALSO":
						also = append(also, line(c.Pos()))
					}
				}
			}
			marked := 0
			for _, d := range file.Decls {
				f := &function{shape: shape, file: name, lines: [2]int{line(d.Pos()), line(d.End())}}
				switch d := d.(type) {
				case *ast.FuncDecl:
					f.name = d.Name.Name
				case *ast.GenDecl:
					if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
						f.name = v.Names[0].Name
					}
				}
				for _, n := range slices.Concat(bugs, also) {
					if f.lines[0] <= n && n <= f.lines[1] {
						f.marks = append(f.marks, n)
						marked++
					}
				}
				if isBug := strings.Contains(f.name, "Bug"); isBug != (len(f.marks) > 0) {
					t.Errorf("%v: the name and the marks disagree", f)
				}
				all = append(all, f)
			}
			if marked != len(bugs)+len(also) {
				t.Errorf("%s: marks outside of functions", name)
			}
		}
	}
	return all
}

func at(functions []*function, r report) *function {
	for _, f := range functions {
		if f.file == r.file && f.lines[0] <= r.line && r.line <= f.lines[1] {
			return f
		}
	}
	return nil
}

func analyze(t *testing.T, pkgs []*packages.Package) (reports []report) {
	graph, err := checker.Analyze(vet.All(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[report]bool{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s on %s: %v", act.Analyzer.Name, act.Package, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			r := report{act.Analyzer.Name, pos.Filename, pos.Line, d.Message}
			if !seen[r] {
				seen[r] = true
				reports = append(reports, r)
			}
		}
	}
	return reports
}
