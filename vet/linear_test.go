package vet

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/basin-go/basin/vet/internal/loaded"
)

// manyFunctions writes a file of n functions. Each has a finding with a fix, for which the check looks at the whole package.
func manyFunctions(n int) string {
	var b strings.Builder
	b.WriteString("package p\n\nimport \"github.com/basin-go/basin\"\n\nvar pool = &basin.BytePool{}\n")
	for i := range n {
		fmt.Fprintf(&b, "\nfunc F%d(in []byte) int {\n\tb := pool.Get(64)\n\tdefer pool.Put(b)\n\tb = pool.Append(b, in...)\n\treturn len(b)\n}\n", i)
	}
	return b.String()
}

// manyDefers writes a function that has n findings.
func manyDefers(n int) string {
	var b strings.Builder
	b.WriteString("package p\n\nimport \"github.com/basin-go/basin\"\n\nvar pool = &basin.BytePool{}\n\nfunc F(in []byte) (n int) {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tb%[1]d := pool.Get(64)\n\tdefer pool.Put(b%[1]d)\n\tb%[1]d = pool.Append(b%[1]d, in...)\n\tn += len(b%[1]d)\n", i)
	}
	b.WriteString("\treturn n\n}\n")
	return b.String()
}

// load reads the package of a directory, which the checks can then analyze.
func load(tb testing.TB, dir string) []*packages.Package {
	tb.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, ".")
	if err != nil || packages.PrintErrors(pkgs) > 0 {
		tb.Fatal(err)
	}
	return pkgs
}

// manyWays writes a function with a condition on a value that is computed in n*n*n ways.
func manyWays(n int) string {
	var b strings.Builder
	b.WriteString("package p\n\nimport \"github.com/basin-go/basin\"\n\nfunc F(n, x int, in []byte) (sum int) {\n")
	for range 3 {
		b.WriteString("\tswitch n {\n")
		for i := range n {
			fmt.Fprintf(&b, "\tcase %d:\n\t\tx *= %d\n", i, i+2)
		}
		b.WriteString("\t}\n")
	}
	b.WriteString("\tif x > 3 {\n\t\tb := basin.Get(64)\n\t\tcopy(b, in)\n\t\tbasin.Put(b)\n")
	for i := range 5 {
		fmt.Fprintf(&b, "\t\tif len(in) > %d {\n\t\t\tsum++\n\t\t}\n", i)
	}
	b.WriteString("\t}\n\treturn sum\n}\n")
	return b.String()
}

// TestLinear counts allocations, which show a search of the whole file for each finding, and one along every way that leads
// to a condition.
func TestLinear(t *testing.T) {
	needGo(t)
	allocated := func(text string, findings int) uint64 {
		pkgs := load(t, withBasin(t, module(t, map[string]string{"p.go": text})))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		graph, err := loaded.Analyze(Analyzers(), pkgs)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, a := range graph.Roots {
			found += len(a.Diagnostics)
		}
		if found != findings {
			t.Fatalf("%d findings, want %d", found, findings)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, write := range map[string]func(int) (string, int){
		"functions": func(n int) (string, int) { return manyFunctions(n), n },
		"defers":    func(n int) (string, int) { return manyDefers(n), n },
		"ways":      func(n int) (string, int) { return manyWays(n), 0 },
	} {
		const few, many = 20, 320
		a, b := allocated(write(few)), allocated(write(many))
		if b > 2*many/few*a {
			t.Errorf("%d %s take %d bytes, and %d take %d", few, name, a, many, b)
		}
		t.Logf("%d %s take %d bytes, and %d take %d", few, name, a, many, b)
	}
}

// BenchmarkLinear shows the time of a function and of a deferred Put, which must not depend on how many there are.
func BenchmarkLinear(b *testing.B) {
	for name, write := range map[string]func(int) string{"functions": manyFunctions, "defers": manyDefers} {
		for _, n := range []int{200, 1600} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				pkgs := load(b, withBasin(b, module(b, map[string]string{"p.go": write(n)})))
				for b.Loop() {
					if _, err := loaded.Analyze(Analyzers(), pkgs); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
			})
		}
	}
}
