// Command goversion looks at modules whose go.mod names an older Go than their sources are
// written in:
//
//	goversion [-fix] go1.25 directory...
//
// A go line of 1.21 or later raises that of every program that requires the module. From 1.22 on, it
// also changes the meaning of the program's loops. So go.mod has an earlier one, and each file has a
// build constraint with its language version. Without it, the compiler would take the language of
// the go line. An older go command finds none of these files. So each package that programs import
// has one more file, for that command alone, with an error that names the version of Go.
//
// With -fix it adds the constraints that are missing. It leaves out files that git ignores, and the
// testdata of a module's own directory, which is for other modules.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	fix := flag.Bool("fix", false, "add the constraints that are missing")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: goversion [-fix] go1.25 directory...")
		os.Exit(2)
	}
	var faults []string
	for _, dir := range flag.Args()[1:] {
		found, err := check(filepath.Clean(dir), flag.Arg(0), *fix)
		if err != nil {
			fmt.Fprintln(os.Stderr, "goversion:", err)
			os.Exit(2)
		}
		faults = append(faults, found...)
	}
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// check returns the faults of the module in a directory.
func check(module, version string, fix bool) (faults []string, err error) {
	files, err := filesOf(module)
	if err != nil {
		return nil, err
	}
	imported, told := map[string]string{}, map[string]bool{} // packages by directory
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		dir := filepath.Dir(name)
		expr, line, err := constraintOf(file)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case expr != nil && expr.String() == "!"+version:
			told[dir] = true
		case expr == nil || constraint.GoVersion(expr) != version:
			if !fix {
				faults = append(faults, fmt.Sprintf("%s: no //go:build %s, so it is in the language of the go line in go.mod; goversion -fix adds it", name, version))
			} else if err := os.WriteFile(name, withVersion(source, expr, line, version), 0o666); err != nil {
				return nil, err
			}
		}
		if importable(module, name) && file.Name.Name != "main" {
			imported[dir] = file.Name.Name
		}
	}
	for dir, name := range imported {
		if !told[dir] {
			faults = append(faults, fmt.Sprintf("%s: package %s has no file with //go:build !%s, for an older go command to say which Go it needs", dir, name, version))
		}
	}
	slices.Sort(faults)
	return faults, nil
}

// filesOf returns the Go files of the module in a directory.
func filesOf(module string) (files []string, err error) {
	c := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.go", "go.mod", "*/go.mod")
	c.Dir = module
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	all := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	nested := func(name string) bool { // in another module
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if slices.Contains(all, dir+"/go.mod") {
				return true
			}
		}
		return false
	}
	for _, name := range all {
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "testdata/") || nested(name) {
			continue
		}
		name = filepath.Join(module, filepath.FromSlash(name))
		if _, err := os.Stat(name); err == nil { // or it was removed, but not from the index
			files = append(files, name)
		}
	}
	return files, nil
}

// importable reports whether a file is in a package that other modules can import, and not a test.
func importable(module, name string) bool {
	if strings.HasSuffix(name, "_test.go") {
		return false
	}
	rel, err := filepath.Rel(module, filepath.Dir(name))
	if err != nil {
		return false
	}
	elements := strings.Split(filepath.ToSlash(rel), "/")
	return !slices.ContainsFunc(elements, func(e string) bool { return e == "internal" || e == "testdata" || e == "proof" })
}

// constraintOf returns the build constraint of a file and the line that has it, or nil.
func constraintOf(file *ast.File) (constraint.Expr, string, error) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() < file.Package && constraint.IsGoBuild(c.Text) {
				expr, err := constraint.Parse(c.Text)
				return expr, c.Text, err
			}
		}
	}
	return nil, "", nil
}

// withVersion returns a source with a version in its constraint, which is in the line, or nil.
func withVersion(source []byte, expr constraint.Expr, line, version string) []byte {
	added := "//go:build " + version
	if expr == nil {
		source = append([]byte(added+"\n\n"), source...)
	} else {
		both := &constraint.AndExpr{X: &constraint.TagExpr{Tag: version}, Y: expr}
		source = bytes.Replace(source, []byte(line), []byte("//go:build "+both.String()), 1)
	}
	if formatted, err := format.Source(source); err == nil {
		return formatted
	}
	return source
}
