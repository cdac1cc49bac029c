package vet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet/internal/loaded"
	"github.com/basin-go/basin/vet/internal/rewrite"
	"github.com/basin-go/basin/vet/internal/usage"
	"github.com/basin-go/basin/vet/migrate"
)

const migrateUsage = `NAME:
   basin migrate - replace sync.Pools of buffers by pools of basin

USAGE:
   basin migrate [options] [packages]

DESCRIPTION:
   It changes the source where that provably keeps the program's behaviour: a sync.Pool of
   *bytes.Buffer becomes a BufferPool or a Pool, one of []byte or *[]byte becomes a Pool.
   It prints which pools it replaces, and why each other pool of buffers stays. Packages
   are named as for go vet, but not by files; the default is the one in the working
   directory. Generated, vendored and read-only files, links, and other modules are left
   alone. A package is changed only if it then compiles, with its tests and with the
   basin that its module requires, or would get. Its files are changed together or not at
   all.

   With -check, the tests of each package run four times: before the change, before it
   without collections, after it, and after it under full checks. A package whose tests
   differ stays as it is. The source is not changed before that.

   The exit status is 0 if no pool of buffers is left, 1 if some stay or -diff shows
   changes, and 2 if packages could not be read or written. The go command can run it,
   too, but then checks less:

      go fix -fixtool=$(which %[1]s) -migrate ./...

OPTIONS:
`

// Migrate runs basin migrate with the arguments after its name and returns its exit
// code. If ctx ends it is Interrupted; no file is then half written.
func Migrate(ctx context.Context, args []string) int {
	return runMigrate(ctx, args, os.Stdout, os.Stderr)
}

func runMigrate(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("basin migrate", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	diff := fs.Bool("diff", false, "print the changes, do not make them")
	check := fs.Bool("check", false, "change only packages whose tests do the same before and after, which a table shows")
	brief := fs.Bool("short", false, "with -check, run the tests with -short")
	tags := fs.String("tags", "", "build `tags`, separated by commas")
	fail := func(err error) int {
		if ctx.Err() != nil {
			return Interrupted
		}
		fmt.Fprintln(stderr, "basin migrate:", err)
		return 2
	}
	switch err := fs.Parse(args); {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		program, _, _ := strings.Cut(filepath.Base(os.Args[0]), ".")
		fmt.Fprintf(stdout, migrateUsage, program)
		usage.Flags(stdout, fs, usage.All)
		return 0
	default:
		return fail(fmt.Errorf("%v; basin migrate -help lists the flags", err))
	}
	patterns, err := packagePatterns(fs.Args())
	if err != nil {
		return fail(err)
	}
	l := loading{flags: tagFlags(*tags), contents: map[string][]byte{}}
	pkgs, failed, err := l.withPools(ctx, patterns, stderr)
	if err != nil {
		return fail(err)
	}
	c, moves, unsound, err := l.changeOf(ctx, pkgs, stderr)
	if err != nil {
		return fail(err)
	}
	failed = failed || unsound
	b := builderOf(l.flags, moves)
	refused, err := c.check(ctx, b)
	if err != nil {
		return fail(err)
	}
	if *diff {
		maps.DeleteFunc(refused, func(_ *rewrite.Package, err error) bool { return errors.Is(err, rewrite.ErrLibrary) })
	}
	failed = c.sayRefused(refused, stderr) || failed
	tests := &testCheck{builder: b, short: *brief}
	if *check {
		differing, err := tests.run(ctx, slices.DeleteFunc(c.packages(), func(p *rewrite.Package) bool { return refused[p] != nil }))
		if err != nil {
			return fail(err)
		}
		maps.Copy(refused, differing)
	}
	list := stdout
	var differences bytes.Buffer
	if *diff {
		list = stderr // so that the difference alone can be piped into a tool
	}
	changed := c.apply(ctx, refused, *diff, &differences, func(err error) {
		fmt.Fprintln(stderr, "basin migrate:", err)
		failed = true
	})
	modules := settle(moves, refused)
	printMoves(list, moves)
	tests.print(list)
	differences.WriteTo(stdout)
	if ctx.Err() != nil {
		return Interrupted
	}
	if err := explainRequires(stderr, modules); err != nil {
		return fail(err)
	}
	switch {
	case failed:
		return 2
	case *diff && changed || slices.ContainsFunc(moves, func(m move) bool { return m.stays }):
		return 1
	}
	return 0
}

// changeOf returns the change of packages and the moves of their pools.
func (l *loading) changeOf(ctx context.Context, pkgs []*packages.Package, stderr io.Writer) (c *change, moves []move, failed bool, err error) {
	c = newChange(nil)
	for _, p := range pkgs {
		c.modules = append(c.modules, p.Module.Dir)
	}
	type results struct {
		moves  []move
		failed bool
		err    error
	}
	found, err := unlessDone(ctx, func() (r results) {
		r.moves, r.failed, r.err = analyzePools(pkgs, c, l.contents, stderr)
		return r
	})
	return c, found.moves, found.failed, cmp.Or(err, found.err)
}

// explainRequires explains what each module has to require.
func explainRequires(stderr io.Writer, modules map[string]*packages.Module) error {
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		if err := explainRequire(stderr, modules[path]); err != nil {
			return err
		}
	}
	return nil
}

// tagFlags returns the flags of the go command for build tags.
func tagFlags(tags string) []string {
	if tags == "" {
		return nil
	}
	return []string{"-tags=" + tags}
}

// builderOf returns a builder for these changes.
func builderOf(flags []string, moves []move) *rewrite.Builder {
	b := &rewrite.Builder{Flags: flags, Emptied: map[*rewrite.Package]bool{}}
	for _, m := range moves {
		if !m.stays && !strings.HasSuffix(strings.SplitN(m.Message, ";", 2)[0], ".BufferPool") { // whose users see no difference
			b.Emptied[m.pkg] = true
		}
	}
	return b
}

// sayRefused prints why packages stay as they are, and reports whether there are any whose pools do not say so.
func (c *change) sayRefused(refused map[*rewrite.Package]error, stderr io.Writer) (any bool) {
	for _, p := range c.packages() {
		if err := refused[p]; err != nil && !isRefusal(err) {
			fmt.Fprintf(stderr, "basin migrate: nothing in %s is changed: %v\n", short(p.Dir), err)
			any = true
		}
	}
	return any
}

// settle marks the moves whose package is refused, and returns the modules of the other moves by the
// names of their go.mod files.
func settle(moves []move, refused map[*rewrite.Package]error) map[string]*packages.Module {
	modules := map[string]*packages.Module{}
	for i, m := range moves {
		if m.stays {
			continue
		}
		if err := refused[m.pkg]; err != nil {
			moves[i].refuse(err)
			continue
		}
		modules[m.module.GoMod] = m.module
	}
	return modules
}

// errUnwritten is the reason of packages that should be changed and could not be.
var errUnwritten = errors.New("its package could not be written")

// apply writes the packages that are not refused, or prints how they would differ, and reports
// whether there are any. It adds packages that cannot be written to refused.
func (c *change) apply(ctx context.Context, refused map[*rewrite.Package]error, diff bool, stdout io.Writer, fail func(error)) (changed bool) {
	for _, p := range c.packages() {
		if refused[p] != nil {
			continue
		}
		changed = true
		if diff {
			for _, f := range p.Files {
				fmt.Fprint(stdout, f.Diff(filepath.ToSlash(short(f.Name))))
			}
			continue
		}
		if ctx.Err() != nil {
			refused[p] = errUnwritten
			continue
		}
		err := p.Write()
		if err == nil {
			continue
		}
		refused[p] = errUnwritten
		if isRefusal(err) {
			err = fmt.Errorf("nothing in %s is changed: %s", short(p.Dir), explain(err))
		} // any other error names the files that are changed nevertheless
		fail(err)
	}
	return changed
}

func isRefusal(err error) bool {
	r, o, c, d := (*rewrite.Refusal)(nil), (*rewrite.Reordered)(nil), (*rewrite.Collected)(nil), (*differs)(nil)
	return errors.As(err, &r) || errors.As(err, &o) || errors.As(err, &c) || errors.As(err, &d)
}

// A move is a pool that is replaced, or one that stays.
type move struct {
	Finding
	stays  bool
	pkg    *rewrite.Package // that changes
	module *packages.Module
}

// refuse has a pool stay because its package cannot be changed.
func (m *move) refuse(err error) {
	name, _, _ := strings.Cut(m.Message, " becomes a ")
	reason := "the package would not compile with the change"
	switch {
	case isRefusal(err):
		reason = explain(err)
	case errors.Is(err, errUnwritten):
		reason = err.Error()
	case errors.Is(err, rewrite.ErrLibrary):
		reason = "the change cannot be checked without " + rewrite.Library
	}
	m.Message = name + " stays a sync.Pool: " + reason
	m.stays = true
}

// analyzePools finds the pools of packages and adds the edits. It reports as failed if
// a package could not be analyzed.
func analyzePools(pkgs []*packages.Package, c *change, contents map[string][]byte, stderr io.Writer) (moves []move, failed bool, err error) {
	graph, err := loaded.Analyze([]*analysis.Analyzer{migrate.Analyzer}, pkgs)
	if err != nil {
		return nil, false, err
	}
	for _, a := range graph.Roots {
		if a.Err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", a.Package.PkgPath, a.Err)
			failed = true
			continue
		}
		fset := a.Package.Fset
		for _, d := range a.Diagnostics {
			m := move{Finding: Finding{Check: a.Analyzer.Name, Package: a.Package.PkgPath, Pos: fset.Position(d.Pos).String(), Message: d.Message},
				stays: d.Category == migrate.Stays, module: a.Package.Module}
			for _, r := range d.Related {
				m.Related = append(m.Related, Related{Pos: fset.Position(r.Pos).String(), Message: r.Message})
			}
			if !m.stays {
				m.pkg = c.pkg(fset.File(d.Pos).Name())
				for _, fix := range d.SuggestedFixes {
					for _, e := range fix.TextEdits {
						f := fset.File(e.Pos)
						c.add(Edit{f.Name(), f.Offset(e.Pos), f.Offset(e.End), string(e.NewText)}, contents[f.Name()])
					}
				}
			}
			moves = append(moves, m)
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int { return a.compare(b.Finding) })
	return moves, failed, nil
}

func printMoves(w io.Writer, moves []move) {
	for _, f := range moves {
		fmt.Fprintf(w, "%s: %s\n", short(f.Pos), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(w, "\t%s: %s\n", short(r.Pos), r.Message)
		}
	}
}

// A loading keeps the files that are analyzed.
type loading struct {
	flags    []string
	lock     sync.Mutex
	contents map[string][]byte
}

func (l *loading) parse(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	l.lock.Lock()
	l.contents[name] = src
	l.lock.Unlock()
	return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
}

// load calls packages.Load, which waits for the go command even if ctx ends. load does not wait then.
func (l *loading) load(ctx context.Context, config *packages.Config, patterns ...string) (pkgs []*packages.Package, err error) {
	type loaded struct {
		pkgs []*packages.Package
		err  error
	}
	done, err := unlessDone(ctx, func() loaded {
		pkgs, err := packages.Load(config, patterns...)
		return loaded{pkgs, err}
	})
	err = cmp.Or(err, done.err)
	if err != nil {
		failure, said, _ := strings.Cut(err.Error(), ": stderr: ") // as package packages joins them
		err = errors.New(cmp.Or(strings.TrimSpace(said), strings.TrimPrefix(failure, "err: ")))
	}
	return done.pkgs, err
}

// loadErrorText returns an error of package packages with a short position, if it has one.
func loadErrorText(e packages.Error) string {
	if e.Pos == "" || e.Pos == "-" {
		return e.Msg
	}
	return short(e.Pos) + ": " + e.Msg
}

// withPools loads the packages of the main modules that may have a sync.Pool, each
// with its tests. It reports as failed if some do not compile; those are left out.
func (l *loading) withPools(ctx context.Context, patterns []string, stderr io.Writer) (pkgs []*packages.Package, failed bool, err error) {
	all, err := l.load(ctx, &packages.Config{Context: ctx, Mode: packages.NeedName | packages.NeedImports | packages.NeedModule | packages.NeedFiles, Tests: true, BuildFlags: l.flags}, patterns...)
	if err != nil {
		return nil, false, err
	}
	said := map[string]bool{}
	fail := func(e packages.Error) {
		if text := loadErrorText(e); !said[text] {
			said[text] = true
			fmt.Fprintln(stderr, text)
		}
		failed = true
	}
	var paths []string
	own := 0
	for _, p := range all {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError {
				fail(e)
			}
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		own++
		path := testedBy(p)
		if p.Imports["sync"] != nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if own == 0 && !failed {
		advice := ""
		if slices.ContainsFunc(patterns, func(p string) bool { return strings.HasSuffix(p, ".go") }) {
			advice = "; name packages instead of files"
		}
		return nil, false, fmt.Errorf("no packages of the main module matched %s%s", strings.Join(patterns, " "), advice)
	}
	if len(paths) == 0 {
		return nil, failed, nil
	}
	all, err = l.load(ctx, &packages.Config{Context: ctx, Mode: packages.LoadSyntax | packages.NeedModule, Tests: true, BuildFlags: l.flags, ParseFile: l.parse}, paths...)
	if err != nil {
		return nil, false, err
	}
	best := fullest(all, fail)
	for _, path := range slices.Sorted(maps.Keys(best)) {
		p := best[path]
		if len(p.Errors) == 0 {
			pkgs = append(pkgs, p)
			continue
		}
		for _, e := range p.Errors {
			if e.Kind != packages.ListError || len(p.TypeErrors) == 0 { // or it is a type error, too
				fail(e)
			}
		}
		failed = true
	}
	return pkgs, failed, nil
}

// testedBy returns the path of a package, or of the package that it tests.
func testedBy(p *packages.Package) string {
	if strings.HasSuffix(p.PkgPath, "_test") && strings.Contains(p.ID, " [") {
		_, tested, _ := strings.Cut(strings.TrimSuffix(p.ID, ".test]"), " [")
		return tested
	}
	path, _, _ := strings.Cut(strings.TrimSuffix(p.PkgPath, ".test"), " ")
	return path
}

// fullest returns the packages by their paths. One with its tests has all files that it has without.
func fullest(all []*packages.Package, fail func(packages.Error)) map[string]*packages.Package {
	best := map[string]*packages.Package{}
	for _, p := range all {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue
		}
		if len(p.Syntax) == 0 {
			for _, e := range p.Errors {
				fail(e)
			}
			continue
		}
		if b := best[p.PkgPath]; b == nil || len(p.CompiledGoFiles) > len(b.CompiledGoFiles) {
			best[p.PkgPath] = p
		}
	}
	return best
}

// explainRequire prints the requirements that a module lacks to compile with basin.
func explainRequire(w io.Writer, m *packages.Module) error {
	data, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	f, err := modfile.ParseLax(m.GoMod, data, nil)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == migrate.Path }) {
		return nil
	}
	fmt.Fprintf(w, "%s does not require basin yet; run\n\tgo get %s\n", m.Path, migrate.Path)
	if _, err := os.Stat(filepath.Join(m.Dir, "vendor", "modules.txt")); err == nil {
		fmt.Fprintln(w, "\tgo mod vendor")
	}
	version := "1.16" // the version of a go.mod without a go line
	if f.Go != nil {
		version = f.Go.Version
	}
	if semver.Compare("v"+version, "v"+migrate.GoVersion) < 0 {
		fmt.Fprintf(w, "From then on it needs Go %s or later. The go line of its go.mod can stay at %s.\n", migrate.GoVersion, version)
	}
	return nil
}
