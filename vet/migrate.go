package vet

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet/internal/loaded"
	"github.com/basin-go/basin/vet/migrate"
)

const migrateUsage = `NAME:
   basin migrate - replace sync.Pools of buffers by pools of basin

USAGE:
   basin migrate [options] [packages]

DESCRIPTION:
   It changes the source where that provably keeps what the program does: a sync.Pool of
   *bytes.Buffer becomes a StdBufferPool or a BufferPool, one of []byte or *[]byte becomes
   a Pool. It prints which pools it has moved, and of each other pool of buffers why it
   stays. Packages are named as for go vet; without any it is the one in the working
   directory. Generated and vendored files, and other modules, are left alone.

   The exit status is 0 if no pool of buffers is left, 1 if some stay or -diff shows
   changes, and 2 if packages could not be read. The go command can run it, too:

      go fix -fixtool=$(which %[1]s) -migrate ./...

OPTIONS:
`

// Migrate runs basin migrate with the arguments after its name and returns its exit
// code.
func Migrate(args []string) int { return runMigrate(args, os.Stdout, os.Stderr) }

func runMigrate(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("basin migrate", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	diff := fs.Bool("diff", false, "print the changes, do not make them")
	tags := fs.String("tags", "", "build `tags`, separated by commas")
	fail := func(err error) int {
		fmt.Fprintln(stderr, "basin migrate:", err)
		return 2
	}
	switch err := fs.Parse(args); {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		program, _, _ := strings.Cut(filepath.Base(os.Args[0]), ".")
		fmt.Fprintf(stdout, migrateUsage, program)
		table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
		fs.VisitAll(func(f *flag.Flag) {
			name, text := flag.UnquoteUsage(f)
			if name != "" {
				name = " " + name
			}
			fmt.Fprintf(table, "   -%s%s\t%s\n", f.Name, name, text)
		})
		table.Flush()
		return 0
	default:
		return fail(fmt.Errorf("%v; basin migrate -help lists the flags", err))
	}
	patterns := fs.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var flags []string
	if *tags != "" {
		flags = []string{"-tags=" + *tags}
	}
	pkgs, failed, err := withPools(flags, patterns, stderr)
	if err != nil {
		return fail(err)
	}
	graph, err := loaded.Analyze([]*analysis.Analyzer{migrate.Analyzer}, pkgs)
	if err != nil {
		return fail(err)
	}
	var findings []Finding
	changed := map[string][]byte{} // by file
	modules := map[string]*packages.Module{}
	stay := 0
	for _, a := range graph.Roots {
		if a.Err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", a.Package.PkgPath, a.Err)
			failed = true
			continue
		}
		for _, d := range a.Diagnostics {
			f := Finding{Check: a.Analyzer.Name, Package: a.Package.PkgPath, Pos: a.Package.Fset.Position(d.Pos).String(), Message: d.Message}
			for _, r := range d.Related {
				f.Related = append(f.Related, Related{a.Package.Fset.Position(r.Pos).String(), r.Message})
			}
			findings = append(findings, f)
			if d.Category == migrate.Stays {
				stay++
			}
			for _, fix := range d.SuggestedFixes {
				if err := applyFix(a.Package.Fset, fix.TextEdits, changed); err != nil {
					return fail(err)
				}
				modules[a.Package.Module.GoMod] = a.Package.Module
			}
		}
	}
	slices.SortFunc(findings, Finding.compare)
	list := stdout
	if *diff {
		list = stderr // so that the difference alone can be piped into a tool
	}
	printMoves(list, findings)
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if *diff {
			old, err := os.ReadFile(name)
			if err != nil {
				return fail(err)
			}
			file := filepath.ToSlash(short(name))
			fmt.Fprint(stdout, udiff.Unified("a/"+file, "b/"+file, string(old), string(changed[name])))
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return fail(err)
		}
		if err := os.WriteFile(name, changed[name], info.Mode().Perm()); err != nil {
			return fail(err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		if err := explainRequire(stderr, modules[path]); err != nil {
			return fail(err)
		}
	}
	switch {
	case failed:
		return 2
	case stay > 0 || *diff && len(changed) > 0:
		return 1
	}
	return 0
}

func printMoves(w io.Writer, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "%s: %s\n", short(f.Pos), f.Message)
		for _, r := range f.Related {
			fmt.Fprintf(w, "\t%s: %s\n", short(r.Pos), r.Message)
		}
	}
}

// withPools loads the packages of the main modules that may have a sync.Pool, each
// with its tests. It reports as failed if some do not compile; those are left out.
func withPools(flags, patterns []string, stderr io.Writer) (pkgs []*packages.Package, failed bool, err error) {
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedModule | packages.NeedFiles, Tests: true, BuildFlags: flags}, patterns...)
	if err != nil {
		return nil, false, err
	}
	var paths []string
	own := 0
	for _, p := range all {
		for _, e := range p.Errors {
			if e.Kind == packages.ListError {
				fmt.Fprintln(stderr, e)
				failed = true
			}
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		own++
		path, _, _ := strings.Cut(strings.TrimSuffix(p.PkgPath, ".test"), " ")
		if strings.HasSuffix(p.PkgPath, "_test") && strings.Contains(p.ID, " [") { // found with what it tests
			_, tested, _ := strings.Cut(strings.TrimSuffix(p.ID, ".test]"), " [")
			path = tested
		}
		if p.Imports["sync"] != nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if own == 0 && !failed {
		return nil, false, fmt.Errorf("no packages of the main module matched %s", strings.Join(patterns, " "))
	}
	if len(paths) == 0 {
		return nil, failed, nil
	}
	all, err = packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Tests: true, BuildFlags: flags}, paths...)
	if err != nil {
		return nil, false, err
	}
	// A package with its tests has all files that it has without.
	best := map[string]*packages.Package{}
	for _, p := range all {
		if strings.HasSuffix(p.PkgPath, ".test") || len(p.Syntax) == 0 {
			continue
		}
		if b := best[p.PkgPath]; b == nil || len(p.CompiledGoFiles) > len(b.CompiledGoFiles) {
			best[p.PkgPath] = p
		}
	}
	for _, path := range slices.Sorted(maps.Keys(best)) {
		p := best[path]
		if len(p.Errors) > 0 {
			for _, e := range p.Errors {
				if e.Kind != packages.ListError || len(p.TypeErrors) == 0 { // or it would say so twice
					fmt.Fprintln(stderr, e)
				}
			}
			failed = true
			continue
		}
		pkgs = append(pkgs, p)
	}
	return pkgs, failed, nil
}

// applyFix adds to changed what the edits make of their files.
func applyFix(fset *token.FileSet, edits []analysis.TextEdit, changed map[string][]byte) error {
	files := map[string][]analysis.TextEdit{}
	for _, e := range edits {
		name := fset.File(e.Pos).Name()
		files[name] = append(files[name], e)
	}
	for name, edits := range files {
		if changed[name] != nil {
			return fmt.Errorf("%s is of two packages", short(name))
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
		var src bytes.Buffer
		at := 0
		for _, e := range edits {
			f := fset.File(e.Pos)
			src.Write(old[at:f.Offset(e.Pos)])
			src.Write(e.NewText)
			at = f.Offset(e.End)
		}
		src.Write(old[at:])
		text, err := format.Source(src.Bytes())
		if err != nil {
			return fmt.Errorf("%s: %v", short(name), err)
		}
		if bytes.Contains(old, []byte("\r\n")) {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		changed[name] = text
	}
	return nil
}

// explainRequire says what a module lacks to compile with basin.
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
	version := "1.16" // what a go.mod without a go line means
	if f.Go != nil {
		version = f.Go.Version
	}
	if semver.Compare("v"+version, "v"+migrate.GoVersion) < 0 {
		fmt.Fprintf(w, "This raises the go line of its go.mod from %s to %s", version, migrate.GoVersion)
		if semver.Compare("v"+version, "v1.22") < 0 {
			fmt.Fprint(w, ", and since Go 1.22 each iteration of a loop has its own variable")
		}
		fmt.Fprintln(w, ".")
	}
	return nil
}
