package dashboards_test

import (
	"testing"

	"github.com/basin-go/basin/lab/dashboards"
)

func TestDashboardLayout(t *testing.T) {
	d := dashboards.ReadDashboard(t)
	if d.UID != "basin" || d.Title == "" {
		t.Errorf("it is %q, %q", d.UID, d.Title)
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("ID %d is there twice", p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && (p.Description == "" || p.Datasource.UID != "${datasource}") {
			t.Errorf("%s: description %q, data source %q", p.Title, p.Description, p.Datasource.UID)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] {
				t.Errorf("%s: %s is there twice", p.Title, target.RefID)
			}
			refs[target.RefID] = true
		}
		g := p.GridPos
		if g.X < 0 || g.X+g.W > 24 || g.W <= 0 || g.H <= 0 {
			t.Errorf("%s is at %+v", p.Title, g)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other, ok := taken[[2]int{x, y}]; ok {
					t.Fatalf("%s covers %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
