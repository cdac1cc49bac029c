//go:build go1.25

package api

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// A rule finds wording that a reader has to read twice. A text may break it once, or as
// often as limit says for 1,000 words.
type rule struct {
	name, advice string
	find         func(sentence string) int // how often the sentence breaks the rule
	once         int
	limit        float64
}

const longest = 30 // words of a sentence

var rules = []rule{
	{"what", "it often stands for a noun that the reader must find: say it", func(s string) int {
		return len(what.FindAllString(s, -1))
	}, 1, 1},
	{"is to", "say must or may", func(s string) (n int) {
		for _, m := range isTo.FindAllStringSubmatch(s, -1) {
			if !article[strings.ToLower(m[1])] {
				n++
			}
		}
		return n
	}, 0, 0},
	{"a long sentence", "split it", func(s string) int {
		if len(word.FindAllString(s, -1)) > longest {
			return 1
		}
		return 0
	}, 0, 0},
}

var (
	what    = regexp.MustCompile(`(?i)\bwhat\b`)
	isTo    = regexp.MustCompile(`(?i)\b(?:is|are|was|were|be) (?:not |never |always )?to (\w+)`)
	article = map[string]bool{"a": true, "an": true, "the": true, "this": true, "that": true, "each": true, "others": true}
)

// rewriting lists texts that break a rule more often, until they are rewritten.
var rewriting = map[string]int{}

var word = regexp.MustCompile(`[\pL\pN'_]+(?:[.,]\pN+)*`)

// TestProse counts broken rules in each document, and in the comments and messages of each
// package, of its tests, and of scripts.
func TestProse(t *testing.T) {
	testenv.Tree()
	texts := readTexts(t, root)
	if len(texts) < 50 {
		t.Fatalf("only %d texts found", len(texts))
	}
	for name, x := range texts {
		for i, r := range rules {
			found := x.found[i]
			entry := name + ": " + r.name
			most := max(r.once, int(r.limit*float64(x.words)/1000))
			known, listed := rewriting[entry]
			switch {
			case listed && len(found) <= most:
				t.Errorf("%s needs no entry in rewriting any more: delete it", entry)
			case len(found) > max(most, known):
				t.Errorf("%s: %q %d times in %d words; %s:\n%s", name, r.name, len(found), x.words, r.advice, strings.Join(found, "\n"))
			}
		}
	}
	for entry := range rewriting {
		name, _, _ := strings.Cut(entry, ": ")
		if texts[name] == nil {
			t.Errorf("rewriting lists %s, which has no text", name)
		}
	}
}

// A text is a document, or the comments or messages of a package or of its tests.
type text struct {
	words int
	found [][]string // by rule: the sentences that break it
}

func (x *text) add(place, paragraph string) {
	for _, s := range sentences(paragraph) {
		x.words += len(word.FindAllString(s, -1))
		for i, r := range rules {
			for range r.find(s) {
				x.found[i] = append(x.found[i], fmt.Sprintf("\t%s: %s", place, s))
			}
		}
	}
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?:]["')\]*_]*\s+`)
	abbreviated = regexp.MustCompile(`\b(?:e\.g|i\.e|etc|vs|cf)$`)
)

// sentences splits a paragraph. A colon ends a sentence too, because the reader may rest there.
func sentences(paragraph string) (all []string) {
	paragraph = strings.Join(strings.Fields(paragraph), " ")
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(paragraph, -1) {
		if abbreviated.MatchString(paragraph[from:at[0]]) {
			continue
		}
		all = append(all, paragraph[from:at[0]+1])
		from = at[1]
	}
	if from < len(paragraph) {
		all = append(all, paragraph[from:])
	}
	return all
}

// readTexts reads the documents and packages below a directory, by name.
func readTexts(t *testing.T, dir string) map[string]*text {
	t.Helper()
	texts := map[string]*text{}
	of := func(name string) *text {
		if texts[name] == nil {
			texts[name] = &text{found: make([][]string, len(rules))}
		}
		return texts[name]
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := path.Base(name)
			if name != "." && base != ".ci" && strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "vendor"}, base) {
				return fs.SkipDir
			}
			return nil
		}
		folder := path.Dir(name)
		ext := path.Ext(name)
		if !slices.Contains([]string{".md", ".go", ".js", ""}, ext) || !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case err != nil:
			return err
		case ext == ".md":
			readDocument(of(name), name, string(content))
			return nil
		case ext == ".js" && !strings.Contains(name, ".min."):
			readLines(of(name), name, string(content), "//")
			return nil
		case bytes.HasPrefix(content, []byte("#!")):
			readLines(of(folder+" scripts"), name, string(content), "#")
			return nil
		case ext != ".go":
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			folder += " tests"
		}
		if path.Base(name) == "prose_test.go" {
			return nil // it breaks the rules to test them
		}
		return readCode(of(folder), of(folder+" messages"), name, content)
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

var (
	// Code and the addresses of links are no prose. Code counts as one word.
	codeSpan = regexp.MustCompile("`[^`]*`")
	noProse  = regexp.MustCompile(`<[^>]*>|\]\([^)]*\)`)
	item     = regexp.MustCompile(`^\s*(?:[*-]|\d+\.)\s`)
)

func readDocument(x *text, name, content string) {
	code, n, first := false, 0, 1
	var paragraph []string
	end := func() {
		x.add(fmt.Sprintf("%s:%d", name, first), strings.Join(paragraph, " "))
		paragraph, first = nil, n
	}
	for line := range strings.Lines(content) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			end()
			continue
		}
		if code || strings.HasPrefix(line, "\t") {
			end()
			continue
		}
		prose := noProse.ReplaceAllString(codeSpan.ReplaceAllString(line, "CODE"), " ")
		switch {
		case strings.HasPrefix(line, "|"):
			end()
			for cell := range strings.SplitSeq(prose, "|") {
				x.add(fmt.Sprintf("%s:%d", name, n), cell)
			}
			continue
		case strings.TrimSpace(line) == "" || line[0] == '#' || item.MatchString(line):
			end()
		}
		paragraph = append(paragraph, prose)
	}
	end()
}

// readLines reads comments that take whole lines.
func readLines(x *text, name, content, mark string) {
	var paragraph []string
	n := 0
	for line := range strings.Lines(content + "\n") {
		n++
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, mark); ok && strings.HasPrefix(comment, " ") {
			paragraph = append(paragraph, codeSpan.ReplaceAllString(comment, "CODE"))
			continue
		}
		x.add(fmt.Sprintf("%s:%d", name, n-len(paragraph)), strings.Join(paragraph, " "))
		paragraph = nil
	}
}

// readCode reads comments and messages. A message is a string literal of at least four words
// that is no code or list of files.
func readCode(comments, messages *text, name string, content []byte) error {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, content, parser.ParseComments)
	if err != nil {
		return err
	}
	place := func(n ast.Node) string { return fmt.Sprintf("%s:%d", name, files.Position(n.Pos()).Line) }
	for _, group := range f.Comments {
		var p comment.Parser
		for _, block := range p.Parse(group.Text()).Content {
			for _, paragraph := range paragraphs(block) {
				comments.add(place(group), codeSpan.ReplaceAllString(paragraph, "CODE"))
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			if err == nil && len(strings.Fields(s)) >= 4 && !strings.ContainsAny(s, "{}") && !strings.Contains(s, ".go ") {
				for paragraph := range strings.SplitSeq(s, "\n") {
					if !strings.HasPrefix(paragraph, "\t") {
						messages.add(place(lit), codeSpan.ReplaceAllString(paragraph, "CODE"))
					}
				}
			}
		}
		return true
	})
	return nil
}

// paragraphs returns the prose of a block of a comment. Code is none.
func paragraphs(b comment.Block) (all []string) {
	plain := func(texts []comment.Text) string {
		var s strings.Builder
		var write func([]comment.Text)
		write = func(texts []comment.Text) {
			for _, t := range texts {
				switch t := t.(type) {
				case comment.Plain:
					s.WriteString(string(t))
				case comment.Italic:
					s.WriteString(string(t))
				case *comment.Link:
					write(t.Text)
				case *comment.DocLink:
					write(t.Text)
				}
			}
		}
		write(texts)
		return s.String()
	}
	switch b := b.(type) {
	case *comment.Paragraph:
		all = append(all, plain(b.Text))
	case *comment.Heading:
		all = append(all, plain(b.Text))
	case *comment.List:
		for _, item := range b.Items {
			for _, block := range item.Content {
				all = append(all, paragraphs(block)...)
			}
		}
	}
	return all
}

// TestReadsProse tries the rules and the reading on texts of its own.
func TestReadsProse(t *testing.T) {
	long := strings.Repeat("word ", longest+1)
	for _, test := range []struct {
		file, content string
		text          string // that is read
		words         int
		found         [3]int
	}{
		{"p/a.go", "package p\n\n// What is\n// what?\nvar s = \"// what\" // what\n", "p", 4, [3]int{3, 0, 0}},
		{"p/a.go", "package p\n\n/* what whatever */\n", "p", 2, [3]int{1, 0, 0}},
		{"p/a.go", "//go:build what\n\npackage p\n", "p", 0, [3]int{}},
		{"p/a.go", "package p\n\n// Code:\n//\n//\twhat\n", "p", 1, [3]int{}},
		{"p/a.go", "package p\n\nvar s = \"say what it is\" + \"what\"\n", "p messages", 4, [3]int{1, 0, 0}},
		{"p/a_test.go", "package p\n\n// what\n", "p tests", 1, [3]int{1, 0, 0}},
		{"p/testdata/a.go", "package p\n\n// what\n", "p", 0, [3]int{}},
		{"p/run", "#!/bin/sh\n# What\n# what\n\n#\twhat\nwhat # what\n", "p scripts", 2, [3]int{2, 0, 0}},
		{"p/run.js", "// What\n// what\nwhat()\n", "p/run.js", 2, [3]int{2, 0, 0}},
		{"d.md", "# What\n\nand\n\n```\nwhat\n```\n\n\twhat\n\nthen `what` and [what](what.md)\n", "d.md", 6, [3]int{2, 0, 0}},
		{"d.md", "It is to go. It is not to go, is to the left, and was to\nbe.", "d.md", 17, [3]int{0, 3, 0}},
		{"d.md", long, "d.md", longest + 1, [3]int{0, 0, 1}},
		{"d.md", long[5:] + ". " + long[5:], "d.md", 2 * longest, [3]int{}},
		{"d.md", long[5:] + "\n* " + long[5:], "d.md", 2 * longest, [3]int{}},
		{"d.md", "word, e.g. " + long[10:], "d.md", longest + 2, [3]int{0, 0, 1}},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(test.file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
			t.Fatal(err)
		}
		x := readTexts(t, dir)[test.text]
		if x == nil {
			x = &text{found: make([][]string, len(rules))}
		}
		var found [3]int
		for i := range rules {
			found[i] = len(x.found[i])
		}
		if x.words != test.words || found != test.found {
			t.Errorf("%q: %d words and %v, want %d and %v: %v", test.content, x.words, found, test.words, test.found, x.found)
		}
	}
}
