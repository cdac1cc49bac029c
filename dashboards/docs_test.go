package dashboards_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/basin-go/basin/dashboards/internal/dashboardtest"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestDocs has the documentation name all metrics and alerts that there are, and no others, and say
// what to do about each alert.
func TestDocs(t *testing.T) {
	testenv.Tree()
	pooltest.WaitForOtherPools()
	b, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for name := range dashboardtest.Exported(t) {
		want[strings.TrimSuffix(name, dashboardtest.Bucket)] = true
	}
	for name := range otelFields {
		name, _, _ = strings.Cut(name, "[")
		want[name] = true
	}
	for _, name := range []string{"basin.site.gets", "basin.site.puts", "basin.site.leaks"} {
		want[name] = true
	}
	for _, name := range dashboardtest.AlertNames() {
		want[name] = true
	}
	for _, attribute := range []string{"basin.get.result", "basin.item.state", "basin.drop.reason", "basin.misuse.kind", "basin.wait.time", "basin.class.size", "basin.pool.name"} {
		want[attribute] = true
	}
	got := map[string]bool{}
	for _, m := range regexp.MustCompile("`(basin_[a-z_]+|basin\\.[a-z]+\\.[a-z_.]+|Basin[A-Z][A-Za-z]+)`").FindAllStringSubmatch(string(b), -1) {
		got[m[1]] = true
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s is not documented", name)
		}
	}
	for _, file := range []string{"production.md", "troubleshooting.md"} {
		guide, err := os.ReadFile("../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range dashboardtest.AlertNames() {
			if !strings.Contains(string(guide), "`"+name+"`") {
				t.Errorf("%s does not say what to do about %s", file, name)
			}
		}
	}
	for name := range got {
		if !want[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
