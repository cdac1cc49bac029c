package advise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// A benched package has the benchmarks to measure: a changed one, or that of the profile.
type benched struct{ path, dir string }

// verify builds, vets and tests the module with the patch, without writing it. It measures the benchmarks that match a regular
// expression without and with the patch, those of the package of the profile too. It prints a text for a pull request.
func (p *patch) verify(ctx context.Context, b *rewrite.Builder, bench string, profiled benched, w io.Writer) error {
	module := p.packages[0].Module
	with, err := b.Try(ctx, module, p.packages)
	if err != nil {
		return err
	}
	defer with.Close()
	without, err := b.Try(ctx, module, nil)
	if err != nil {
		return err
	}
	defer without.Close()
	var changed, names []string // the changed packages, and those whose tests and benchmarks run
	var all []benched
	for _, pkg := range p.packages {
		changed = append(changed, p.files[pkg.Files[0].Name].pkg.PkgPath)
		all = append(all, benched{changed[len(changed)-1], pkg.Dir})
	}
	if names = changed; profiled.path != "" && !slices.Contains(names, profiled.path) {
		names, all = append(slices.Clone(names), profiled.path), append(all, profiled)
	}
	fmt.Fprintf(w, "This saves allocations at %s. Memory of a pool is put back when the function returns.\n\n", plural(p.count(), "site"))
	for _, s := range p.changed() {
		fmt.Fprintf(w, "* %s:%d, %s: %s, %s of the program's allocations\n", base(s.File), s.Line, s.short(), s.Call, percent(s.Share))
	}
	built, vetted, err := buildBoth(ctx, without, with, changed)
	if err != nil {
		return err
	}
	var tested []byte
	var failing []string
	for _, name := range names {
		out, failed, err := testBoth(ctx, without, with, name)
		if err != nil {
			return err
		}
		tested, failing = append(tested, out...), append(failing, failed...)
	}
	if untested := noTests.FindAllSubmatch(tested, -1); len(untested) == len(names) {
		fmt.Fprintf(w, "\n`go build %s`%s of %s pass. These packages have no tests: run the program with `BASIN_CHECK=full`.\n", built, vetted, strings.Join(names, " "))
	} else {
		text := "pass"
		if len(failing) > 0 {
			text = "pass but for tests that fail without the patch too: " + strings.Join(failing, ", ")
		}
		fmt.Fprintf(w, "\n`go build %s`%s and, with `BASIN_CHECK=full`, `go test` of %s %s.\n", built, vetted, strings.Join(names, " "), text)
		for _, m := range untested {
			fmt.Fprintf(w, "Package %s has no tests.\n", m[1])
		}
	}
	if built != allPackages {
		fmt.Fprintf(w, "`go build %s` fails, without the patch too.\n", allPackages)
	}
	if vetted == "" {
		fmt.Fprint(w, "`go vet` fails, without the patch too.\n")
	}
	for _, pkg := range all {
		if err := compare(ctx, without, with, pkg, bench, w); err != nil {
			return err
		}
	}
	return nil
}

const allPackages = "./..."

// buildBoth builds and vets the module with the patch, and returns the packages that it built, and the words for go vet if that passes.
// A module whose packages do not all build, such as one with examples for other systems, has its changed ones built.
func buildBoth(ctx context.Context, without, with *rewrite.Trial, names []string) (built, vetted string, err error) {
	built, vetted = allPackages, ", `go vet`"
	for _, args := range [][]string{{"build", built}, append([]string{"build"}, names...), append([]string{"vet"}, names...)} {
		out, err := with.Command(ctx, nil, args[0], args[1:]...).CombinedOutput()
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return "", "", ctx.Err()
		}
		_, before := without.Command(ctx, nil, args[0], args[1:]...).CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return "", "", ctx.Err()
		case before == nil:
			return "", "", fmt.Errorf("go %s fails with the patch, so do not use it:\n%s", strings.Join(args, " "), tail(out))
		case args[0] == "vet":
			vetted = ""
		case args[1] == allPackages:
			built = strings.Join(names, " ")
		default:
			return "", "", fmt.Errorf("go %s fails without the patch too, so that shows nothing; mend that first:\n%s", strings.Join(args, " "), tail(out))
		}
	}
	return built, vetted, nil
}

// testBoth tests a package with the patch and all checks. If that fails, it tests it without, and returns the tests that
// fail both times. Each test that passes without the patch must pass with it.
func testBoth(ctx context.Context, without, with *rewrite.Trial, pkg string) (out []byte, failing []string, err error) {
	test := func(t *rewrite.Trial) (out []byte, passed, failed []string, err error) {
		out, err = t.Command(ctx, []string{"BASIN_CHECK=full"}, "test", "-count=1", "-vet=off", "-v", pkg).CombinedOutput()
		for _, m := range testEnd.FindAllSubmatch(out, -1) {
			switch string(m[1]) {
			case "PASS":
				passed = append(passed, string(m[2]))
			case "FAIL":
				failed = append(failed, string(m[2]))
			}
		}
		return out, passed, failed, err
	}
	out, passed, failed, err := test(with)
	if err == nil {
		return out, nil, nil
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	plain, before, _, err := test(without)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	lost := slices.DeleteFunc(before, func(name string) bool { return slices.Contains(passed, name) })
	switch {
	case err == nil:
		return nil, nil, fmt.Errorf("go test %s fails with the patch, so do not use it:\n%s", pkg, failures(out, failed))
	case len(lost) > 0:
		return nil, nil, fmt.Errorf("go test %s fails without the patch too, but %s only with it, so do not use it:\n%s", pkg, strings.Join(lost, ", "), failures(out, lost))
	case len(passed) == 0:
		return nil, nil, fmt.Errorf("go test %s fails without the patch too, so that shows nothing; mend that first:\n%s", pkg, tail(plain))
	}
	return out, failed, nil
}

// testEnd matches the end of a test in the output of go test -v.
var testEnd = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)

// noTests matches the line of go test for a package without tests.
var noTests = regexp.MustCompile(`(?m)^\?\s+(\S+)\s+\[no test files\]`)

// changed returns the sites of the patch, once each: callers in other packages may be a part of the change.
func (p *patch) changed() (sites []*Site) {
	for _, pkg := range p.packages {
		for _, s := range p.sites[pkg] {
			if !slices.Contains(sites, s) {
				sites = append(sites, s)
			}
		}
	}
	return sites
}

func (p *patch) count() int { return len(p.changed()) }

// tail is the end of a command's output.
func tail(out []byte) string {
	out = bytes.TrimSpace(out)
	return string(out[max(len(out)-2000, 0):])
}

// failures has the output of the tests that fail, or else the end of a command's output.
func failures(out []byte, tests []string) string {
	var text []byte
	for _, name := range tests {
		running := false
		for line := range bytes.Lines(out) {
			m := testLine.FindSubmatch(line)
			running = m == nil && running || m != nil && string(m[1]) == name
			if running {
				text = append(text, line...)
			}
		}
	}
	if len(text) == 0 {
		text = out
	}
	return tail(text)
}

// testLine matches a line of go test -v that has the name of the test to which it belongs, with the lines behind it.
var testLine = regexp.MustCompile(`^\s*(?:=== (?:RUN|CONT|NAME|PAUSE)|--- (?:PASS|FAIL|SKIP):)\s+(\S+)`)

// rounds is how often each benchmark runs with and without the patch. With more than 95 %
// confidence, the median is between the extremes of six runs.
const rounds = 6

// compare measures the benchmarks of a package, in turns, unless they fail without the patch.
func compare(ctx context.Context, without, with *rewrite.Trial, of benched, bench string, w io.Writer) error {
	pkg := of.path
	tmp, err := os.MkdirTemp("", "basin-advise-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	programs := []string{filepath.Join(tmp, "without.exe"), filepath.Join(tmp, "with.exe")}
	for i, t := range []*rewrite.Trial{without, with} {
		if out, err := t.Command(ctx, nil, "test", "-c", "-vet=off", "-o", programs[i], pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("go test -c %s fails:\n%s", pkg, tail(out))
		}
		if _, err := os.Stat(programs[i]); err != nil { // it has no tests
			return nil
		}
	}
	measured := map[string][2]map[string][]float64{} // by benchmark and unit
	var order []string
	for range rounds {
		for i, program := range programs {
			cmd := rewrite.Command(ctx, program, "-test.run=^$", "-test.bench="+bench, "-test.benchmem", "-test.benchtime=200ms")
			cmd.Dir = of.dir
			out, err := cmd.Output()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if e := (*exec.ExitError)(nil); errors.As(err, &e) {
				if i == 0 {
					fmt.Fprintf(w, "\nThe benchmarks of %s fail without the patch too, so they are not measured.\n", pkg)
					return nil
				}
				return fmt.Errorf("the benchmarks of %s fail with the patch, so do not use it:\n%s", pkg, tail(append(out, e.Stderr...)))
			}
			if err != nil {
				return err
			}
			for name, units := range benchmarks(out) {
				if _, ok := measured[name]; !ok {
					measured[name] = [2]map[string][]float64{{}, {}}
					order = append(order, name)
				}
				for unit, v := range units {
					measured[name][i][unit] = append(measured[name][i][unit], v)
				}
			}
		}
	}
	if len(order) == 0 {
		listed, err := rewrite.Command(ctx, programs[0], "-test.list=^Benchmark").Output()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s.\n", notMeasured(pkg, bench, string(listed)))
		return nil
	}
	slices.Sort(order)
	fmt.Fprintf(w, "\nMedians of %d rounds of %s, in turns, with the extremes; level if these overlap:\n\n", rounds, pkg)
	fmt.Fprint(w, "| benchmark | unit | before | after | change |\n| --- | --- | --- | --- | --- |\n")
	for _, name := range order {
		for _, unit := range []string{"ns/op", "B/op", "allocs/op"} {
			a, b := measured[name][0][unit], measured[name][1][unit]
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", name, unit, spread(a), spread(b), change(a, b))
		}
	}
	return nil
}

// notMeasured says why no benchmark of a package has a result, by the list of the benchmarks that there are.
func notMeasured(pkg, bench, listed string) string {
	switch n := len(strings.Fields(listed)); {
	case n == 0:
		return pkg + " has no benchmarks"
	case bench == ".":
		return pkg + " has " + plural(n, "benchmark") + ", of which none has a result"
	default:
		return fmt.Sprintf("None of the benchmarks of %s matches %q and has a result", pkg, bench)
	}
}

var benchmarkLine = regexp.MustCompile(`(?m)^(Benchmark\S+)\s+\d+\s+(.*)$`)

// benchmarks reads the output of go test -bench.
func benchmarks(out []byte) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for _, m := range benchmarkLine.FindAllSubmatch(out, -1) {
		units := map[string]float64{}
		words := strings.Fields(string(m[2]))
		for i := 0; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				units[words[i+1]] = v
			}
		}
		all[string(m[1])] = units
	}
	return all
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func spread(v []float64) string {
	if slices.Min(v) == slices.Max(v) {
		return fmt.Sprintf("%.4g", v[0])
	}
	return fmt.Sprintf("%.4g (%.4g to %.4g)", median(v), slices.Min(v), slices.Max(v))
}

// change is the change of the median, if the intervals do not overlap.
func change(a, b []float64) string {
	if slices.Min(a) <= slices.Max(b) && slices.Min(b) <= slices.Max(a) {
		return "level"
	}
	if median(a) == 0 {
		return "more"
	}
	switch p := 100 * (median(b)/median(a) - 1); {
	case math.Abs(p) >= 0.95:
		return fmt.Sprintf("%+.0f %%", p)
	case math.Abs(p) >= 0.05:
		return fmt.Sprintf("%+.1f %%", p)
	}
	return "level"
}
