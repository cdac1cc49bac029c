//go:build go1.25

// Package cachelines counts the cache lines that Ps take from each other in a Get and a Put. A line
// that moves costs more than all the rest of a Get, and all Ps that want it wait for each other. So
// pools scale to many cores if their users touch only lines that no other P writes to.
//
//	BASIN_TEST_LONG=1 go test -v ./proof/cachelines
//
// prints a table, and the lines of code at which cache lines move. The short form has fewer
// workloads and Ps, and no mutants.
//
// The code of basin is instrumented: each access to memory is noted with its address and its P. The
// addresses are those of real objects, so false sharing counts, too. A directory of lines follows
// which P's cache has which line. Users take turns after each Get and each Put, in random order, on
// up to 64 simulated Ps.
//
// Not simulated: two operations at the same moment, so nobody waits for a lock; caches that are
// full; collections of garbage; the runtime, the allocator included; the users' own memory.
package cachelines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/proof/cachelines/lines"
)

// simulate builds and runs the simulation of some workloads.
func simulate(t *testing.T, mutate func(name, src string) string, workloads string, ps ...string) (results []lines.Result) {
	t.Helper()
	if !pin.Available {
		t.Skip("no magazines in this build")
	}
	for _, name := range []string{"lines/lines.go", "sim/main.go"} { // or a cached result of this test would survive a change
		if _, err := os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	files, err := instrument(all, mutate)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	replace := make(map[string]string)
	for name, src := range files {
		replace[name] = write(fmt.Sprintf("%d.go", len(replace)), []byte(src))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	sim := filepath.Join(folder, "sim.exe")
	if out, err := exec.Command("go", "build", "-overlay", write("overlay.json", overlay), "-o", sim, "./sim").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(sim, append([]string{workloads}, ps...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var r lines.Result
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
		t.Logf("%-24s %2d Ps: %4.1f accesses, %.4f transfers, %.4f of one line", r.Workload, r.Ps, r.Accesses, r.Transfers, r.Hottest)
	}
	return results
}

// limits has the most transfers for a Get and a Put of users who stay on their P, with one item
// each. A BufferPool learns from one use in 64, with counts that all Ps share:
// 0.016 for that, and the rest for the choice of a class, once in 448 uses.
var limits = map[string]float64{"alone": 0, "alone, Pool of pointers": 0, "alone, BufferPool": 0.025}

// TestScaling: users who stay on their P take no lines from each other, on any number of Ps.
func TestScaling(t *testing.T) {
	workloads, ps := "", []string{"1", "2", "4", "8", "16", "32", "64"}
	if !pooltest.Long() {
		workloads, ps = "alone", []string{"1", "16", "64"}
	}
	limited := 0
	for _, r := range simulate(t, func(_, src string) string { return src }, workloads, ps...) {
		if r.Ps == lines.MaxP {
			at := []string{fmt.Sprint(r.Workload, ", transfers by line of the code:")}
			for name, n := range r.At {
				if n >= 0.01 {
					at = append(at, fmt.Sprintf("%s %.2f", filepath.Base(name), n))
				}
			}
			slices.Sort(at[1:])
			t.Log(strings.Join(at, " "))
		}
		most, ok := limits[r.Workload]
		if !ok {
			continue
		}
		limited++
		if r.Transfers > most {
			t.Errorf("%s on %d Ps: %.4f transfers for a Get and a Put, want at most %v", r.Workload, r.Ps, r.Transfers, most)
		}
		if r.Accesses < 15 {
			t.Errorf("%s: %.1f accesses: some code is not instrumented", r.Workload, r.Accesses)
		}
	}
	if limited != len(limits)*len(ps) {
		t.Errorf("%d results have a limit, want %d", limited, len(limits)*len(ps))
	}
}

// TestMutants: the simulation notices lines that Ps share.
func TestMutants(t *testing.T) {
	for _, m := range []struct{ name, workload, file, old, new string }{
		{"a shared counter", "alone", "bytepool.go", "		c := t.Class(n)\n		i := uint(pin.Pin())", "		p.id.Add(1)\n		c := t.Class(n)\n		i := uint(pin.Pin())"},
		{"magazines that share lines", "alone", "internal/engine/magazine.go", "const Slots = 27", "const Slots = 5"},
		{"a word that each Get reads, stored again and again", "alone, BufferPool", "internal/learn/learner.go", "if class == current {", "if false {"},
	} {
		t.Run(m.name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("../..", m.file))
			if n := strings.Count(string(src), m.old); n != 1 {
				t.Fatalf("%s has %q %d times, want once: %v", m.file, m.old, n, err)
			}
			if !pooltest.Long() {
				t.Skip("builds basin once more")
			}
			results := simulate(t, func(name, src string) string {
				if strings.HasSuffix(filepath.ToSlash(name), "/"+m.file) {
					src = strings.Replace(src, m.old, m.new, 1)
				}
				return src
			}, m.workload, "64")
			if r := results[0]; r.Transfers <= limits[r.Workload] {
				t.Errorf("SURVIVED: %.4f transfers for a Get and a Put", r.Transfers)
			}
		})
	}
}
