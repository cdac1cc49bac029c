//go:build go1.25

package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// repository makes a git repository of files in a temporary directory.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	c := exec.Command("git", "init", "-q")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

var example = map[string]string{
	"go.mod":                     "module example.org/m\n",
	"go.work":                    "go 1.25\n",
	"m.go":                       "package m\n\nimport _ \"example.org/m/low\"\n",
	"m_test.go":                  "package m\n\nimport _ \"example.org/m/check\"\n",
	"README.md":                  "about it",
	"low/low.go":                 "package low\n",
	"low/low_386.s":              "// assembly\n",
	"low/low_windows.go":         "package low\n\nimport _ \"example.org/m/win\"\n",
	"low/low_test.go":            "package low\n",
	"win/win.go":                 "package win\n",
	"check/check.go":             "package check\n\nimport _ \"embed\"\n\n//go:embed page\nvar page []byte\n",
	"check/page/a.css":           "p{}",
	"check/notes.txt":            "notes",
	"user/user.go":               "package user\n\nimport _ \"example.org/m\"\n",
	"user/testdata/src/p/p.go":   "package p\n\nimport _ \"example.org/m/lib\"\n",
	"user/testdata/broken.go":    "package",
	"lib/lib.go":                 "package lib\n",
	"nested/go.mod":              "module example.org/m/nested\n",
	"nested/go.sum":              "sums\n",
	"nested/n.go":                "package nested\n\nimport _ \"example.org/m/low\"\n",
	"testdata/install/basin.go":  "package main\n",
	"tool":                       "#!/bin/sh\n",
	"low/inner/not_imported.go":  "package inner\n",
	"ignored/testdata/x/none.go": "package none\n",
}

func TestDependencies(t *testing.T) {
	dir := repository(t, example)
	tree, err := readTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		p    proof
		want string
	}{
		{"imports of any build, embedded files, no tests of others", proof{packages: []string{"."}},
			"check/check.go check/page/a.css go.mod go.work low/low.go low/low_386.s low/low_windows.go m.go m_test.go nested/go.mod nested/go.sum testdata/install/basin.go win/win.go"},
		{"testdata and the programs in it", proof{packages: []string{"./user"}},
			"go.mod go.work lib/lib.go low/low.go low/low_386.s low/low_windows.go m.go nested/go.mod nested/go.sum user/testdata/broken.go user/testdata/src/p/p.go user/user.go win/win.go"},
		{"another module", proof{packages: []string{"./nested"}},
			"go.mod go.work low/low.go low/low_386.s low/low_windows.go nested/go.mod nested/go.sum nested/n.go win/win.go"},
		{"all below", proof{packages: []string{"./low/..."}},
			"go.mod go.work low/inner/not_imported.go low/low.go low/low_386.s low/low_test.go low/low_windows.go nested/go.mod nested/go.sum win/win.go"},
		{"files and directories", proof{files: []string{"tool", "testdata", "*.md"}},
			"README.md go.mod go.work nested/go.mod nested/go.sum testdata/install/basin.go tool"},
	} {
		got, err := tree.dependencies(tt.p)
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, %v\nwant %s", tt.name, strings.Join(got, " "), err, tt.want)
		}
	}
	for _, p := range []proof{{packages: []string{"./none"}}, {packages: []string{"./none/..."}}, {files: []string{"none"}}} {
		if _, err := tree.dependencies(p); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%v: %v, want an error that names it", p, err)
		}
	}
}

func TestSum(t *testing.T) {
	p := proof{packages: []string{"."}, files: []string{"tool"}, command: "true"}
	for _, tt := range []struct {
		file, text string // text is empty for a file that is removed
		due        bool
	}{
		{"README.md", "changed", false},
		{"user/user.go", "package user\n", false},
		{"low/low_test.go", "package low // changed\n", false},
		{"check/notes.txt", "changed", false},
		{"low/low.go", "package low // changed\n", true},
		{"low/low_386.s", "// changed\n", true},
		{"win/new.go", "package win\n", true},
		{"win/win.go", "", true},
		{"check/page/a.css", "p{color:red}", true},
		{"check/page/new.css", "p{}", true},
		{"m_test.go", "package m\n", true},
		{"go.mod", "module example.org/m\n\ngo 1.25\n", true},
		{"nested/go.sum", "sums\nexample.org/m v0.1.0 h1:stamps=\n", false},
		{"nested/go.sum", "sums\nexample.org/other v0.1.0 h1:code=\n", true},
		{"tool", "#!/bin/bash\n", true},
		{"scripts/versions", "name=value\n", true},
	} {
		dir := repository(t, example)
		tree, err := readTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		before, err := tree.sum(p)
		if err != nil {
			t.Fatal(err)
		}
		if tt.text != "" {
			write(t, dir, tt.file, tt.text)
		} else if err := os.Remove(filepath.Join(dir, tt.file)); err != nil {
			t.Fatal(err)
		}
		if tree, err = readTree(dir); err != nil {
			t.Fatal(err)
		}
		after, err := tree.sum(p)
		if err != nil {
			t.Fatal(err)
		}
		if due := before != after; due != tt.due {
			t.Errorf("%s changed: due is %v, want %v", tt.file, due, tt.due)
		}
	}
	tree, err := readTree(repository(t, example))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := tree.sum(p)
	p.command = "false"
	if after, _ := tree.sum(p); before == after {
		t.Error("another command has the same sum")
	}
}

// TestProve runs proofs in a repository: a proof that passes is stamped and no longer due.
func TestProve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	t.Chdir(repository(t, example))
	write(t, ".", "scripts/versions", "name=value\n")
	write(t, ".", "proof/stamps", "gone 0123\n<<<<<<<\n")
	defer func(all []proof) { proofs = all }(proofs)
	proofs = []proof{
		{name: "passes", packages: []string{"./low"}, command: `echo "$name $packages" >>ran`},
		{name: "fails", files: []string{"tool"}, command: "false; true"},
		{name: "changes", files: []string{"README.md"}, command: "echo >>README.md"},
	}
	// .gitignore keeps the mark of a run out of the tree.
	write(t, ".", ".gitignore", "ran\n")
	ran := func() int {
		text, _ := os.ReadFile("ran")
		if s := strings.ReplaceAll(string(text), "value ./low\n", ""); s != "" {
			t.Errorf("the command printed %q", text)
		}
		return strings.Count(string(text), "\n")
	}
	step := func(what string, random bool, names []string, wantFailed bool, wantRuns int) {
		t.Helper()
		if failed, err := prove(false, false, random, names); err != nil || failed != wantFailed {
			t.Errorf("%s: failed is %v, %v", what, failed, err)
		}
		if n := ran(); n != wantRuns {
			t.Errorf("%s: it ran %d times, want %d", what, n, wantRuns)
		}
	}
	step("all are due", false, nil, true, 1)
	stamps, err := readStamps()
	if err != nil || len(stamps) != 1 || stamps["passes"] == "" {
		t.Errorf("stamps %v, %v; want one of the proof that passed", stamps, err)
	}
	step("one is stamped", false, nil, true, 1)
	step("at random", true, nil, true, 2) // only that one is not due
	step("by its name", false, []string{"passes"}, false, 3)
	write(t, ".", "low/low.go", "package low // changed\n")
	step("its file has changed", false, nil, true, 4)
	// A proof that fails loses its stamp.
	write(t, ".", "fails", "")
	write(t, ".", ".gitignore", "ran\nfails\nlacks\n")
	proofs[0].command = `[ ! -e lacks ] || exit 3; [ ! -e fails ]`
	if err := os.Remove("fails"); err != nil {
		t.Fatal(err)
	}
	stamped := func() bool {
		stamps, err := readStamps()
		if err != nil {
			t.Fatal(err)
		}
		return stamps["passes"] != ""
	}
	step("another command", false, []string{"passes"}, false, 4)
	if !stamped() {
		t.Error("no stamp of a proof that has passed")
	}
	write(t, ".", "lacks", "")
	step("a program is missing", false, []string{"passes"}, true, 4)
	if !stamped() {
		t.Error("a proof that could not run loses its stamp")
	}
	if err := os.Remove("lacks"); err != nil {
		t.Fatal(err)
	}
	step("its file changes while it runs", false, []string{"changes"}, true, 4)
	write(t, ".", "fails", "")
	step("it fails though its files are the same", false, []string{"passes"}, true, 4)
	if stamped() {
		t.Error("a proof that has failed keeps its stamp")
	}
	if _, err := prove(false, false, false, []string{"unknown"}); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("a name that no proof has: %v", err)
	}
}

// TestTable compares the dependencies in the table of proofs with those that the go command
// reports.
func TestTable(t *testing.T) {
	t.Chdir("../..")
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("not in a git repository")
	}
	tree, err := readTree(".")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		t.Fatal(err)
	}
	type built struct {
		ImportPath, Dir             string
		GoFiles, SFiles, EmbedFiles []string
		Deps                        []string
	}
	all := map[string]built{} // by ImportPath
	if !testing.Short() {
		c := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,SFiles,EmbedFiles,Deps", "./...")
		out, err := c.Output()
		if err != nil {
			t.Fatal("go list: ", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var b built
			if err := d.Decode(&b); err != nil {
				t.Fatal(err)
			}
			all[b.ImportPath] = b
		}
	}
	// Each package with a long form is in a proof that runs it.
	for dir := range tree.packages {
		tests, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tests {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if dir == "proof/prove" || !regexp.MustCompile(`pooltest\.Long\(|BASIN_TEST_LONG|RunTheirs\(`).Match(text) {
				continue
			}
			if !slices.ContainsFunc(proofs, func(p proof) bool {
				files, err := tree.dependencies(p)
				return err == nil && strings.Contains(p.command, "BASIN_TEST_LONG=1") && slices.Contains(files, filepath.ToSlash(name))
			}) {
				t.Errorf("no proof runs the long form of %s", name)
			}
		}
	}
	seen := map[string]bool{}
	for _, p := range proofs {
		if seen[p.name] || p.name == "" || p.shows == "" || p.command == "" {
			t.Errorf("%q: a proof has a name of its own, a sentence and a command", p.name)
		}
		seen[p.name] = true
		long, err := tree.longTests(p)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if r := regexp.MustCompile(long); p.name == "long" && (!r.MatchString("TestOwnership") || r.MatchString("TestGet")) {
			t.Errorf("tests with a long form: %s", long)
		}
		files, err := tree.dependencies(p)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		depends := map[string]bool{}
		for _, f := range files {
			depends[filepath.Join(here, filepath.FromSlash(f))] = true
		}
		missing := map[string]bool{}
		for _, pattern := range p.packages {
			dirs, err := tree.expand(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range all {
				if rel, err := filepath.Rel(here, b.Dir); err != nil || !slices.Contains(dirs, filepath.ToSlash(rel)) {
					continue
				}
				path, test, variant := strings.Cut(b.ImportPath, " [")
				if variant && test != strings.TrimSuffix(path, "_test")+".test]" {
					continue // compiled again for the tests of another package
				}
				for _, path := range append(b.Deps, b.ImportPath) {
					dep := all[path]
					for _, name := range slices.Concat(dep.GoFiles, dep.SFiles, dep.EmbedFiles) {
						if name = filepath.Join(dep.Dir, name); strings.HasPrefix(name, here) && !depends[name] {
							missing[name] = true
						}
					}
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			if _, err := os.Stat(name); err == nil { // otherwise the go command generates it for a test
				t.Errorf("%s does not depend on %s, which is built for it", p.name, name)
			}
		}
	}
}
