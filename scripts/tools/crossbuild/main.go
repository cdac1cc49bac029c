// Command crossbuild type-checks packages, with their tests unless -tests=false is
// given, for platforms:
//
//	crossbuild [-tests=false] [-vet directory] linux/386,js/wasm packages
//
// It vets those packages in the directory, which includes their assembly.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/scripts/tools/source"
)

func main() {
	vetted := flag.String("vet", "", "the `directory` of packages to be vetted, too")
	tests := flag.Bool("tests", true, "check tests, too")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: crossbuild [-tests=false] [-vet directory] platform,... packages")
		os.Exit(2)
	}
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crossbuild:", err)
		os.Exit(2)
	}
	root += string(filepath.Separator)
	vets := func(file string) bool {
		return *vetted != "" && strings.HasPrefix(file, filepath.Join(root, *vetted)+string(filepath.Separator))
	}
	var (
		running sync.WaitGroup
		failed  bool
		mu      sync.Mutex
		// More would not fit into the memory of a small machine.
		slots = make(chan struct{}, 2)
	)
	for platform := range strings.SplitSeq(flag.Arg(0), ",") {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			problems := check(platform, root, *tests, vets, flag.Args()[1:])
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(platform)
			for _, p := range problems {
				fmt.Fprintln(os.Stderr, p)
				failed = true
			}
		})
	}
	running.Wait()
	if failed {
		os.Exit(1)
	}
}

// check returns the problems of packages on a platform. The root is that of the
// repository, and vets reports whether the package with a file is vetted.
func check(platform, root string, tests bool, vets func(file string) bool, patterns []string) (problems []string) {
	goos, goarch, _ := strings.Cut(platform, "/")
	add := func(pos, message string) {
		problem := fmt.Sprintf("%s: %s (%s)", strings.TrimPrefix(pos, root), message, platform)
		if !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	own := func(file string) bool { return strings.HasPrefix(file, root) }
	pkgs, errors, err := source.Load(packages.Config{Tests: tests}, []string{"GOOS=" + goos, "GOARCH=" + goarch}, own, patterns...)
	if err != nil {
		add("crossbuild", err.Error())
	}
	for _, e := range errors {
		add(e.Pos, e.Msg)
	}
	if len(problems) > 0 {
		return problems
	}
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return len(p.GoFiles) == 0 || !vets(p.GoFiles[0])
	})
	graph, err := checker.Analyze(vet.Suite, pkgs, nil)
	if err != nil {
		add("crossbuild", err.Error())
		return problems
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			add(action.Package.PkgPath, action.Err.Error())
		}
		for _, d := range action.Diagnostics {
			add(action.Package.Fset.Position(d.Pos).String(), d.Message)
		}
	}
	return problems
}
