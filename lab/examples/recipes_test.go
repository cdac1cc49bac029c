// Package examples holds docs/recipes.md to the programs in this module.
package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// TestRecipes: each piece of Go that the recipes show is
// in the program that the recipe names, and each program has a recipe.
func TestRecipes(t *testing.T) {
	testenv.Tree()
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(\.\./lab/examples/(\w+/\w+\.go)\)`)
	code := regexp.MustCompile("(?s)\n```go\n(.*?)\n```\n")
	recipes := strings.Split(string(page), "\n## ")[1:]
	quoted := map[string]bool{}
	for _, recipe := range recipes {
		title, _, _ := strings.Cut(recipe, "\n")
		t.Run(title, func(t *testing.T) {
			program := link.FindStringSubmatch(recipe)
			if program == nil {
				t.Fatal("names no program")
			}
			quoted[program[1]] = true
			source, err := os.ReadFile(program[1])
			if err != nil {
				t.Fatal(err)
			}
			snippets := code.FindAllStringSubmatch(recipe, -1)
			if len(snippets) == 0 {
				t.Error("shows nothing")
			}
			for _, s := range snippets {
				if !strings.Contains(string(source), s[1]) {
					t.Errorf("not in %s:\n%s", program[1], s[1])
				}
			}
		})
	}
	programs, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if p = filepath.ToSlash(p); !strings.HasSuffix(p, "_test.go") && !quoted[p] {
			t.Errorf("no recipe for %s", p)
		}
	}
	if len(programs) == 0 {
		t.Error("found no programs")
	}
}
