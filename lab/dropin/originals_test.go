package dropin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/imports"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

const basin = "github.com/basin-go/basin"

// TestOriginals runs the originals' own tests on the modules in compat.
func TestOriginals(t *testing.T) {
	testenv.Tree()
	if !pooltest.Long() {
		t.Skip("compiles and runs other modules' tests: BASIN_TEST_LONG=1")
	}
	for _, o := range slices.Concat(originals, apart) {
		t.Run(o.compat, func(t *testing.T) {
			m := o.download(t)
			compat, folder := t.TempDir(), t.TempDir()
			copyFiles(t, "../../compat/"+o.compat, compat, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
			tests := o.copyTests(t, m.Dir, compat)
			user{
				replace: map[string]string{o.path: compat},
				require: []string{o.path + " " + m.Version},
				like:    m,
			}.write(t, folder)
			for _, level := range []string{"off", "full"} {
				t.Run("checks "+level, func(t *testing.T) {
					skip := slices.Collect(maps.Keys(o.checked))
					if level == "off" {
						skip = nil
					}
					run := func() (passed, failed []string) {
						passed, _ = runTests(t, folder, o.path+"/...", []string{"BASIN_CHECK=" + level}, strings.Join(skip, "|"))
						for _, name := range tests {
							if !slices.Contains(passed, name) && !slices.Contains(skip, name) {
								failed = append(failed, name)
							}
						}
						return passed, failed
					}
					passed, failed := run()
					if len(failed) > 0 { // with the original, too, some tests fail sometimes
						t.Logf("once more, because of %q", failed)
						passed, failed = run()
					}
					for _, name := range failed {
						t.Errorf("%s did not pass", name)
					}
					t.Logf("%d tests pass", len(passed))
				})
			}
		})
	}
}

// TestDependents compares which tests of a program pass with the original and with
// the module in compat.
func TestDependents(t *testing.T) {
	if !testenv.Bool(t, "BASIN_TEST_DEPENDENTS") {
		t.Skip("needs BASIN_TEST_DEPENDENTS=1")
	}
	for _, d := range dependents {
		t.Run(d.path+" "+d.version, func(t *testing.T) {
			m := d.download(t)
			compat := compatOf(t, d.original)
			source := t.TempDir() // tests write into their folder
			copyFiles(t, m.Dir, source, func(string) bool { return true })
			var passed, failed [4][]string
			for i, run := range []struct {
				replace map[string]string
				checks  string
			}{
				{map[string]string{d.path: source}, "off"},
				{map[string]string{d.path: source, d.original: compat}, "off"},
				{map[string]string{d.path: source, d.original: compat}, "full"},
				{map[string]string{d.path: source, d.original: compat}, "sampled=16,guard"},
			} {
				folder := t.TempDir()
				user{replace: run.replace, require: []string{d.path + " " + d.version}, like: m}.write(t, folder)
				for _, packages := range d.patterns() {
					p, f := runTests(t, folder, d.path+packages, []string{"BASIN_CHECK=" + run.checks}, d.skip)
					passed[i], failed[i] = append(passed[i], p...), append(failed[i], f...)
				}
			}
			for i, name := range []string{"", "with the replacement", "with full checks", "with a guard"} {
				for _, test := range passed[0] {
					if !slices.Contains(passed[i], test) && (i < 2 || d.checked[test] == "") {
						t.Errorf("%s does not pass %s", test, name)
					}
				}
			}
			if len(passed[0]) == 0 {
				t.Error("no test passes")
			}
			counts := func(i int) string { return fmt.Sprintf("%d pass and %d fail", len(passed[i]), len(failed[i])) }
			t.Logf("%s; with the replacement, %s; with full checks, %s; with a guard, %s", counts(0), counts(1), counts(2), counts(3))
		})
	}
}

// patterns returns the packages whose tests run, below the path of the module.
func (d dependent) patterns() []string {
	if len(d.packages) == 0 {
		return []string{"/..."}
	}
	return d.packages
}

// download returns the module of a dependent.
func (d dependent) download(t *testing.T) module {
	t.Helper()
	originals := os.Getenv("BASIN_TEST_ORIGINALS")
	if d.clone == "" || originals == "" {
		return download(t, d.path+"@"+d.version)
	}
	folder := filepath.Join(originals, d.clone)
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	return module{Version: d.version, Dir: folder, GoMod: filepath.Join(folder, "go.mod")}
}

type module struct{ Version, Dir, GoMod, Error string }

// download returns the folder of a module. Its version is the one that this module requires,
// unless path has one. The go command verifies the checksums.
func download(t *testing.T, path string) (m module) {
	t.Helper()
	output, err := exec.Command("go", "mod", "download", "-json", path).Output()
	if e := json.Unmarshal(output, &m); err != nil || e != nil || m.Error != "" {
		t.Fatal(path, err, e, m.Error)
	}
	return m
}

// download returns the module of an original. If it has a version of its own and is nowhere, the test is skipped.
func (o original) download(t *testing.T) module {
	t.Helper()
	if o.version == "" {
		return download(t, o.path)
	}
	from := o.folder(t)
	if from == "" {
		t.Skip(o.nowhere())
	}
	return module{Version: o.version, Dir: from, GoMod: filepath.Join(from, required)}
}

// folder returns the folder of an original's module, or "" if it is nowhere. It has no requirements: those of the
// originals in apart are for their tests.
func (o original) folder(t *testing.T) string {
	t.Helper()
	from := filepath.Join(os.Getenv("BASIN_TEST_ORIGINALS"), o.compat)
	if os.Getenv("BASIN_TEST_ORIGINALS") == "" {
		var m module
		output, _ := exec.Command("go", "mod", "download", "-json", o.path+"@"+o.version).Output()
		if json.Unmarshal(output, &m) != nil || m.Dir == "" {
			return ""
		}
		from = m.Dir
	}
	if _, err := os.Stat(from); err != nil {
		return ""
	}
	to := t.TempDir()
	copyFiles(t, from, to, func(string) bool { return true })
	mod, err := os.ReadFile(filepath.Join(to, "go.mod"))
	if err != nil && !os.IsNotExist(err) { // an older original has none
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": "module " + o.path + "\n\ngo 1.20\n", required: string(mod)} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// required is the name of the copy of an original's go.mod with its requirements.
const required = "go.mod.original"

// nowhere says how to have an original for which folder returns "".
func (o original) nowhere() string {
	return fmt.Sprintf("no module %s@%s; name a folder with a clone %q in BASIN_TEST_ORIGINALS", o.path, o.version, o.compat)
}

// copyFile copies a file, and makes the folder for it.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copyFiles copies the files of a folder and its subfolders.
func copyFiles(t *testing.T, from, to string, want func(name string) bool) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o777) // folders of the module cache are read-only
		case !want(d.Name()):
			return os.Remove(path)
		}
		return os.Chmod(path, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// copyTests copies the test files of the original, changed as o says. It returns the names of
// the tests that must pass.
func (o original) copyTests(t *testing.T, from, to string) (names []string) {
	t.Helper()
	used, dropped := map[string]bool{}, map[string]bool{}
	names = o.copyTestsOf(t, from, to, o.extra, used, dropped)
	if o.buffer != "" {
		names = append(names, o.copyTestsOf(t, from+"/buffer", to+"/buffer", o.buffer, used, dropped)...)
	}
	for _, e := range o.edits {
		if !used[e.old] {
			t.Errorf("%q, which must be replaced because %s, is nowhere", e.old, e.reason)
		}
	}
	for test := range o.skip {
		if !dropped[test] {
			t.Errorf("there is no %s, which must be left out", test)
		}
	}
	return names
}

// copyTestsOf is copyTests for one folder. It notes which edits were used and which functions were dropped.
func (o original) copyTestsOf(t *testing.T, from, to, extra string, used, dropped map[string]bool) (names []string) {
	t.Helper()
	files, err := filepath.Glob(from + "/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests in", from, err)
	}
	name := ""
	for _, f := range files {
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range o.edits {
			used[e.old] = used[e.old] || bytes.Contains(source, []byte(e.old))
			source = bytes.ReplaceAll(source, []byte(e.old), []byte(e.new))
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file.Name.Name, "_test") {
			name = file.Name.Name
		}
		comments := ast.NewCommentMap(set, file, file.Comments)
		file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				return false
			}
			if o.skip[f.Name.Name] != "" {
				dropped[f.Name.Name] = true
				return true
			}
			if strings.HasPrefix(f.Name.Name, "Test") {
				names = append(names, f.Name.Name)
			}
			return false
		})
		file.Comments = comments.Filter(file).Comments()
		var text bytes.Buffer
		if err := format.Node(&text, set, file); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(to, filepath.Base(f))
		tidy, err := imports.Process(out, text.Bytes(), nil) // removes imports that only deleted tests used
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(out, tidy, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if extra == "" {
		return names
	}
	code := fmt.Sprintf("package %s\n\n%s\n", name, extra)
	if err := os.WriteFile(filepath.Join(to, "extra_test.go"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	return names
}

// A user is a module that requires others and replaces some of them.
type user struct {
	goLine  string            // go line of its go.mod, or "" for 1.25.0
	replace map[string]string // folders by path
	require []string
	like    module // the module with the sums and the requirements
}

func (u user) write(t *testing.T, folder string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var mod strings.Builder
	fmt.Fprintf(&mod, "module example.org/user\n\ngo %s\n\nrequire (\n\t%s v0.1.0\n", cmp.Or(u.goLine, "1.25.0"), basin)
	for _, r := range u.require {
		fmt.Fprintf(&mod, "\t%s\n", r)
	}
	mod.WriteString(")\n\n")
	fmt.Fprintf(&mod, "replace %s => %s\n", basin, root)
	for path, by := range u.replace {
		fmt.Fprintf(&mod, "replace %s => %s\n", path, by)
	}
	required, err := os.ReadFile(u.like.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+ v\S+)`).FindAllSubmatch(required, -1) {
		fmt.Fprintf(&mod, "require %s\n", r[1])
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(mod.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if sums, err := os.ReadFile(filepath.Join(u.like.Dir, "go.sum")); err == nil {
		if err := os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// runTests runs tests of the module in folder and returns the names of those that pass, and of those that fail. The
// output of a failed run goes to the log.
func runTests(t *testing.T, folder, packages string, environment []string, skip string) (passed, failed []string) {
	t.Helper()
	args := []string{"test", "-mod=mod", "-vet=off", "-short", "-v", "-timeout=5m", "-count=1"}
	if skip != "" {
		args = append(args, "-skip=^("+skip+")$")
	}
	c := exec.Command("go", append(args, packages)...)
	c.Dir = folder
	c.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS")), environment...)
	output, err := c.CombinedOutput()
	if err != nil {
		t.Logf("go test %s: %v\n%s", packages, err, failures(output))
	}
	if report := regexp.MustCompile(`(?m)^.*WARN basin: .*`).Find(output); report != nil && !bytes.Contains(report, []byte("basin: leak")) {
		t.Errorf("%v: %s", environment, report)
	}
	for _, m := range regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\S+)`).FindAllSubmatch(output, -1) {
		if string(m[1]) == "PASS" {
			passed = append(passed, string(m[2]))
		} else {
			failed = append(failed, string(m[2]))
		}
	}
	return passed, failed
}

// failures returns the lines of output about failures, and the end of the output.
func failures(output []byte) string {
	var lines []string
	all := strings.Split(string(output), "\n")
	for i, line := range all {
		if strings.Contains(line, "FAIL") || strings.Contains(line, "panic") || i > len(all)-40 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-80):], "\n")
}
