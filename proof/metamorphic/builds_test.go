//go:build go1.25

package metamorphic

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// digested is the number of programs for which builds are compared.
const digested = 40

// digests returns a line for each of the first programs. A line changes if any visible result of
// its program changes.
func digests(t *testing.T) []byte {
	var b bytes.Buffer
	for seed := range uint64(digested) {
		p := generate(seed)
		for _, c := range []*config{configs[0], configOf("full-ceiling-zero")} {
			o := p.runWith(c, nil)
			if o.err != "" {
				t.Fatalf("seed %d, configuration %s: %s", seed, c.name, o.err)
			}
			h := fnv.New64a()
			for _, i := range slices.Sorted(maps.Keys(o.ops)) {
				fmt.Fprintln(h, i, o.ops[i])
			}
			for _, k := range slices.Sorted(maps.Keys(o.figures)) {
				if c == configs[0] || !strings.Contains(k, "Classes") {
					fmt.Fprintln(h, k, o.figures[k])
				}
			}
			fmt.Fprintf(&b, "seed %d, configuration %s: %x\n", seed, c.name, h.Sum64())
		}
	}
	return b.Bytes()
}

// TestDigest compares the results of programs with testdata/digests, which is the same for all
// builds: with the race detector, with the tag basin_portable, for 32 bits, and with every
// version of Go. With BASIN_TEST_UPDATE=1 it writes the file.
func TestDigest(t *testing.T) {
	const file = "testdata/digests"
	got := digests(t)
	if testenv.Bool(t, "BASIN_TEST_UPDATE") {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(read), "\n")
	lines := strings.Split(string(got), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i := range lines {
		if lines[i] != want[i] {
			t.Errorf("%s, want %s", lines[i], want[i])
		}
	}
}
