package misuse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/checktest"
)

var wanted = regexp.MustCompile(`// (want|guard): (.*)$`)

// marks returns what the source of a program says about its lines.
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
	return found
}

// TestCheckPrograms runs programs that misuse basin. Each misuse must be reported, with the right
// line, and nothing else; and nothing of the same programs without the misuse.
func TestCheckPrograms(t *testing.T) {
	bin := checktest.Build(t, filepath.Join("testdata", "misuse"))
	names, _, err := checktest.Run(t, "off", bin, "list")
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for _, name := range strings.Fields(names) {
		want := marks(t, name, "want")
		reported += min(1, len(want))
		t.Run(name, func(t *testing.T) {
			out, stderr, err := checktest.Run(t, "full", bin, name, "bug")
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			got := strings.Split(strings.TrimSpace(out), "\n")
			if out == "" {
				got = nil
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("reported %q, want %q", got, want)
			}
			if out, stderr, err := checktest.Run(t, "full", bin, name, "fixed"); err != nil || out != "" {
				t.Errorf("without the misuse: %v, reported:\n%s%s", err, out, stderr)
			}
			if out, stderr, err := checktest.Run(t, "off", bin, name, "fixed"); err != nil || out != "" {
				t.Errorf("without checks: %v, reported:\n%s%s", err, out, stderr)
			}
		})
	}
	if reported < 25 {
		t.Errorf("%d programs with misuse that is reported, want at least 25", reported)
	}
}

// TestCheckCorrectPrograms runs programs that use basin as it allows, at all levels. Nothing may be
// reported.
func TestCheckCorrectPrograms(t *testing.T) {
	bin := checktest.Build(t, filepath.Join("testdata", "correct"))
	names, _, err := checktest.Run(t, "off", bin, "list")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(names, "\n"); n < 100 {
		t.Errorf("%d programs, want at least 100", n)
	}
	levels := []string{"off", "sampled", "sampled=2", "sampled=1", "full"}
	if runtime.GOOS == "linux" {
		levels = append(levels, "full,guard")
	}
	for _, level := range levels {
		t.Run(level, func(t *testing.T) {
			if out, stderr, err := checktest.Run(t, level, bin, "run", "10"); err != nil || out != "" {
				t.Errorf("%v, reported:\n%s%s", err, out, stderr)
			}
		})
	}
}

// TestCheckGuardPrograms has programs touch guarded memory after Put. The fault must
// name the very line.
func TestCheckGuardPrograms(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("guarded memory is for linux")
	}
	bin := checktest.Build(t, filepath.Join("testdata", "misuse"))
	names, _, err := checktest.Run(t, "off", bin, "list")
	if err != nil {
		t.Fatal(err)
	}
	faulted := 0
	for _, name := range strings.Fields(names) {
		for _, want := range marks(t, name, "guard") {
			faulted++
			at := strings.TrimPrefix(want, "faults: ")
			_, stderr, err := checktest.Run(t, "full,guard", bin, name, "fault")
			if err == nil || !strings.Contains(stderr, "unexpected fault address") || !strings.Contains(stderr, at+" ") {
				t.Errorf("%s: %v, want a fault at %s:\n%s", name, err, at, stderr)
			}
		}
		if out, stderr, err := checktest.Run(t, "full,guard", bin, name, "fixed"); err != nil || out != "" {
			t.Errorf("%s without the misuse: %v, reported:\n%s%s", name, err, out, stderr)
		}
	}
	if faulted < 4 {
		t.Errorf("%d programs were to fault, want at least 4", faulted)
	}
}
