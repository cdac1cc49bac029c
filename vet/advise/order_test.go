package advise

import "testing"

// TestSameEachTime has reports and patches of the same profiles, which must not differ: maps have another order each time.
func TestSameEachTime(t *testing.T) {
	for _, name := range []string{"owners", "sealed"} {
		t.Run(name, func(t *testing.T) {
			dir, profiles, _ := corpus(t, name)
			var report, patch string
			for i := range 3 {
				stdout, stderr, status := advise(t, dir, profiles, "-json", "-diff")
				if status != 0 {
					t.Fatal(stderr)
				}
				if i > 0 && stderr != report {
					t.Errorf("the report differs: %s", firstDifference(report, stderr))
				}
				if i > 0 && stdout != patch {
					t.Errorf("the patch differs: %s", firstDifference(patch, stdout))
				}
				report, patch = stderr, stdout
			}
		})
	}
}

// firstDifference shows where two texts begin to differ.
func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	part := func(s string) string { return s[max(i-200, 0):min(i+200, len(s))] }
	return part(a) + "\n----\n" + part(b)
}

// TestNotMeasured has packages without a result of a benchmark.
func TestNotMeasured(t *testing.T) {
	for _, test := range []struct{ bench, listed, want string }{
		{".", "", "p has no benchmarks"},
		{"Read", "", "p has no benchmarks"},
		{"Read", "BenchmarkWrite\n", `None of the benchmarks of p matches "Read" and has a result`},
		{".", "BenchmarkSkipped\n", "p has 1 benchmark, of which none has a result"},
	} {
		if got := notMeasured("p", test.bench, test.listed); got != test.want {
			t.Errorf("%q, %q: %s, want %s", test.bench, test.listed, got, test.want)
		}
	}
}
