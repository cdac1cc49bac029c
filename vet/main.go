package vet

import (
	"context"
	"crypto/sha256"
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

	"github.com/basin-go/basin/vet/internal/findings"
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
   It reports memory of pools that is used after Put, put twice, or kept by an alias.
   It knows basin, sync.Pool and its wrappers, and other well-known pools. Packages are
   named as for go vet; the default is the one in the working directory.

   The exit status is 0 without findings, 1 with findings, and 2 without findings if
   packages could not be analyzed. The go command can run it, too:

      go vet -vettool=$(which %[1]s) ./...
      go fix -fixtool=$(which %[1]s) ./...

OPTIONS:
`

func printUsage(w io.Writer, fs *flag.FlagSet, checks map[string]*bool) {
	program, _, _ := strings.Cut(filepath.Base(os.Args[0]), ".")
	fmt.Fprintf(w, vetUsage, program)
	usage.Flags(w, fs, func(f *flag.Flag) bool { return checks[f.Name] == nil })
	fmt.Fprint(w, "\nCHECKS (a flag runs only the checks that are named):\n")
	usage.Flags(w, fs, func(f *flag.Flag) bool { return checks[f.Name] != nil })
}

// Tool reports whether args are from the go command, which calls the tool of go vet -vettool with
// flags, or with flags and a file. The program must then call Main with args.
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
// code: 0 without findings, 1 with findings, 2 if it could not run, and Interrupted if ctx has
// ended. In the last case it prints no error, and leaves no file half written.
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
	// the time. The limit is for large packages.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1500 << 20)
	flag.BoolVar(&findings.Generated, "generated", false, "report findings in generated files")
	flag.String(rootsFlag, "", "a name for the packages that are asked for: results for others are not taken from the cache")
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

// skipped reports whether the go command asks only for the facts of a package of the standard
// library. The models have them all, so no time is spent on such a package.
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

// A commandLine is the parsed command line of basin vet.
type commandLine struct {
	asJSON, asSARIF, fix  bool
	generated, tests, all bool
	tags                  string
	named                 []*analysis.Analyzer // checks that flags name, if any
	patterns              []string
}

// command analyzes the packages that the arguments name.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parseCommandLine(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "basin vet:", err)
		return 2
	}
	findings, failed, err := c.analyze(ctx, stderr)
	if err == nil && c.fix {
		findings, err = applyFixes(ctx, findings, c.tags, stderr, func() (left []Finding, err error) {
			left, failed, err = c.analyze(ctx, io.Discard)
			return left, err
		})
	}
	if err == nil {
		err = c.print(stdout, findings)
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

// parseCommandLine returns flag.ErrHelp after it has printed the help that args ask for.
func parseCommandLine(args []string, stdout io.Writer) (*commandLine, error) {
	c := new(commandLine)
	fs := flag.NewFlagSet("basin vet", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.Usage = func() {}
	fs.BoolVar(&c.asJSON, "json", false, "print a JSON object for each finding")
	fs.BoolVar(&c.asSARIF, "sarif", false, "print the findings as SARIF")
	fs.BoolVar(&c.fix, "fix", false, "apply the fixes that are proved to keep the behavior")
	fs.BoolVar(&c.generated, "generated", false, "report findings in generated files, too")
	fs.BoolVar(&c.tests, "tests", true, "leave test files out")
	fs.BoolVar(&c.all, "all", false, "run all checks, including those that are off by default")
	fs.StringVar(&c.tags, "tags", "", "build `tags`, separated by commas")
	enabled := map[string]*bool{}
	for _, a := range All() {
		doc, _, _ := strings.Cut(a.Doc, "\n")
		enabled[a.Name] = fs.Bool(a.Name, false, doc)
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		printUsage(stdout, fs, enabled)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%v; basin vet -help lists the flags", err)
	}
	if outputs := count(c.asJSON, c.asSARIF, c.fix); outputs > 1 {
		return nil, errors.New("only one of -json, -sarif and -fix can be given")
	}
	c.named = slices.DeleteFunc(All(), func(a *analysis.Analyzer) bool { return !*enabled[a.Name] })
	var err error
	c.patterns, err = packagePatterns(fs.Args())
	return c, err
}

// packagePatterns returns the packages that arguments name, by default that of the working directory. A flag among them
// is an error: the go command would take it for a package, and basin migrate would then ignore a -diff.
func packagePatterns(args []string) ([]string, error) {
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }); i >= 0 {
		if strings.Trim(args[i], "-") == "" {
			return nil, fmt.Errorf("%s is no package", args[i])
		}
		return nil, fmt.Errorf("the flag %s must be before the packages", args[i])
	}
	if len(args) == 0 {
		return []string{"."}, nil
	}
	return args, nil
}

func (c *commandLine) checks() []*analysis.Analyzer {
	switch {
	case len(c.named) > 0:
		return c.named
	case c.all:
		return All()
	}
	return Analyzers()
}

// vetArguments returns arguments for the go command that make it run this program on packages.
func (c *commandLine) vetArguments() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// With -trimpath, which GOFLAGS may have, the go command would print cached findings for a copy of the
	// package in another directory.
	vet := []string{"vet", "-vettool=" + self, "-json", "-trimpath=false", "-" + rootsFlag + "=" + c.roots()}
	if c.generated {
		vet = append(vet, "-generated")
	}
	if c.all {
		vet = append(vet, "-all")
	}
	if c.tags != "" {
		vet = append(vet, "-tags="+c.tags)
	}
	for _, a := range c.named {
		vet = append(vet, "-"+a.Name)
	}
	return vet, nil
}

// rootsFlag tells apart runs that ask for different packages. The go command caches the output of a tool for a package. Go 1.26
// does not tell a run that asked for the package from one that needed only its facts and so printed nothing. Without the flag,
// basin vet would find nothing in a package after it has analyzed a package that imports it.
const rootsFlag = "roots"

// roots names the packages that are asked for.
func (c *commandLine) roots() string {
	wd, _ := os.Getwd()
	sum := sha256.Sum256([]byte(strings.Join(append([]string{wd}, c.patterns...), "\n")))
	return fmt.Sprintf("%x", sum[:8])
}

// analyze returns the findings in all packages. It reports failed if the go command could not
// analyze some of them; their findings are then those that incomplete types allow.
func (c *commandLine) analyze(ctx context.Context, stderr io.Writer) (findings []Finding, failed bool, err error) {
	vet, err := c.vetArguments()
	if err != nil {
		return nil, false, err
	}
	if findings, failed, err = runVet(ctx, vet, c.patterns, stderr); err != nil {
		return nil, failed, err
	}
	if failed {
		broken, err := unlessDone(ctx, func() []Finding { return analyzeBroken(ctx, c.patterns, c.tags, c.checks(), c.generated) })
		if err != nil {
			return nil, failed, err
		}
		for _, f := range broken {
			if !slices.ContainsFunc(findings, func(g Finding) bool { return f.Check == g.Check && f.Pos == g.Pos }) {
				findings = append(findings, f)
			}
		}
		slices.SortFunc(findings, Finding.compare)
	}
	if !c.tests {
		findings = slices.DeleteFunc(findings, func(f Finding) bool { return strings.HasSuffix(f.file(), "_test.go") })
	}
	return findings, failed, nil
}

func (c *commandLine) print(w io.Writer, findings []Finding) error {
	switch {
	case c.asSARIF:
		return printSARIF(w, findings)
	case c.asJSON:
		return printJSON(w, findings)
	}
	printText(w, findings)
	return nil
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
	// Depending on its version, the go command prints the JSON to stdout or to stderr.
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
