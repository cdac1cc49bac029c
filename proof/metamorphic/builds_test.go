package metamorphic

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/race"
)

// digested is how many programs builds are compared by.
const digested = 40

// digests returns a line for each of some programs, which is another if anything that can be seen of the
// program is.
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

// TestDigest writes a file for TestBuilds, which runs it in other builds.
func TestDigest(t *testing.T) {
	file := os.Getenv("BASIN_TEST_DIGEST")
	if file == "" {
		t.Skip("needs BASIN_TEST_DIGEST")
	}
	if err := os.WriteFile(file, digests(t), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestBuilds compares what programs do in other builds with what they do in this one.
func TestBuilds(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("builds other tests")
	}
	want := strings.Split(string(digests(t)), "\n")
	for _, build := range []struct {
		name string
		args []string
		env  string
	}{
		{name: "portable", args: []string{"-tags", "basin_portable"}},
		{name: "32 bits", env: "GOARCH=386"},
	} {
		t.Run(build.name, func(t *testing.T) {
			if build.env != "" && (runtime.GOARCH != "amd64" || runtime.GOOS != "linux" && runtime.GOOS != "windows") {
				t.Skip("it cannot be run here")
			}
			dir := t.TempDir()
			binary, out := filepath.Join(dir, "other.test.exe"), filepath.Join(dir, "digest")
			compile := exec.Command("go", append([]string{"test", "-c", "-o", binary}, build.args...)...)
			compile.Env = os.Environ()
			if build.env != "" {
				compile.Env = append(compile.Env, build.env, "CGO_ENABLED=0")
			}
			if text, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			other := exec.Command(binary, "-test.run", "^TestDigest$")
			other.Env = append(os.Environ(), "BASIN_TEST_DIGEST="+out)
			if text, err := other.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(string(text), "\n")
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s, but here %s", got[i], want[i])
				}
			}
		})
	}
}
