//go:build go1.25

package api

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// Somebody new reads the files that CONTRIBUTING lists within an hour.
const mostToRead = 2500 // lines

// TestReading: the files that CONTRIBUTING lists to read exist, and are short enough together.
func TestReading(t *testing.T) {
	testenv.Tree()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "\n## Read\n")
	list, _, found := strings.Cut(list, "\n## ")
	if !found {
		t.Fatal("CONTRIBUTING has no section Read")
	}
	files, lines := 0, 0
	for _, m := range regexp.MustCompile(`\]\(([^)]+\.(?:go|md))\)`).FindAllStringSubmatch(list, -1) {
		if strings.HasPrefix(m[1], "docs/decisions/") {
			continue // to look things up
		}
		content, err := os.ReadFile(filepath.Join(root, m[1]))
		if err != nil {
			t.Error(err)
		}
		files++
		lines += bytes.Count(content, []byte("\n"))
	}
	t.Logf("%d files with %d lines", files, lines)
	if files < 8 || lines > mostToRead {
		t.Errorf("%d files with %d lines, want at least 8 and at most %d", files, lines, mostToRead)
	}
}
