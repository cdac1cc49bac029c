// Package mutants breaks the engine on purpose, one way at a time, and shows which
// test notices. A mutant that no test notices is a test that is missing.
//
//	go test ./proof/mutants                    every mutant still applies to the code
//	go test ./proof/mutants -v -mutants        and is caught by the test that it names
//	go test ./proof/mutants -v -mutants -run Mutants/grace
//	go test ./proof/mutants -v -mutants -run Schedules   and by proof/schedules
package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pin"
)

var runMutants = flag.Bool("mutants", false, "run the tests against each mutant; takes minutes")

// A mutant is one way to break the code: all occurrences of old in file are
// replaced, of which there must be as many as it has been written for.
type mutant struct {
	name     string
	file     string
	old, new string
	count    int    // of old in file; 0 is for 1
	test     string // of the package of file, that fails
	parallel bool   // if it fails only while two goroutines run at the same time
}

const root = "../.."

// apply returns the file of m with m in it.
func (m mutant) apply() ([]byte, error) {
	code, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(code, []byte(m.old)); n != max(1, m.count) {
		return nil, fmt.Errorf("%s: %d occurrences, want %d, of\n%s", m.file, n, max(1, m.count), m.old)
	}
	return bytes.ReplaceAll(code, []byte(m.old), []byte(m.new)), nil
}

// compile makes the test binary of a package. If code is not nil, it stands in for a file.
func compile(t *testing.T, pkg, file string, code []byte, tags ...string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string)
	if code != nil {
		original, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		replace[original] = filepath.Join(dir, "mutant.go")
		if err := os.WriteFile(replace[original], code, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "mutant.test")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-tags", strings.Join(tags, ","), "-overlay", list, "-o", binary, "./"+pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s does not compile: %v\n%s", pkg, err, out)
	}
	return binary
}

// run runs the tests of a binary that match a pattern. A stop of the world that never comes
// about holds up the test's own time limit too; hence a second one.
func run(binary, pkg, pattern string, args ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args = append([]string{"-test.v", "-test.run", pattern, "-test.timeout", "10s"}, args...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = filepath.Join(root, pkg)
	out, err = cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = errors.New("killed after a minute")
		out = fmt.Appendf(out, "fatal error: %v\n", err)
	}
	return out, err
}

func TestMutants(t *testing.T) {
	if *runMutants && !pin.Available {
		t.Fatal("this build has no magazines to break")
	}
	if *runMutants {
		t.Run("none", testNone)
	}
	for _, m := range mutants {
		pkg := filepath.ToSlash(filepath.Dir(m.file))
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			code, err := m.apply()
			if err != nil {
				t.Fatal("the mutant no longer applies: ", err)
			}
			if !*runMutants {
				return
			}
			binary := compile(t, pkg, m.file, code)
			for range 10 { // some tests depend on the schedule
				if out, err := run(binary, pkg, "^"+m.test+"$"); err != nil {
					t.Logf("caught by %s: %s", m.test, how(out))
					return
				}
			}
			if m.parallel && runtime.NumCPU() == 1 {
				t.Skip("survived, but there is only one CPU")
			}
			t.Errorf("SURVIVED %s", m.test)
		})
	}
}

// testNone shows that each of the tests runs, and passes, as long as nothing is broken.
func testNone(t *testing.T) {
	tests := make(map[string][]string) // by package
	for _, m := range mutants {
		pkg := filepath.ToSlash(filepath.Dir(m.file))
		tests[pkg] = append(tests[pkg], m.test)
	}
	for pkg, names := range tests {
		binary := compile(t, pkg, "", nil)
		out, err := run(binary, pkg, "^("+strings.Join(names, "|")+")$", "-test.timeout", "50s") // they are many
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

// how says in which way a test failed.
func how(out []byte) string {
	for _, expr := range []string{
		`panic: test timed out.*`, `fatal error: .*`, `panic: .*`, `unexpected fault address.*`,
		`\w+_test\.go:\d+: .*`,
	} {
		if s := regexp.MustCompile(expr).Find(out); s != nil {
			return string(s[:min(len(s), 120)])
		}
	}
	return strings.TrimSpace(string(out))
}
