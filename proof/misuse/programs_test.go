//go:build go1.25

package misuse_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/proof/misuse/testdata/correct"
	"github.com/basin-go/basin/proof/misuse/testdata/misuse"
)

var wanted = regexp.MustCompile(`// (want|guard): (.*)$`)

// marks returns the lines of a program that a comment marks, in the form of reports.
func marks(t *testing.T, name, mark string) []string {
	t.Helper()
	file := name + ".go"
	source, err := os.ReadFile(filepath.Join("testdata", "misuse", file))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for i, line := range strings.Split(string(source), "\n") {
		if m := wanted.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] == mark {
			found = append(found, fmt.Sprintf("%s: %s:%d", m[2], file, i+1))
		}
	}
	slices.Sort(found)
	return found
}

// collector receives the reports of all programs of a process.
var collector pooltest.Reports

// reports runs a program and returns a line for each report: kind, file and line. It waits for
// want reports.
func reports(t *testing.T, run func(), want int) (lines []string) {
	t.Helper()
	func() {
		defer func() { recover() }()
		run()
	}()
	basincheck.Verify()
	testenv.RunCleanups()
	all := collector.Take()
	testenv.CollectUntil(func() bool { all = append(all, collector.Take()...); return len(all) >= want })
	for _, r := range all {
		at := r.Here
		switch r.Kind {
		case basincheck.Leak:
			at = r.Acquired
		case basincheck.WriteAfterPut:
			at = r.FirstPut
		}
		f := at.Frames()[0]
		lines = append(lines, fmt.Sprintf("%v: %s:%d", r.Kind, path.Base(f.File), f.Line))
	}
	slices.Sort(lines)
	return lines
}

// checkedFromStart reports whether the process has been checking since it began, and collects
// reports. Without that, checks cannot know that a slice is foreign. If not, the calling test
// runs in other processes that check from the start, one for each level.
func checkedFromStart(t *testing.T, levels ...string) bool {
	if os.Getenv(levelVariable) != "" {
		pooltest.Misuses(t)
		s := basincheck.Now()
		s.Handler = collector.Handle
		basincheck.Set(s)
		return true
	}
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no processes here")
	}
	if testenv.Race {
		t.Skip("the race detector would report some of them first")
	}
	run := "-test.run=^" + t.Name() + "$"
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			t.Setenv(levelVariable, level)
			if out, stderr, err := pooltest.RunChecked(t, level, os.Args[0], run); err != nil {
				t.Errorf("%v\n%s%s", err, out, stderr)
			}
		})
	}
	return false
}

// TestCheckPrograms runs programs that misuse basin. Each misuse must be reported with the
// right line, and nothing else. The same programs without the misuse must cause no reports.
func TestCheckPrograms(t *testing.T) {
	if !checkedFromStart(t, "full") {
		return
	}
	reported := 0
	for _, p := range misuse.Programs {
		want := marks(t, p.Name, "want")
		reported += min(1, len(want))
		if got := reports(t, p.Bug, len(want)); !slices.Equal(got, want) {
			t.Errorf("%s: reported %q, want %q", p.Name, got, want)
		}
		if got := reports(t, p.Fixed, 0); got != nil {
			t.Errorf("%s without the misuse: reported %q", p.Name, got)
		}
	}
	if reported < 25 {
		t.Errorf("%d programs with misuse that is reported, want at least 25", reported)
	}
}

// TestFixedPrograms runs the programs without misuse and without checks. None may panic.
func TestFixedPrograms(t *testing.T) {
	pooltest.BeginChecks(t, basincheck.Settings{})
	for _, p := range misuse.Programs {
		p.Fixed()
	}
}

// TestCheckCorrectPrograms runs programs that use basin correctly, at all levels. There must be
// no reports.
func TestCheckCorrectPrograms(t *testing.T) {
	levels := []string{"off", "sampled", "sampled=2", "sampled=1", "full"}
	if guard.Available {
		levels = append(levels, "sampled=1,guard", "sampled=3,guard", "full,guard")
	}
	if !checkedFromStart(t, levels...) {
		return
	}
	if n := len(correct.Programs); n < 100 {
		t.Errorf("%d programs, want at least 100", n)
	}
	slices.SortFunc(correct.Programs, func(a, b correct.Program) int { return len(a.Name) - len(b.Name) })
	rounds := 3
	if pooltest.Long() {
		rounds = 10
	}
	s := basincheck.Now()
	for _, p := range correct.Programs {
		if s.Guard && p.Heap {
			continue
		}
		if pooltest.Long() { // each program on its own
			basincheck.Set(basincheck.Settings{})
			basincheck.Set(s)
		}
		for range rounds {
			func() {
				defer func() {
					if err := recover(); err != nil {
						t.Errorf("%s: %v", p.Name, err)
					}
				}()
				p.Run()
			}()
		}
		basincheck.Verify()
		if pooltest.Long() {
			testenv.RunCleanups()
		}
		for _, r := range collector.Take() {
			t.Errorf("%s: %v", p.Name, r)
		}
	}
	testenv.RunCleanups()
	for _, r := range collector.Take() {
		t.Error(r)
	}
}

// TestCheckGuardPrograms has programs touch guarded memory after Put. The fault must name the
// exact line.
func TestCheckGuardPrograms(t *testing.T) {
	if !guard.Available {
		t.Skip("no guarded memory here")
	}
	if !checkedFromStart(t, "full,guard") {
		return
	}
	faulted := 0
	for _, p := range misuse.Programs {
		for _, want := range marks(t, p.Name, "guard") {
			faulted++
			at := strings.TrimPrefix(want, "faults: ")
			t.Setenv(faultVariable, p.Name)
			_, stderr, err := pooltest.RunChecked(t, "full,guard", os.Args[0])
			if err == nil || !strings.Contains(stderr, "unexpected fault address") || !strings.Contains(stderr, at+" ") {
				t.Errorf("%s: %v, want a fault at %s:\n%s", p.Name, err, at, stderr)
			}
		}
		if got := reports(t, p.Fixed, 0); got != nil {
			t.Errorf("%s without the misuse: reported %q", p.Name, got)
		}
	}
	if faulted < 4 {
		t.Errorf("%d programs fault, want at least 4", faulted)
	}
}
