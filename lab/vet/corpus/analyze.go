package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

type measured struct {
	lines    int
	own, vet cost
	reports  []report
}

// cost is the cost of a command: seconds, the largest process in MiB, and how it ended.
type cost struct {
	seconds float64
	mib     int
	code    int
}

type report struct {
	file     string // below the module's root
	line     int
	check    string
	text     string
	function string // the declaration that it is in
	source   string // around it
}

func (r report) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", r.file, r.line, r.text, r.check)
}

func (r report) key(module, version string) string {
	return fmt.Sprintf("%s@%s %s:%d %s", module, version, r.file, r.line, r.check)
}

// analyze runs basin-vet on a version of a module, and also go vet if beside is set.
// A version without a go.mod gets the go.mod of the version other.
func analyze(module, version, other, pattern string, beside bool) (m measured, err error) {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return m, err
	}
	if err := checkout(module, version, other, dir); err != nil {
		return m, err
	}
	if *quickly {
		m.own.seconds, err = timed(func() (err error) {
			m.reports, m.lines, err = quick(dir, pattern)
			return err
		})
		m.own.mib = heap()
		return m, err
	}
	// Everything is compiled beforehand, so that both are measured alike.
	warm, _, err := run(dir, "go", "list", "-e", "-export", "-deps", "-test", "-json=ImportPath", pattern)
	if err != nil && len(warm) == 0 {
		return m, err
	}
	if m.lines, err = countLines(dir, pattern); err != nil {
		return m, err
	}
	args := append([]string{"-json"}, strings.Fields(*toolArgs)...)
	stdout, c, err := run(dir, *tool, append(args, pattern)...)
	m.own = c
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || strings.HasPrefix(err.Error(), "panic")) {
		return m, fmt.Errorf("basin-vet: %w", err)
	}
	if c.code > 1 {
		fmt.Printf("%s@%s: basin-vet could not analyze all of it: %s\n", module, version, last(err.Error(), 300))
	}
	if err := save(module, version, stdout); err != nil {
		return m, err
	}
	if m.reports, err = parse(dir, stdout); err != nil {
		return m, err
	}
	if beside {
		// A number of lines of context that was never asked for keeps the go
		// command from answering from its cache.
		fresh := "-c=" + strconv.Itoa(1000+rand.IntN(1e6))
		_, m.vet, _ = run(dir, "go", "vet", "-json", fresh, pattern)
	}
	return m, nil
}

// checkout copies a version of a module to dir.
func checkout(module, version, other, dir string) error {
	source, err := download(dir, module, version)
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if source, err = download(dir, module, other); err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(source, "go.mod"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o644); err != nil {
			return err
		}
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		return err
	}
	os.Remove(filepath.Join(dir, "go.work"))
	os.RemoveAll(filepath.Join(dir, "vendor"))
	// Folders beside the module are not in it.
	stdout, _, err := run(dir, "go", "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(stdout, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if r.New.Version == "" {
			old := r.Old.Path
			if r.Old.Version != "" {
				old += "@" + r.Old.Version
			}
			if _, _, err := run(dir, "go", "mod", "edit", "-dropreplace="+old); err != nil {
				return err
			}
		}
	}
	return nil // other modules are fetched when they are read
}

// download fetches a version of a module and returns its folder.
func download(dir, module, version string) (string, error) {
	stdout, _, err := run(dir, "go", "mod", "download", "-json", module+"@"+version)
	var info struct{ Dir, Error string }
	if e := json.Unmarshal(stdout, &info); e != nil || info.Dir == "" {
		return "", fmt.Errorf("go mod download: %v %s", err, info.Error)
	}
	return info.Dir, nil
}

// countLines counts the lines of the files that are analyzed, tests included.
func countLines(dir, pattern string) (n int, err error) {
	stdout, _, err := run(dir, "go", "list", "-e", "-json=Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", pattern)
	if err != nil && len(stdout) == 0 {
		return 0, err
	}
	type pkg struct {
		Dir                                          string
		GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	}
	err = decode(bytes.NewReader(stdout), func(p pkg) {
		for _, f := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			data, _ := os.ReadFile(filepath.Join(p.Dir, f))
			n += bytes.Count(data, []byte("\n"))
		}
	})
	return n, err
}

func environ() []string { return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod") }

// run runs a command of low priority and returns its output and cost.
func run(dir, name string, args ...string) (stdout []byte, c cost, err error) {
	if nice, e := exec.LookPath("nice"); e == nil {
		args = append([]string{"-n", strconv.Itoa(*niceness), name}, args...)
		name = nice
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err = cmd.Run()
	c.seconds = time.Since(start).Seconds()
	if cmd.ProcessState != nil {
		c.code = cmd.ProcessState.ExitCode()
		// Not every system says this, so its type is not named.
		if v := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())); v.Kind() == reflect.Struct {
			if f := v.FieldByName("Maxrss"); f.IsValid() && f.CanInt() {
				c.mib = int(f.Int() >> 10)
			}
		}
	}
	if text := errs.String(); strings.Contains(text, "panic:") {
		return out.Bytes(), c, fmt.Errorf("panic: %s", last(text, 3000))
	} else if err != nil {
		err = fmt.Errorf("%w: %s", err, last(text, 600))
	}
	return out.Bytes(), c, err
}

func last(s string, n int) string { return s[max(0, len(s)-n):] }

// parse reads the findings that basin-vet printed and looks up the source.
func parse(dir string, stdout []byte) (reports []report, err error) {
	type finding struct {
		Check   string `json:"check"`
		Pos     string `json:"pos"`
		Message string `json:"message"`
	}
	seen := map[string]bool{}
	add := func(f finding) {
		file, line := splitPos(f.Pos)
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) {
			file = filepath.ToSlash(rel)
		}
		r := report{file: file, line: line, check: f.Check, text: f.Message}
		if seen[r.String()] {
			return
		}
		seen[r.String()] = true
		r.function, r.source = look(filepath.Join(dir, file), line)
		reports = append(reports, r)
	}
	err = decode(bytes.NewReader(stdout), add)
	slices.SortFunc(reports, func(a, b report) int { return strings.Compare(a.String(), b.String()) })
	return reports, err
}

// splitPos splits file:line:column.
func splitPos(pos string) (file string, line int) {
	parts := strings.Split(pos, ":")
	if len(parts) < 3 {
		return pos, 0
	}
	line, _ = strconv.Atoi(parts[len(parts)-2])
	return strings.Join(parts[:len(parts)-2], ":"), line
}

// look returns the declaration that a line is in, and the lines around it.
func look(path string, line int) (function, source string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", ""
	}
	lines := strings.Split(string(data), "\n")
	for i := max(1, line-*context); i <= min(len(lines), line+*context); i++ {
		mark := " "
		if i == line {
			mark = ">"
		}
		source += fmt.Sprintf("  %s %5d  %s\n", mark, i, lines[i-1])
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, path, data, parser.SkipObjectResolution)
	if file != nil {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || line < fset.Position(n.Pos()).Line || fset.Position(n.End()).Line < line {
				return false
			}
			switch d := n.(type) {
			case *ast.FuncDecl:
				function = d.Name.Name
				return false
			case *ast.ValueSpec:
				function = d.Names[0].Name
				return false
			}
			return true
		})
	}
	return function, source
}
