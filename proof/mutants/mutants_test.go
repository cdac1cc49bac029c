//go:build go1.25

// Package mutants breaks the engine on purpose, one way at a time, and shows which test
// notices. If none notices a mutant, a test is missing.
//
//	go test ./proof/mutants                                           every mutant still applies to the code
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v                   and is caught by the test that it names
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v -run Mutants/grace
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v -run Schedules    and by proof/schedules
package mutants

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
	"github.com/basin-go/basin/internal/testenv"
)

// A mutant is one way to break the code: new replaces each occurrence of old in file. The
// number of occurrences must be count.
type mutant struct {
	name     string
	file     string
	old, new string
	count    int    // occurrences of old in file; 0 means 1
	test     string // the test that fails
	in       string // folder of the test, or "" for that of file
	hangs    bool   // the test hangs rather than fails
	parallel bool   // the test fails only if two goroutines run at the same time
}

const root = "../.."

// pkg returns the package of m.
func (m mutant) pkg() string { return path.Dir(m.file) }

// tests returns the package of m's test.
func (m mutant) tests() string { return cmp.Or(m.in, m.pkg()) }

// none is not the number of any mutant.
const none = 0

// run runs the tests of a package that match a pattern, with mutant id, or none. The folder has
// the binary. If stopping the world never ends, the test's own time limit does not work either,
// so there is a second limit.
func run(folder, pkg string, id int, pattern string, limit time.Duration, env ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit+10*time.Second)
	defer cancel()
	binary := filepath.Join(folder, path.Base(path.Join("basin", pkg))+".test")
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.run", pattern, "-test.timeout", limit.String())
	cmd.Dir = filepath.Join(root, pkg)
	cmd.Env = append(append(os.Environ(), fmt.Sprintf("%s=%d", variable, id)), env...)
	out, err = cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.New("killed after its time limit")
		out = fmt.Appendf(out, "%v\n", err)
	}
	return out, err
}

func TestMutants(t *testing.T) {
	all, err := weaveAll()
	if err != nil {
		t.Fatal(err)
	}
	if !testenv.Bool(t, "BASIN_TEST_MUTANTS") {
		t.Log("each mutant applies; BASIN_TEST_MUTANTS=1 shows that it is caught, too")
		return
	}
	if !pin.Available {
		t.Fatal("this build has no magazines to break")
	}
	t.Parallel()
	tests := make(map[string][]string) // by package
	for _, m := range mutants {
		tests[m.tests()] = append(tests[m.tests()], m.test)
	}
	folder := all.compile(t, "", slices.Collect(maps.Keys(tests))...)
	t.Run("none", func(t *testing.T) { testNone(t, folder, tests) })
	for i, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			testMutant(t, folder, m, i+1)
		})
	}
}

// testNone shows that each of the tests runs, and passes without a mutant.
func testNone(t *testing.T, folder string, tests map[string][]string) {
	for pkg, names := range tests {
		out, err := run(folder, pkg, none, "^("+strings.Join(names, "|")+")$", time.Minute)
		if err != nil {
			t.Errorf("%s: %v\n%s", pkg, err, out)
		}
		for _, name := range names {
			if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) {
				t.Errorf("%s: %s does not pass", pkg, name)
			}
		}
	}
}

// testMutant shows that the test of m fails with the mutant.
func testMutant(t *testing.T, folder string, m mutant, id int) {
	limit := 10 * time.Second
	if m.hangs {
		limit = 2 * time.Second
	}
	tries := 10 // some tests depend on the schedule, so try several times
	if m.parallel {
		tries = 100 // beside other loads, two goroutines seldom run at the same time
	}
	for try := range tries {
		out, err := run(folder, m.tests(), id, "^"+m.test+"$", limit)
		switch {
		case err == nil:
		case hung.Match(out) == m.hangs:
			t.Logf("caught by %s, try %d: %s", m.test, try+1, how(out))
			return
		default:
			t.Logf("%s: %s; by the table it hangs: %t", m.test, how(out), m.hangs)
		}
	}
	if m.parallel && runtime.NumCPU() == 1 {
		t.Skip("survived, but there is only one CPU")
	}
	t.Errorf("SURVIVED %s", m.test)
}

// hung matches the output of tests that did not end.
var hung = regexp.MustCompile(`panic: test timed out.*|killed after.*`)

// how returns the way in which a test failed.
func how(out []byte) string {
	for _, expr := range []*regexp.Regexp{
		hung, regexp.MustCompile(`fatal error: .*|panic: .*|unexpected fault address.*`), regexp.MustCompile(`\w+_test\.go:\d+: .*`),
	} {
		if s := expr.Find(out); s != nil {
			return string(s[:min(len(s), 120)])
		}
	}
	return strings.TrimSpace(string(out))
}
