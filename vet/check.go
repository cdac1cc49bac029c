package vet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A differs is the reason of a package whose tests do not do the same after the change.
type differs struct{ test, why string }

func (d *differs) Error() string {
	return strings.TrimSuffix("its tests differ: "+d.test+": "+d.why, ": ")
}

// A testCheck runs the tests of packages before and after a change that is not written.
type testCheck struct {
	builder *rewrite.Builder
	short   bool
	rows    [][]string
}

// The runs of the tests of a package. A pool whose item is put twice hands it out to two users, unless a collection comes in
// between, so one run before the change is without collections. Full checks report the second Put.
const (
	before = iota
	beforeUncollected
	after
	afterChecked
	runs
)

var titles = []string{"package", "test", "before", "before, GOGC=off", "after", "after, full checks", "result", "why"}

// run checks the packages of a change, and returns the reasons of those whose tests differ.
func (t *testCheck) run(ctx context.Context, pkgs []*rewrite.Package) (failed map[*rewrite.Package]error, err error) {
	failed = map[*rewrite.Package]error{}
	byModule := map[string][]*rewrite.Package{}
	for _, p := range pkgs {
		byModule[p.Module] = append(byModule[p.Module], p)
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		var editions []*edition
		for _, changed := range [][]*rewrite.Package{nil, byModule[module]} {
			v, err := t.edition(ctx, module, changed)
			if err != nil {
				return nil, err
			}
			defer v.close()
			editions = append(editions, v)
		}
		for _, p := range byModule[module] {
			why, err := t.pkg(ctx, p, editions)
			if err != nil {
				return nil, err
			}
			if why != nil {
				failed[p] = why
			}
		}
	}
	return failed, nil
}

// An edition of a module is that before or after the change. Its tests are compiled with an overlay, but run in a copy: they may
// read or write files beside them, even the source.
type edition struct {
	*rewrite.Trial
	module, root string // the root is that of the copy
}

func (t *testCheck) edition(ctx context.Context, module string, changed []*rewrite.Package) (v *edition, err error) {
	trial, err := t.builder.Try(ctx, module, changed)
	if err != nil {
		return nil, err
	}
	v = &edition{Trial: trial, module: module}
	if v.root, err = os.MkdirTemp("", "basin"); err == nil {
		err = copyTree(ctx, v.root, module)
	}
	for _, p := range changed {
		for _, f := range p.Files {
			if err == nil {
				err = os.WriteFile(v.dir(f.Name), f.New, 0o666)
			}
		}
	}
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// dir returns the copy of a file or directory.
func (v *edition) dir(name string) string {
	return filepath.Join(v.root, strings.TrimPrefix(name, v.module))
}

func (v *edition) close() {
	v.Close()
	os.RemoveAll(v.root)
}

// copyTree copies the files of a directory, but not the history in .git.
func copyTree(ctx context.Context, to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		copied := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(copied, 0o777)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, copied)
		case !d.Type().IsRegular():
			return nil // a socket, say
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(copied, data, info.Mode().Perm())
	})
}

// pkg checks one package, by its tests or else by those of packages that import it, and returns how it differs, if so.
func (t *testCheck) pkg(ctx context.Context, p *rewrite.Package, editions []*edition) (first *differs, err error) {
	tested, first, err := t.tests(ctx, p, p.Dir, editions)
	if tested || err != nil {
		return first, err
	}
	name, err := nameOf(p, p.Dir)
	if err != nil {
		return nil, err
	}
	dirs, err := importers(ctx, editions[0].Trial, p.Dir)
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		t.row(name, "", nil, "", "no tests")
		return nil, nil
	}
	t.row(name, "", nil, "", "no tests of its own")
	for _, dir := range dirs {
		_, why, err := t.tests(ctx, p, dir, editions)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = why
		}
	}
	return first, nil
}

// nameOf names a package for the go command.
func nameOf(p *rewrite.Package, dir string) (string, error) {
	rel, err := filepath.Rel(p.Module, dir)
	if rel == "." {
		return rel, err
	}
	return "./" + filepath.ToSlash(rel), err
}

// importers returns the directories of packages of the module that import one and have tests: directly, or if there are none,
// through others.
func importers(ctx context.Context, trial *rewrite.Trial, dir string) (dirs []string, err error) {
	out, err := trial.Command(ctx, nil, "list", "-e", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,Deps,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	type listed struct {
		ImportPath, Dir                                                     string
		Imports, TestImports, XTestImports, Deps, TestGoFiles, XTestGoFiles []string
	}
	var all []listed
	path := ""
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if d.Decode(&p) != nil {
			break
		}
		all = append(all, p)
		if p.Dir == dir {
			path = p.ImportPath
		}
	}
	var far []string
	for _, p := range all {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		if slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), path) {
			dirs = append(dirs, p.Dir)
		} else if slices.Contains(p.Deps, path) {
			far = append(far, p.Dir)
		}
	}
	if len(dirs) == 0 {
		dirs = far
	}
	return dirs, nil
}

// tests runs the tests of a directory, and reports whether there are any and how they differ because of a change of p.
func (t *testCheck) tests(ctx context.Context, p *rewrite.Package, dir string, editions []*edition) (tested bool, first *differs, err error) {
	tmp, err := os.MkdirTemp("", "basin")
	if err != nil {
		return false, nil, err
	}
	defer os.RemoveAll(tmp)
	name, err := nameOf(p, dir)
	if err != nil {
		return false, nil, err
	}
	programs := make([]*testProgram, 0, runs)
	for i, v := range editions {
		exe := filepath.Join(tmp, fmt.Sprint(i, ".test.exe"))
		out, err := v.Command(ctx, nil, "test", "-c", "-vet=off", "-o", exe, name).CombinedOutput()
		if ctx.Err() != nil {
			return false, nil, ctx.Err()
		}
		if err != nil && i == 0 && dir != p.Dir {
			return false, nil, nil // it shows nothing
		}
		if err != nil {
			return false, nil, fmt.Errorf("go test -c %s fails:\n%s", name, bytes.TrimSpace(out))
		}
		if _, err := os.Stat(exe); err != nil {
			return false, nil, nil
		}
		env := []string{"BASIN_CHECK=full"}
		if i == 0 {
			env = []string{"GOGC=off"}
			if os.Getenv("GOMEMLIMIT") == "" {
				env = append(env, "GOMEMLIMIT=2GiB") // near this, it collects nevertheless
			}
		}
		programs = append(programs, &testProgram{exe, v.dir(dir), []string{"BASIN_CHECK="}, t.short}, &testProgram{exe, v.dir(dir), env, t.short})
	}
	c := &comparison{pkg: p, programs: programs, measures: measuring(dir)}
	if err := c.run(ctx); err != nil {
		return false, nil, err
	}
	if err := c.again(ctx); err != nil {
		return false, nil, err
	}
	return true, t.report(c, name), nil
}

// report prints the row of a package, whose comparison has run, and those of its tests that do not do the same.
// It returns the first difference, or nil.
func (t *testCheck) report(c *comparison, name string) (first *differs) {
	var rows []func()
	listed := map[string]bool{}
	for _, test := range c.tests() {
		verdict, why := c.judge(test)
		if verdict != "same" && first == nil {
			first = &differs{test, why}
		}
		if top, _, _ := strings.Cut(test, "/"); why != "" && !listed[top] { // or its test says it
			listed[test] = true
			rows = append(rows, func() { t.row(name, test, c.statuses(test), verdict, why) })
		}
	}
	verdict, why := "same", ""
	if first != nil {
		verdict = "different"
	} else if why = c.results[after].failed; why != "" && c.results[before].failed == "" {
		verdict, first = "different", &differs{"their program", why}
	}
	t.row(name, plural(len(c.tests()), "test"), c.counts(), verdict, why)
	for _, row := range rows {
		row()
	}
	return first
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (t *testCheck) row(name, test string, statuses []string, verdict, why string) {
	if statuses == nil {
		statuses = make([]string, runs)
	}
	t.rows = append(t.rows, slices.Concat([]string{name, test}, statuses, []string{verdict, why}))
}

// print writes the table.
func (t *testCheck) print(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	rows := slices.Concat([][]string{titles}, t.rows)
	widths := make([]int, len(titles))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	for i, row := range rows {
		for j, cell := range row {
			fmt.Fprintf(w, "| %-*s ", widths[j], strings.ReplaceAll(cell, "|", `\|`))
		}
		fmt.Fprintln(w, "|")
		if i == 0 {
			for _, width := range widths {
				fmt.Fprint(w, "| ", strings.Repeat("-", width), " ")
			}
			fmt.Fprintln(w, "|")
		}
	}
}

// measuring returns the test functions of a directory that measure allocations, which full checks add to.
func measuring(dir string) map[string]bool {
	found := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"AllocsPerRun", "ReadMemStats", "Benchmark", "ReportAllocs"}, s.Sel.Name) {
						found[fn.Name.Name] = true
					}
					return true
				})
			}
		}
	}
	return found
}

// A comparison has the results of the tests of a package.
type comparison struct {
	pkg      *rewrite.Package
	programs []*testProgram
	results  [runs]*testResults
	more     [runs][]*testResults // of tests that differ, run again
	measures map[string]bool      // test functions
}

// run runs all tests.
func (c *comparison) run(ctx context.Context) (err error) {
	timeout := 10 * time.Minute
	for i, p := range c.programs {
		began := time.Now()
		if c.results[i], err = p.run(ctx, timeout); err != nil {
			return err
		}
		if i == before {
			timeout = max(2*time.Minute, 20*time.Since(began))
		}
	}
	return nil
}

// attempts is how often a test that differs runs again.
const attempts = 3

// again runs the tests that differ once more, because some fail at random.
func (c *comparison) again(ctx context.Context) error {
	names := map[string]bool{}
	for _, test := range c.tests() {
		if was := c.results[before].status[test]; c.results[after].status[test] != was || c.results[afterChecked].status[test] != was {
			top, _, _ := strings.Cut(test, "/")
			names[top] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	only := "-test.run=" + anyOf(slices.Sorted(maps.Keys(names)))
	for range attempts {
		for _, i := range []int{before, after, afterChecked} {
			r, err := c.programs[i].run(ctx, 10*time.Minute, only)
			if err != nil {
				return err
			}
			c.more[i] = append(c.more[i], r)
		}
	}
	return nil
}

// anyOf is a regular expression for tests of these names.
func anyOf(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}

// tests returns the names of tests, and of subtests that run before and after: names of others may be random.
func (c *comparison) tests() (all []string) {
	names := map[string]bool{}
	for _, r := range c.results {
		for name := range r.status {
			_, was := c.results[before].status[name]
			_, is := c.results[after].status[name]
			if was && is || !strings.Contains(name, "/") {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// judge says whether a test does the same, and the reason for a difference.
func (c *comparison) judge(test string) (verdict, why string) {
	was := c.results[before].status[test]
	uncollected := c.results[beforeUncollected].status[test]
	hidden := ""
	if was != "FAIL" && uncollected == "FAIL" {
		hidden = "; it fails before, too, if nothing is collected"
	}
	for _, r := range slices.Concat([]*testResults{c.results[afterChecked]}, c.more[afterChecked]) {
		if finding := r.finding(test, c.pkg); finding != "" {
			return "different", finding + hidden
		}
	}
	for _, i := range []int{after, afterChecked} {
		if is := c.results[i].status[test]; is == was || is == "" && strings.Contains(test, "/") { // its test has not come so far
			continue
		}
		random, stays := false, true
		for j := range c.more[i] {
			random = random || c.more[before][j].status[test] != was
			stays = stays && c.more[i][j].status[test] == was
		}
		top, _, _ := strings.Cut(test, "/")
		switch {
		case random:
			return "same", "at random, before too"
		case stays:
			return "same", fmt.Sprintf("differed once of %d times, at random", attempts+1)
		case i == afterChecked && c.measures[top]:
			return "same", "it measures allocations, and full checks allocate"
		case i == afterChecked:
			return "different", "full checks fill put memory with poison and allocate anew, which it sees" + hidden
		}
		return "different", lastLine(c.results[i].outputOf(test)) + hidden
	}
	if hidden != "" {
		return "same", strings.TrimPrefix(hidden, "; it ")
	}
	return "same", ""
}

func (c *comparison) statuses(test string) []string {
	all := make([]string, runs)
	for i, r := range c.results {
		all[i] = r.status[test]
	}
	return all
}

// counts returns how many tests pass in each run.
func (c *comparison) counts() []string {
	all := make([]string, runs)
	for i, r := range c.results {
		n := 0
		for _, test := range c.tests() {
			if r.status[test] == "pass" || r.status[test] == "skip" {
				n++
			}
		}
		all[i] = fmt.Sprint(n)
	}
	return all
}

// A testProgram is the program of a package's tests.
type testProgram struct {
	exe, dir string
	env      []string
	short    bool
}

// testResults are the results of a test program.
type testResults struct {
	status map[string]string // pass, FAIL or skip
	output map[string]string // the beginning
	failed string            // why the program fails, if it does and no test does
}

// mostOutput of a test is kept.
const mostOutput = 64 << 10

// run runs tests. If one ends the program, the others run in another.
func (p *testProgram) run(ctx context.Context, timeout time.Duration, args ...string) (*testResults, error) {
	r := &testResults{status: map[string]string{}, output: map[string]string{}}
	for known := -1; len(r.status) > known; {
		known = len(r.status)
		all := slices.Concat([]string{"tool", "test2json", "-t", p.exe, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + timeout.String()}, args)
		if p.short {
			all = append(all, "-test.short")
		}
		if len(r.status) > 0 {
			var done []string
			for name := range r.status {
				if !strings.Contains(name, "/") {
					done = append(done, name)
				}
			}
			slices.Sort(done)
			all = append(all, "-test.skip="+anyOf(done))
		}
		cmd := rewrite.Command(ctx, "go", all...)
		cmd.Dir, cmd.Env = p.dir, slices.Concat(os.Environ(), []string{"PWD=" + p.dir}, p.env)
		out, err := cmd.Output()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
			return nil, err
		}
		ended, program := r.read(out)
		if err == nil {
			return r, nil
		}
		r.failed = lastLine(program)
		if !ended {
			break
		}
	}
	if slices.Contains(slices.Collect(maps.Values(r.status)), "FAIL") {
		r.failed = ""
	}
	return r, nil
}

// lastLine returns the last line of an output that says why a test fails.
func lastLine(s string) string {
	for _, line := range slices.Backward(strings.Split(s, "\n")) {
		line = strings.TrimSpace(line)
		if line != "" && line != "FAIL" && !strings.HasPrefix(line, "exit status") && !strings.HasPrefix(line, "--- FAIL") {
			return line
		}
	}
	return "it failed"
}

// address is that of a value in the name of a test.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

// read adds the output of test2json. It reports whether a test ended the program, so that others may be left, and returns
// the output that belongs to no test.
func (r *testResults) read(out []byte) (ended bool, program string) {
	var running []string
	crashed := ""
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Test, Output string }
		if d.Decode(&e) != nil {
			break
		}
		test := address.ReplaceAllString(e.Test, "0x")
		switch e.Action {
		case "run":
			running = append(running, test)
		case "pass", "fail", "skip":
			if test == "" {
				continue
			}
			status := e.Action
			if status == "fail" {
				status = "FAIL"
			}
			r.status[test] = status
			running = slices.DeleteFunc(running, func(name string) bool { return name == test })
		case "output":
			if strings.HasPrefix(e.Output, "panic: ") || strings.HasPrefix(e.Output, "fatal error: ") || strings.HasPrefix(e.Output, "unexpected fault address") {
				ended, crashed = true, test
			}
			if test == "" {
				program += e.Output
			} else if len(r.output[test]) < mostOutput {
				r.output[test] += e.Output
			}
		}
	}
	if !ended && len(running) == 0 {
		return false, program
	}
	// Of tests that have no result, that which ended the program fails, or else all.
	for _, name := range running {
		if crashed == "" || r.status[crashed] == "" && (name == crashed || strings.HasPrefix(crashed, name+"/")) {
			r.status[name] = "FAIL"
		}
	}
	return true, program
}

// outputOf returns the output of a test, and of its subtests.
func (r *testResults) outputOf(test string) string {
	out := r.output[test]
	for _, name := range slices.Sorted(maps.Keys(r.output)) {
		if strings.HasPrefix(name, test+"/") {
			out += r.output[name]
		}
	}
	return out
}

// findingLine begins a report of checks.
var (
	findingLine = regexp.MustCompile(`basin: ([^:\n]+): [^\n]*pool "([^"\n]*)"`)
	sourceLine  = regexp.MustCompile(`^\s+(\S.*\.go):(\d+)$`)
)

// finding sums up the first report of full checks in a test of a package, if there is one.
func (r *testResults) finding(test string, p *rewrite.Package) string {
	out := r.outputOf(test)
	m := findingLine.FindStringSubmatchIndex(out)
	if m == nil {
		return ""
	}
	text := out[m[2]:m[3]] + " of pool " + out[m[4]:m[5]]
	frames := 0 // of a stack, yet to be printed
	for line := range strings.Lines(out[m[1]:]) {
		switch line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) {
		case "here:", "put back:":
			text += ", " + strings.TrimSuffix(strings.TrimSpace(line), ":")
			frames = 2
			continue
		case "acquired:":
			return text
		}
		s := sourceLine.FindStringSubmatch(line)
		if s == nil || frames == 0 {
			continue
		}
		if frames == 1 {
			text += " from"
		}
		frames--
		name := s[1]
		n, _ := strconv.Atoi(s[2])
		for _, f := range p.Files {
			if f.Name == filepath.FromSlash(name) {
				n = f.OldLine(n)
			}
		}
		if rel, err := filepath.Rel(p.Dir, name); err == nil && !strings.HasPrefix(rel, "..") {
			name = filepath.ToSlash(rel)
		}
		text += fmt.Sprintf(" %s:%d", name, n)
	}
	return text
}
