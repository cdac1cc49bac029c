//go:build go1.25

package api

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// A text may have "what" twice in 1,000 words, and once in any case. The word often
// stands for a noun that the writer has not found, and the reader has to.
const mostWhats = 2

// rewriting lists texts that have more, with their own limits, until they are
// rewritten. Lower a limit with the text; a text that needs none leaves the list.
var rewriting = map[string]float64{
	"docs/proof.md": 6, // the names of mutants
}

// TestNounsForWhat counts "what" in the comments of each package and in each document.
func TestNounsForWhat(t *testing.T) {
	testenv.Tree()
	texts := readTexts(t, root)
	if len(texts) < 50 {
		t.Fatalf("only %d texts found", len(texts))
	}
	for name := range rewriting {
		if texts[name] == nil {
			t.Errorf("rewriting lists %s, which has no text", name)
		}
	}
	for name, x := range texts {
		limit, listed := rewriting[name]
		switch {
		case x.within(mostWhats) && listed:
			t.Errorf("%s needs no limit of its own: delete it from rewriting", name)
		case !x.within(max(limit, mostWhats)):
			t.Errorf("%s: %d times \"what\" in %d words; say the noun:\n%s",
				name, len(x.whats), x.words, strings.Join(x.whats, "\n"))
		}
	}
}

// TestCountsWhat tries the count on texts of its own.
func TestCountsWhat(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		words, whats int
	}{
		{"p/a.go", "package p\n\n// What is\n// what?\nvar s = \"// what\" // what\n", 4, 3},
		{"p/a.go", "package p\n\n/* what whatever */\n", 2, 1},
		{"p/b.go", "//go:build what\n\npackage p\n", 0, 0},
		{"p/a_test.go", "package p\n\n// what\n", 0, 0},
		{"p/testdata/a.go", "package p\n\n// what\n", 0, 0},
		{"d.md", "# What\n\nand\n\n```\nwhat\n```\n\n\twhat\n\nthen `what` and [what](what.md)\n", 5, 2},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(test.name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		x := &text{}
		for _, found := range readTexts(t, dir) {
			x = found
		}
		if x.words != test.words || len(x.whats) != test.whats {
			t.Errorf("%s %q: %d words and %q, want %d and %d", test.name, test.text, x.words, x.whats, test.words, test.whats)
		}
	}
	for _, test := range []struct {
		words, whats int
		ok           bool
	}{{10, 1, true}, {10, 2, false}, {1000, 2, true}, {1000, 3, false}, {1500, 3, true}} {
		if x := (&text{words: test.words, whats: make([]string, test.whats)}); x.within(2) != test.ok {
			t.Errorf("%d in %d words: %v", test.whats, test.words, !test.ok)
		}
	}
}

// A text is a document, or the comments of a package.
type text struct {
	words int
	whats []string // the lines that have them, once for each
}

func (x *text) within(perThousand float64) bool {
	n := len(x.whats)
	return n <= 1 || 1000*float64(n) <= perThousand*float64(x.words)
}

var (
	word = regexp.MustCompile(`[\pL\pN'_]+`)
	what = regexp.MustCompile(`(?i)\bwhat\b`)
	// Code and the addresses of links are no prose.
	noProse = regexp.MustCompile("`[^`]*`|<[^>]*>|\\]\\([^)]*\\)")
)

func (x *text) add(place, line string) {
	x.words += len(word.FindAllString(line, -1))
	for range what.FindAllString(line, -1) {
		x.whats = append(x.whats, fmt.Sprintf("\t%s: %s", place, strings.TrimSpace(line)))
	}
}

// readTexts reads the documents and packages below a directory, by name.
func readTexts(t *testing.T, dir string) map[string]*text {
	t.Helper()
	texts := map[string]*text{}
	of := func(name string) *text {
		if texts[name] == nil {
			texts[name] = new(text)
		}
		return texts[name]
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := path.Base(name)
			if name != "." && strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "vendor"}, base) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".md") && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			readDocument(of(name), name, string(content))
			return nil
		}
		return readComments(of(path.Dir(name)), name, content)
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func readDocument(x *text, name, content string) {
	code, n := false, 0
	for line := range strings.Lines(content) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code && !strings.HasPrefix(line, "\t") {
			x.add(fmt.Sprintf("%s:%d", name, n), noProse.ReplaceAllString(line, " "))
		}
	}
}

func readComments(x *text, name string, content []byte) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, content, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") {
				continue
			}
			first := files.Position(c.Pos()).Line
			for i, line := range strings.Split(c.Text, "\n") {
				x.add(fmt.Sprintf("%s:%d", name, first+i), line)
			}
		}
	}
	return nil
}
