//go:build go1.25

package basin_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestLinked: a program that only gets and puts slices has no code for statistics, or for pools of other kinds.
func TestLinked(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "js" || testing.Short() {
		t.Skip("no go command, or no time to compile")
	}
	if _, err := os.Stat("testdata/tiny/main.go"); err != nil { // so that a cached result depends on the file
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "tiny.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/tiny").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"basin.(*BytePool).Put":              true,
		"basin.(*BytePool).stats":            false,
		"basin.(*Limit).stats":               false,
		"basin.Stats.String":                 false,
		"basin.Stats.LogValue":               false,
		"basin.(*Buffer).Write":              false,
		"engine..dict.Engine[*bytes.Buffer]": false,
		"basin.(*FixedPool).":                false,
	} {
		if bytes.Contains(symbols, []byte(name)) != want {
			t.Errorf("%s is in the program: %v, want %v", name, !want, want)
		}
	}
}
