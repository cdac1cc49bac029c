//go:build go1.25

package metamorphic

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRobustness: each row of docs/robustness.md names tests or other evidence, and the tests
// exist.
func TestRobustness(t *testing.T) {
	const root = "../.."
	tests := make(map[string]bool)
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(code, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "robustness.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 5 || strings.HasPrefix(line, "| fault") || strings.HasPrefix(line, "| depends") || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		last := cells[len(cells)-2]
		if !strings.Contains(last, "`") {
			t.Errorf("no test is named for the fault: %s", cells[1])
		}
		for _, m := range named.FindAllStringSubmatch(last, -1) {
			if !tests[m[1]] {
				t.Errorf("there is no %s, which is named for the fault: %s", m[1], cells[1])
			}
		}
	}
	if rows < 30 {
		t.Errorf("docs/robustness.md has %d rows, want at least 30", rows)
	}
}
