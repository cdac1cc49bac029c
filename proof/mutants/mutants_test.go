// Package mutants breaks the engine on purpose, one way at a time, and shows which
// test notices. A mutant that no test notices is a test that is missing.
//
//	go test ./proof/mutants                                           every mutant still applies to the code
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v                   and is caught by the test that it names
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v -run Mutants/grace
//	BASIN_TEST_MUTANTS=1 go test ./proof/mutants -v -run Schedules    and by proof/schedules
package mutants

import (
	"bytes"
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

// A mutant is one way to break the code: all occurrences of old in file are
// replaced, of which there must be as many as it has been written for.
type mutant struct {
	name     string
	file     string
	old, new string
	count    int    // of old in file; 0 is for 1
	test     string // of the package of file, that fails
	hangs    bool   // the test does not end, rather than fail
	parallel bool   // if it fails only while two goroutines run at the same time
}

const root = "../.."

// pkg returns the package of m.
func (m mutant) pkg() string { return path.Dir(m.file) }

// none is the number that no mutant has.
const none = 0

// run runs the tests of a package that match a pattern, with mutant id, or none. The folder has the binary. A stop of
// the world that never comes about holds up the test's own time limit too; hence a second one.
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
		tests[m.pkg()] = append(tests[m.pkg()], m.test)
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

// testNone shows that each of the tests runs, and passes, as long as no mutant is chosen.
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

// testMutant shows that the test of m fails with it.
func testMutant(t *testing.T, folder string, m mutant, id int) {
	limit := 10 * time.Second
	if m.hangs {
		limit = 2 * time.Second
	}
	for try := range 10 { // some tests depend on the schedule
		out, err := run(folder, m.pkg(), id, "^"+m.test+"$", limit)
		switch {
		case err == nil:
		case hung.Match(out) == m.hangs:
			t.Logf("caught by %s, try %d: %s", m.test, try+1, how(out))
			return
		default:
			t.Logf("%s: %s; but a test hangs if the table says so, and only then", m.test, how(out))
		}
	}
	if m.parallel && runtime.NumCPU() == 1 {
		t.Skip("survived, but there is only one CPU")
	}
	t.Errorf("SURVIVED %s", m.test)
}

// hung is in the output of tests that came to no end.
var hung = regexp.MustCompile(`panic: test timed out.*|killed after.*`)

// how says in which way a test failed.
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
