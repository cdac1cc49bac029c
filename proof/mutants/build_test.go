//go:build go1.25

package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// All mutants of a package share one test binary. A function that mutants change is compiled
// once unchanged, and once more for each mutant. The unchanged one begins by choosing:
//
//	func (d *depot[T]) need() uint { if mutant == 17 { return d.need_17() }; return ... }
//
// So a mutant can change only bodies of functions.

// variable is the environment variable with the number of the mutant: its index in mutants plus
// 1.
const variable = "BASIN_MUTANT"

// chooser is the template of a file that is added to each package.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("` + variable + `"))
`

// An overlay has replacements for files of the repository, by name.
type overlay map[string][]byte

// weaveAll returns the overlay with all mutants.
func weaveAll() (overlay, error) {
	o := make(overlay)
	var failures []error
	for _, m := range mutants {
		if _, ok := o[m.file]; ok {
			continue
		}
		code, pkg, err := weave(m.file)
		if err != nil {
			failures = append(failures, err)
		}
		o[m.file] = code
		o[path.Join(m.pkg(), "mutant_chooser.go")] = fmt.Appendf(nil, chooser, pkg)
	}
	return o, errors.Join(failures...)
}

// A function is a function that mutants change.
type function struct {
	name       string
	begin, end string // of its declaration: the text before the name, and from there to the body
	body       string
	call       string // call of a copy; %d is the copy's number
	inside     int    // offset of the body in the file, after its brace
	choices    string
}

// weave returns a file's code with all its mutants, and the name of its package.
func weave(file string) (woven []byte, pkg string, err error) {
	code, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, "", err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, code, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var functions []*function
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if call, ok := callOf(f); ok {
			functions = append(functions, &function{
				name:   f.Name.Name,
				begin:  string(code[at(f.Pos()):at(f.Name.Pos())]),
				end:    string(code[at(f.Name.End()):at(f.Body.Pos())]),
				body:   string(code[at(f.Body.Pos()):at(f.Body.End())]),
				call:   call,
				inside: at(f.Body.Lbrace) + 1,
			})
		}
	}
	var copies []byte
	var failures []error
	for i, m := range mutants {
		if m.file != file {
			continue
		}
		id, found := i+1, 0
		for _, f := range functions {
			found += strings.Count(f.body, m.old)
		}
		if found != max(1, m.count) {
			failures = append(failures, fmt.Errorf("%q no longer applies: functions of %s have %d occurrences, want %d, of\n%s",
				m.name, file, found, max(1, m.count), m.old))
			continue
		}
		for _, f := range functions {
			if body := strings.ReplaceAll(f.body, m.old, m.new); body != f.body {
				f.choices += fmt.Sprintf(" if mutant == %d { "+f.call+" };", id, id)
				// A compiler error will name the mutant.
				copies = fmt.Appendf(copies, "\n//line %s:1\n%s%s_%d%s%s\n", m.name, f.begin, f.name, id, f.end, body)
			}
		}
	}
	from := 0
	for _, f := range functions {
		woven = append(append(woven, code[from:f.inside]...), f.choices...)
		from = f.inside
	}
	return append(append(woven, code[from:]...), copies...), parsed.Name.Name, errors.Join(failures...)
}

// callOf returns the statements with which f calls its copy number %d instead of its own body.
// It reports false if an argument has no name.
func callOf(f *ast.FuncDecl) (call string, ok bool) {
	receiver, arguments := names(f.Recv), names(f.Type.Params)
	if slices.Contains(slices.Concat(receiver, arguments), "_") {
		return "", false
	}
	call = f.Name.Name + "_%d"
	if receiver != nil {
		call = receiver[0] + "." + call
	}
	if types := names(f.Type.TypeParams); types != nil {
		call += "[" + strings.Join(types, ", ") + "]"
	}
	call += "(" + strings.Join(arguments, ", ") + ")"
	if f.Type.Results == nil {
		return call + "; return", true
	}
	return "return " + call, true
}

// names returns the names of parameters as arguments of a call.
func names(fields *ast.FieldList) (all []string) {
	if fields == nil {
		return nil
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			all = append(all, "_")
		}
		for _, name := range field.Names {
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				all = append(all, name.Name+"...")
			} else {
				all = append(all, name.Name)
			}
		}
	}
	return all
}

// compile builds the test binaries of the packages with overlay o, and returns their folder.
func (o overlay) compile(t *testing.T, tags string, packages ...string) (folder string) {
	t.Helper()
	// The cache of go test does not see which files the go command reads, but sees which
	// folders this test reads. So a change of a file in one of them makes a cached result
	// invalid.
	for _, pattern := range []string{".", "internal/*", "basin*", "proof/sched", schedules} {
		folders, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, folder := range folders {
			os.ReadDir(folder)
		}
	}
	folder = t.TempDir()
	write := func(name string, content []byte) string {
		file := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	replace := make(map[string]string)
	for name, code := range o {
		original, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = write(name, code)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-c", "-vet=off", "-tags", tags, "-overlay", write("overlay.json", list), "-o", folder + string(filepath.Separator)}
	for _, pkg := range packages {
		args = append(args, "./"+pkg)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(packages, ", "), err, out)
	}
	return folder
}
