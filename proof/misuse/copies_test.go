//go:build go1.25

package misuse_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestVetReportsCopies runs go vet on a program that copies types that must not be copied.
func TestVetReportsCopies(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("needs the go command")
	}
	out, err := exec.Command("go", "vet", "-copylocks", "./testdata/copies").CombinedOutput()
	if err == nil {
		t.Error("go vet finds nothing wrong with the copies")
	}
	for _, name := range []string{"basin.Buffer contains", "basin.BytePool", "basin.BufferPool", "basin.StdBufferPool", "basin.Pool[int]", "basin.FixedPool", "basinscope.Scope"} {
		if !strings.Contains(string(out), name) {
			t.Errorf("go vet does not report the copy of a %s:\n%s", name, out)
		}
	}
}
