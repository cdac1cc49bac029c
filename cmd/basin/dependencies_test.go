package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/testenv"
)

// TestDependencies checks that an installed command does not depend on the lab, nor on the
// libraries that the lab compares basin with.
func TestDependencies(t *testing.T) {
	testenv.Tree()
	packages, err := exec.Command("go", "list", "-deps", "-test", library+"/cmd/...").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	modules, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(packages), library+"/cmd/internal/top\n") {
		t.Fatalf("go list says %s", packages)
	}
	for _, bad := range []string{"gonum.org", "google.golang.org", "go.uber.org/zap", "valyala/bytebufferpool", "oxtoacart/bpool", "golang.org/x/perf", "hdrhistogram", "progressbar", library + "/lab"} {
		if strings.Contains(string(packages), bad) {
			t.Errorf("the command depends on %s", bad)
		}
		if strings.Contains(string(modules), bad) {
			t.Errorf("the command's go.mod has %s", bad)
		}
	}
}
