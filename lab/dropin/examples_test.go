package dropin

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestExamples runs the example programs of bytespool with the original and with the module in compat, and compares
// what they print.
func TestExamples(t *testing.T) {
	testenv.Tree()
	if !pooltest.Long() {
		t.Skip("compiles programs")
	}
	o := apart[slices.IndexFunc(apart, func(o original) bool { return o.compat == "bytespool" })]
	from := o.folder(t)
	if from == "" {
		t.Skip(o.nowhere())
	}
	var programs []string
	err := fs.WalkDir(os.DirFS(from), "examples", func(file string, _ fs.DirEntry, err error) error {
		if folder, ok := strings.CutSuffix(file, "/main.go"); ok && !strings.HasSuffix(folder, "/reverse_proxy") { // a server
			programs = append(programs, folder)
		}
		return err
	})
	if err != nil || len(programs) < 14 {
		t.Fatalf("examples %q, %v", programs, err)
	}
	var printed [2][]string
	for i, by := range []string{from, compatOf(t, o.path)} {
		folder := t.TempDir()
		user{
			replace: map[string]string{o.path: by},
			require: []string{o.path + " " + o.version},
			like:    module{GoMod: os.DevNull},
		}.write(t, folder)
		for _, p := range programs {
			copyFile(t, filepath.Join(from, p, "main.go"), filepath.Join(folder, p, "main.go"))
			c := exec.Command("go", "run", "-mod=mod", "./"+p)
			c.Dir = folder
			c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
			output, err := c.CombinedOutput()
			if err != nil {
				output = append(output, err.Error()...)
			}
			printed[i] = append(printed[i], withoutAddresses(string(output)))
		}
	}
	for i, p := range programs {
		lines, want := strings.Split(printed[1][i], "\n"), strings.Split(printed[0][i], "\n")
		if !slices.Equal(lines, want) {
			t.Errorf("%s prints\n%s\nand with the original\n%s", p, printed[1][i], printed[0][i])
		}
		t.Logf("%s: %d lines", p, len(want)-1)
	}
}

// withoutAddresses numbers the addresses in a text, so that two texts are equal if the same addresses recur.
func withoutAddresses(text string) string {
	var known []string
	return regexp.MustCompile(`\b0x[0-9a-f]+\b`).ReplaceAllStringFunc(text, func(address string) string {
		i := slices.Index(known, address)
		if i < 0 {
			i, known = len(known), append(known, address)
		}
		return fmt.Sprintf("address %d", i)
	})
}
