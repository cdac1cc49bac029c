package dropin

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
)

// TestCosts prints ratios of processor time: benchmarks of dependents with the modules in
// compat to those with the originals, and an echo of gRPC with the adapter to one without. It
// prints the median of the ratios of pairs, and the ratio of the medians. Two processes in turn
// make a pair.
func TestCosts(t *testing.T) {
	if !testenv.Bool(t, "BASIN_TEST_RATIOS") {
		t.Skip("needs BASIN_TEST_RATIOS=1")
	}
	only := os.Getenv("BASIN_TEST_ONLY")
	for _, d := range dependents {
		if !slices.ContainsFunc(d.benchmarks, func(b string) bool { return strings.Contains(d.path+": "+b, only) }) {
			continue
		}
		m := download(t, d.path+"@"+d.version)
		source := t.TempDir()
		copyFiles(t, m.Dir, source, func(string) bool { return true })
		if d.benchmark != "" {
			if err := os.WriteFile(filepath.Join(source, "extra_test.go"), []byte(d.benchmark), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		old := d.compile(t, m, map[string]string{d.path: source})
		ours := d.compile(t, m, map[string]string{d.path: source, d.original: compatOf(t, d.original)})
		for _, benchmark := range d.benchmarks {
			costs(t, d.path, benchmark, source, [2][]string{{ours}, {old}})
		}
	}
	binary := filepath.Join(t.TempDir(), "benchmarks.exe")
	if output, err := exec.Command("go", "test", "-c", "-o", binary, "../../adapters/basingrpc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, pool := range []string{"clear", "NoClear"} {
		for _, kind := range []string{"unary", "stream"} {
			for _, size := range []int{1 << 10, 100 << 10, 1_000_000, 1 << 20} {
				benchmark := fmt.Sprintf("BenchmarkEcho/%s/%s/%d", pool, kind, size)
				costs(t, "grpc", benchmark, ".", [2][]string{{binary, "-alone=ours"}, {binary, "-alone=theirs"}})
			}
		}
	}
}

// costs prints the ratio of a benchmark's processor time with the first command to that with
// the second.
func costs(t *testing.T, program, benchmark, folder string, commands [2][]string) {
	if !strings.Contains(program+": "+benchmark, os.Getenv("BASIN_TEST_ONLY")) {
		return
	}
	run := func(i, n int) time.Duration {
		args := append(commands[i][1:], "-test.run=^$", "-test.bench=^"+benchmark+"$", fmt.Sprintf("-test.benchtime=%dx", n))
		c := exec.Command(commands[i][0], args...)
		c.Dir = folder
		output, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(output), benchmark) {
			t.Fatalf("%s: %v\n%s", benchmark, err, output)
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	n := 1
	for run(1, n) < 400*time.Millisecond {
		n *= 2
	}
	var times [2][]time.Duration
	var pairs []float64
	for range 31 {
		first := rand.IntN(2)
		for _, i := range []int{first, 1 - first} {
			times[i] = append(times[i], run(i, n))
		}
		last := len(pairs)
		pairs = append(pairs, float64(times[0][last])/float64(times[1][last]))
	}
	quotient := float64(median(times[0])) / float64(median(times[1]))
	t.Logf("%-28s %-42s %.2f %.2f  (%v)", program, benchmark, median(pairs), quotient, median(times[1])/time.Duration(n))
}

func median[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// compile compiles the tests of a dependent and returns the binary.
func (d dependent) compile(t *testing.T, m module, replace map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	user{replace: replace, require: []string{d.path + " " + d.version}, like: m}.write(t, folder)
	binary := filepath.Join(folder, "benchmarks.exe")
	c := exec.Command("go", "test", "-mod=mod", "-vet=off", "-c", "-o", binary, d.path)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	if output, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}

// compatOf returns the folder of the module in compat for an original.
func compatOf(t *testing.T, path string) string {
	t.Helper()
	all := slices.Concat(originals, apart)
	i := slices.IndexFunc(all, func(o original) bool { return o.path == path })
	compat, err := filepath.Abs("../../compat/" + all[i].compat)
	if err != nil {
		t.Fatal(err)
	}
	return compat
}
