//go:build go1.25

package api

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// mostWords is the most words of all pages for users together. If a page needs more, shorten others, or move
// measurements and reasons to otherPages or docs/decisions.
const mostWords = 16_000

// The pages of docs for users of basin, README.md aside, and those for people who want to know how and why.
var (
	userPages = []string{
		"adapters", "advise", "api", "checking", "choosing", "compatibility", "dropin", "limits", "metrics", "migration",
		"production", "recipes", "scope", "troubleshooting", "tuning", "tutorial", "vet", "waiting",
	}
	otherPages = []string{"benchmarks", "design", "proof", "results", "robustness", "vet-internals"}
)

// TestWords counts the words that users may have to read.
func TestWords(t *testing.T) {
	testenv.Tree()
	files := []string{"README.md"}
	for _, name := range userPages {
		files = append(files, "docs/"+name+".md")
	}
	sum := 0
	var each strings.Builder
	for _, name := range files {
		page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		n := countWords(string(page))
		sum += n
		fmt.Fprintf(&each, "\n%6d %s", n, name)
	}
	if sum > mostWords {
		t.Errorf("the pages for users have %d words, more than %d:%s", sum, mostWords, &each)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if !slices.Contains(userPages, name) && !slices.Contains(otherPages, name) {
			t.Errorf("docs/%s.md is a new page: add it to userPages or otherPages", name)
		}
	}
}

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	fencedCode  = regexp.MustCompile("(?ms)^```.*?^```")
	indented    = regexp.MustCompile(`(?m)^\t.*$`)
	hasLetter   = regexp.MustCompile(`[\pL\pN_]`)
)

// countWords returns the number of words of a document, without comments and blocks of code. The address of a link
// belongs to the last word of its text.
func countWords(page string) (n int) {
	for _, leftOut := range []*regexp.Regexp{htmlComment, fencedCode, indented} {
		page = leftOut.ReplaceAllString(page, "")
	}
	for _, word := range strings.Fields(page) {
		if hasLetter.MatchString(word) {
			n++
		}
	}
	return n
}

// TestCountWords counts the words of texts of its own.
func TestCountWords(t *testing.T) {
	for _, test := range []struct {
		page string
		want int
	}{
		{"", 0},
		{"# One\n\ntwo, three - four.\n", 4},
		{"| one | 2 | `three four` |\n| --- | ---: | |\n", 4},
		{"one\n\n```go\ntwo()\n```\n\nthree\n\n```\nfour\n```\n", 2},
		{"one\n\n\ttwo three\n\nfour\n", 2},
		{"one <!-- two\nthree --> four <!-- five -->\n", 2},
		{"<!-- one\n```go\n-->\ntwo\n", 1},
		{"[one](two.md#three) ▁▂▃ _\n", 2},
	} {
		if got := countWords(test.page); got != test.want {
			t.Errorf("%q has %d words, want %d", test.page, got, test.want)
		}
	}
}
