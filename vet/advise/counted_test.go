package advise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

func TestNoteCounted(t *testing.T) {
	const source = `package p

import "testing"

func TestPlain(t *testing.T) { t.Log(testing.Short()) }

func TestCounts(t *testing.T) {
	for range 2 {
		if n := testing.AllocsPerRun(10, func() { testing.AllocsPerRun(1, f) }); n != 16 {
			t.Error(n)
		}
	}
}
`
	note := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := new(Report)
		r.noteCounted(&patch{packages: []*rewrite.Package{{Dir: dir}}})
		return strings.Join(r.Notes, "\n")
	}
	for want, files := range map[string]map[string]string{
		"":                         {"a_test.go": "package p\n\nfunc TestPlain() {}\n", "a.go": source, "b_test.go": "no Go"},
		"one test counts":          {"a_test.go": source},
		"(TestCounts at a_test.go": {"a_test.go": source},
		"4 tests count allocations (TestCounts at a_test.go:9, TestCounts at b_test.go:9, TestCounts at c_test.go:9, and others)": {
			"a_test.go": source, "b_test.go": source, "c_test.go": source, "d_test.go": source},
	} {
		if got := note(files); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
