//go:build go1.25

// Command scope measures programs that build trees or many small values for each request, in four ways:
//
//  1. with a module as it is;
//  2. with the largest GOGC, and again with the largest GOMEMLIMIT and no GOGC, that take no more memory than
//     the last way;
//  3. with the same values in sync.Pools, and such settings;
//  4. with a scope of package basinscope.
//
// The changes of the modules are scripts in testdata, beside the programs. First, the tests of a changed
// module and the program with a scope run with full checks.
//
//	go run ./proof/results/scope [names of rows]
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	library = "github.com/basin-go/basin"
	rounds  = 7
	seconds = "1"
)

// These are values that are tried for rivals, of GOGC, and of GOMEMLIMIT in percent of the memory of the scope.
var (
	percents = []int{50, 100, 150, 200, 300, 400, 600, 800, 1200}
	limits   = []int{40, 55, 70, 80, 90, 100}
)

func main() {
	log.SetFlags(0)
	root, err := output(".", nil, "go", "list", "-m", "-f", "{{.Dir}}", library)
	if err != nil {
		log.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(root, "proof/results/scope/rows"))
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(line, "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if len(f) != 3 || len(os.Args) > 1 && !slices.Contains(os.Args[1:], f[0]) {
			continue
		}
		if err := row(root, f[0], f[1], strings.Fields(f[2])); err != nil {
			log.Fatalf("%s: %v", f[0], err)
		}
	}
}

// output returns the output of a command that runs in dir.
func output(dir string, env []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	if dir != "." {
		c.Env = append(c.Env, "GOWORK=off", "GOFLAGS=-mod=mod")
	}
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// A result is a run of a program.
type result struct {
	rate   float64 // requests per CPU second
	memory int     // peak of resident memory in KiB
	answer string
}

func run(program string, setting []string) (r result, err error) {
	out, err := output("/", setting, program, seconds)
	if err == nil {
		_, err = fmt.Sscan(out, &r.rate, &r.memory, &r.answer)
	}
	return r, err
}

// A way is a program with a setting.
type way struct {
	name, program string
	setting       []string
	runs          []result
}

// row builds the programs of a row, and prints their figures.
func row(root, name, module string, tests []string) error {
	dir, err := os.MkdirTemp("", "scope")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := output(root, nil, "go", "build", "-o", filepath.Join(dir, "rewrite"), "./proof/results/scope/testdata/rewrite"); err != nil {
		return err
	}
	programs := map[string]string{}
	for _, variant := range []string{"original", "pool", "scope"} {
		if programs[variant], err = build(root, dir, name, module, variant, tests); err != nil {
			return err
		}
	}
	checked, err := output("/", []string{"BASIN_CHECK=full"}, programs["scope"], "0.1")
	if err != nil {
		return err
	}
	if strings.Contains(checked, "misuse") {
		return fmt.Errorf("full checks found misuse:\n%s", checked)
	}
	usual := []string{"GOGC=100"}
	scope, err := run(programs["scope"], usual)
	if err != nil {
		return err
	}
	ways := []*way{{name: "original", program: programs["original"], setting: usual}}
	for _, variant := range []string{"original", "pool"} {
		for _, candidates := range [][][]string{collections(), memories(scope.memory)} {
			setting, err := tuned(programs[variant], candidates, scope.memory)
			if err != nil {
				return err
			}
			ways = append(ways, &way{name: strings.Join(append([]string{variant}, setting...), " "), program: programs[variant], setting: setting})
		}
	}
	ways = append(ways, &way{name: "scope", program: programs["scope"], setting: usual})
	for range rounds {
		for _, w := range ways {
			r, err := run(w.program, w.setting)
			if err != nil {
				return err
			}
			if r.answer != scope.answer {
				return fmt.Errorf("%s has other answers than scope", w.name)
			}
			w.runs = append(w.runs, r)
		}
	}
	fmt.Printf("%s (%s)\n", name, module)
	best := 0.0
	for _, w := range ways {
		rates, memory := make([]float64, rounds), make([]int, rounds)
		for i, r := range w.runs {
			rates[i], memory[i] = r.rate, r.memory
		}
		slices.Sort(rates)
		slices.Sort(memory)
		fmt.Printf("\t%-36s %9.1f (%.1f to %.1f) per CPU second, %.1f MiB", w.name, rates[rounds/2], rates[0], rates[rounds-1], float64(memory[rounds/2])/1024)
		if w.name == "scope" {
			fmt.Printf(", %+.0f %% against the best", 100*(rates[rounds/2]/best-1))
		}
		fmt.Println()
		best = max(best, rates[rounds/2])
	}
	return nil
}

// collections returns settings of GOGC, the smallest first.
func collections() (all [][]string) {
	for _, p := range percents {
		all = append(all, []string{fmt.Sprint("GOGC=", p)})
	}
	return all
}

// memories returns settings of GOMEMLIMIT, the smallest first, for a program that may take the given KiB.
func memories(kib int) (all [][]string) {
	for _, p := range limits {
		all = append(all, []string{"GOGC=off", fmt.Sprintf("GOMEMLIMIT=%dKiB", kib*p/100)})
	}
	return all
}

// tuned returns the last of the settings with which the program takes about as much memory as given, or less.
func tuned(program string, settings [][]string, memory int) (setting []string, err error) {
	setting = settings[0]
	for _, s := range settings {
		r, err := run(program, s)
		if err != nil {
			return nil, err
		}
		if float64(r.memory) > 1.05*float64(memory) {
			break
		}
		setting = s
	}
	return setting, nil
}

// build returns a program with a variant of a module, whose tests it runs first.
func build(root, dir, name, module, variant string, tests []string) (program string, err error) {
	data := filepath.Join(root, "proof/results/scope/testdata")
	at := filepath.Join(dir, variant)
	path, version, _ := strings.Cut(module, "@")
	script := fmt.Sprintf(`
set -e
mkdir -p %[1]s/program
cp -r $(cd /; GOFLAGS=-mod=mod go mod download -json %[2]s | sed -n 's/.*"Dir": "\(.*\)",*/\1/p') %[1]s/module
chmod -R u+w %[1]s/module
cp %[3]s/common/main.go %[3]s/%[4]s/server.go %[1]s/program
cp %[3]s/%[4]s/%[5]s.go %[1]s/program/answer.go
cd %[1]s/module
go get -t ./... >/dev/null 2>&1 || true
if [ %[5]s != original ]; then
	go mod edit -require=%[6]s@v0.0.0 -replace=%[6]s=%[7]s
	PATH=%[8]s:$PATH . %[3]s/%[4]s/%[5]s
	gofmt -w $(git diff --name-only 2>/dev/null) . >/dev/null
	BASIN_CHECK=full go test -vet=off %[9]s >&2
fi
cd ../program
cat >go.mod <<END
module program
go 1.25.0
require (
	%[10]s %[11]s
	%[6]s v0.0.0
)
replace %[10]s => ../module
replace %[6]s => %[7]s
END
go mod tidy >/dev/null
go build -o program .
`, at, module, data, name, variant, library, root, dir, strings.Join(tests, " "), path, version)
	if _, err := output(dir, nil, "bash", "-c", script); err != nil {
		return "", err
	}
	return filepath.Join(at, "program/program"), nil
}
