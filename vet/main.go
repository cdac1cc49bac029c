package vet

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/basin-go/basin/vet/internal/pooled"
	"github.com/basin-go/basin/vet/internal/rewrite"
	"github.com/basin-go/basin/vet/internal/usage"
	"github.com/basin-go/basin/vet/migrate"
)

const vetUsage = `NAME:
   basin vet - find misuse of pools in Go programs

USAGE:
   basin vet [options] [packages]

DESCRIPTION:
   It reports memory of pools that is used after Put, put twice, or kept by an alias:
   of basin, of sync.Pool and what wraps it, and of other well-known pools. Packages are
   named as for go vet. Without any, the one in the working directory is read.

   The exit status is 0 if nothing is found, 1 if something is, and 2 if packages could
   not be analyzed. The go command can run it, too:

      go vet -vettool=$(which %[1]s) ./...
      go fix -fixtool=$(which %[1]s) ./...

OPTIONS:
`

// printUsage explains the command and its flags.
func printUsage(w io.Writer, fs *flag.FlagSet, checks map[string]*bool) {
	program, _, _ := strings.Cut(filepath.Base(os.Args[0]), ".")
	fmt.Fprintf(w, vetUsage, program)
	usage.Flags(w, fs, func(f *flag.Flag) bool { return checks[f.Name] == nil })
	fmt.Fprint(w, "\nCHECKS, to run only those that are named:\n")
	usage.Flags(w, fs, func(f *flag.Flag) bool { return checks[f.Name] != nil })
}

// Tool reports whether the arguments are those with which the go command calls the
// tool of go vet -vettool: the program is then to call Main with them. They are flags,
// of which the last may be a file of the go command's.
func Tool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := len(args) - 1
	for _, flag := range args[:last] {
		if !strings.HasPrefix(flag, "-") {
			return false
		}
	}
	return args[last] == "-V=full" || args[last] == "-flags" || strings.HasSuffix(args[last], ".cfg")
}

// Main runs the command with the arguments after its name and returns its exit
// code: 0 if there is nothing to report, 1 for findings, 2 if it could not run, and
// Interrupted if ctx has ended. It says nothing of that, and leaves no file half
// written.
//
// It runs go vet, with the program itself as the tool, so that each package is
// analyzed once and the results are cached. The program must call Main with the
// arguments that it gets then; see Tool.
func Main(ctx context.Context, args []string) int {
	if Tool(args) {
		tool(args)
		return 0
	}
	return command(ctx, args, os.Stdout, os.Stderr)
}

// Interrupted is the exit code of a command that was ended by a signal, as shells
// report it.
const Interrupted = 130

// tool serves the go command; it exits.
func tool(args []string) {
	if skipped(args[len(args)-1]) {
		os.Exit(0)
	}
	// Most packages are small, and collecting their garbage would take a third of
	// the time. The limit is for those that are not.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1500 << 20)
	flag.BoolVar(&pooled.Generated, "generated", false, "report findings in generated files")
	os.Args = append(os.Args[:1:1], args...)
	run := Analyzers()
	for _, arg := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		asked := name == "all" || slices.ContainsFunc(optIn, func(a *analysis.Analyzer) bool { return a.Name == name })
		switch {
		case name == "flags" || name == migrate.Analyzer.Name && value != "false":
			run = append(All(), migrate.Analyzer)
		case asked && value != "false":
			run = All()
		}
	}
	unitchecker.Main(run...)
}

// skipped reports whether the go command asks only for the facts of a package of
// the standard library. There are none that are not in a table, so no time is
// spent on it.
func skipped(file string) bool {
	var cfg struct {
		VetxOnly   bool
		GoFiles    []string
		VetxOutput string
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &cfg) != nil || !cfg.VetxOnly || len(cfg.GoFiles) == 0 || !pooled.InStandardLibrary(cfg.GoFiles[0]) {
		return false
	}
	return os.WriteFile(cfg.VetxOutput, nil, 0o666) == nil
}

// command analyzes the packages that the arguments name.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("basin vet", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are printed below
	fs.Usage = func() {}
	asJSON := fs.Bool("json", false, "print a JSON object for each finding")
	asSARIF := fs.Bool("sarif", false, "print the findings as SARIF")
	fix := fs.Bool("fix", false, "apply the fixes that are proved to keep the behavior")
	generated := fs.Bool("generated", false, "report findings in generated files, too")
	tests := fs.Bool("tests", true, "leave test files out")
	all := fs.Bool("all", false, "run all checks, including those that are off by default")
	tags := fs.String("tags", "", "build `tags`, separated by commas")
	enabled := map[string]*bool{}
	for _, a := range All() {
		doc, _, _ := strings.Cut(a.Doc, "\n")
		enabled[a.Name] = fs.Bool(a.Name, false, doc)
	}
	switch err := fs.Parse(args); {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		printUsage(stdout, fs, enabled)
		return 0
	default:
		fmt.Fprintf(stderr, "basin vet: %v; basin vet -help lists the flags\n", err)
		return 2
	}
	if outputs := count(*asJSON, *asSARIF, *fix); outputs > 1 {
		fmt.Fprintln(stderr, "basin vet: only one of -json, -sarif and -fix can be given")
		return 2
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(stderr, "basin vet:", err)
		return 2
	}
	// With -trimpath, which GOFLAGS may have, the go command takes findings from its cache that are of the
	// same package in another directory.
	vet := []string{"vet", "-vettool=" + self, "-json", "-trimpath=false"}
	if *generated {
		vet = append(vet, "-generated")
	}
	if *all {
		vet = append(vet, "-all")
	}
	if *tags != "" {
		vet = append(vet, "-tags="+*tags)
	}
	for _, a := range All() {
		if *enabled[a.Name] {
			vet = append(vet, "-"+a.Name)
		}
	}
	patterns := fs.Args()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	checks := Analyzers()
	if *all {
		checks = All()
	}
	if named := slices.DeleteFunc(All(), func(a *analysis.Analyzer) bool { return !*enabled[a.Name] }); len(named) > 0 {
		checks = named
	}
	failed := false
	analyze := func(stderr io.Writer) (findings []Finding, err error) {
		if findings, failed, err = runVet(ctx, vet, patterns, stderr); err != nil {
			return nil, err
		}
		if failed {
			broken, err := unlessDone(ctx, func() []Finding { return analyzeBroken(ctx, patterns, *tags, checks, *generated) })
			if err != nil {
				return nil, err
			}
			for _, f := range broken {
				if !slices.ContainsFunc(findings, func(g Finding) bool { return f.Check == g.Check && f.Pos == g.Pos }) {
					findings = append(findings, f)
				}
			}
			slices.SortFunc(findings, Finding.compare)
		}
		if !*tests {
			findings = slices.DeleteFunc(findings, func(f Finding) bool { return strings.HasSuffix(f.file(), "_test.go") })
		}
		return findings, nil
	}
	findings, err := analyze(stderr)
	switch {
	case err != nil:
	case *fix:
		findings, err = applyFixes(ctx, findings, *tags, stderr, func() ([]Finding, error) { return analyze(io.Discard) })
		if err == nil {
			printText(stdout, findings)
		}
	case *asSARIF:
		err = printSARIF(stdout, findings)
	case *asJSON:
		err = printJSON(stdout, findings)
	default:
		printText(stdout, findings)
	}
	switch {
	case ctx.Err() != nil:
		return Interrupted
	case err != nil:
		fmt.Fprintln(stderr, "basin vet:", err)
		return 2
	case len(findings) > 0:
		return 1
	case failed:
		return 2
	}
	return 0
}

// unlessDone returns the result of f, or an error as soon as ctx ends; f may then still
// run.
func unlessDone[T any](ctx context.Context, f func() T) (result T, err error) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case result = <-done:
	case <-ctx.Done():
	}
	return result, ctx.Err()
}

func count(bs ...bool) (n int) {
	for _, b := range bs {
		if b {
			n++
		}
	}
	return n
}

// runVet runs the go command and collects the output of the tool. It reports as failed
// if a package could not be analyzed; the go command has said why.
func runVet(ctx context.Context, vet, patterns []string, stderr io.Writer) (findings []Finding, failed bool, err error) {
	cmd := rewrite.Command(ctx, "go", slices.Concat(vet, patterns)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if _, ok := err.(*exec.ExitError); !ok {
			return nil, false, err
		}
		failed = true
	}
	// Where the JSON goes has changed with the versions of the go command.
	rest, found := "", map[string]bool{}
	for _, text := range []string{out.String(), errs.String()} {
		more, other, bad, err := parse(text)
		if err != nil {
			return nil, false, err
		}
		rest += other
		failed = failed || bad
		for _, f := range more {
			if key := f.Check + f.Pos + f.Message; !found[key] {
				found[key] = true
				findings = append(findings, f)
			}
		}
	}
	if strings.Contains(rest, "no packages to vet") || strings.Contains(rest, "matched no packages") && len(findings) == 0 {
		return nil, false, fmt.Errorf("no packages matched %s", strings.Join(patterns, " "))
	}
	fmt.Fprint(stderr, rest)
	slices.SortFunc(findings, Finding.compare)
	return findings, failed, nil
}
