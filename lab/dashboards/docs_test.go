package dashboards_test

import (
	"os"
	"regexp"
	"testing"

	table "github.com/basin-go/basin/internal/figures"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/lab/dashboards"
)

// TestDocs fails unless metrics.md names all metrics, production.md and troubleshooting.md name all
// alerts, and none of them names any other.
func TestDocs(t *testing.T) {
	testenv.Tree()
	b, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	want["basin_wait_seconds"] = true
	addNames(want, table.Pools)
	addNames(want, table.Classes)
	addNames(want, table.Sites)
	addNames(want, table.Guarded)
	for _, attribute := range []string{"basin.get.result", "basin.item.state", "basin.drop.reason", "basin.misuse.kind", "basin.wait.time", "basin.class.size", "basin.pool.name"} {
		want[attribute] = true
	}
	got := map[string]bool{}
	for _, m := range regexp.MustCompile("`(basin_[a-z_]+|basin\\.[a-z]+\\.[a-z_.]+)`").FindAllStringSubmatch(string(b), -1) {
		got[m[1]] = true
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s is not documented", name)
		}
	}
	for _, file := range []string{"production.md", "troubleshooting.md"} {
		guide, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, m := range regexp.MustCompile("`(Basin[A-Z][A-Za-z]+)`").FindAllStringSubmatch(string(guide), -1) {
			named[m[1]] = true
		}
		for _, name := range dashboards.AlertNames(t) {
			if !named[name] {
				t.Errorf("%s has no remedy for %s", file, name)
			}
			delete(named, name)
		}
		for name := range named {
			t.Errorf("%s has an alert %s, which does not exist", file, name)
		}
	}
	for name := range got {
		if !want[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func addNames[S any](names map[string]bool, all []table.Figure[S]) {
	for _, f := range all {
		for _, name := range []string{f.Series, f.Instrument} {
			if name != "" {
				names[name] = true
			}
		}
	}
}
