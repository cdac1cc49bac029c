//go:build go1.25

package figures_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/figures"
	"github.com/basin-go/basin/internal/testenv"
)

// TestFields: each number in Stats and ClassStats has one row, and the words of its names are those of the field.
func TestFields(t *testing.T) {
	none := map[string]bool{
		"ID": true, "MemoryLimit": true,
		"Classes.Size": true, "Classes.Items.InUse": true, "Classes.Items.Idle": true, // Bytes say the same
		"Classes.Items.MaxIdle": true, "Classes.Items.MaxInUse": true, "Classes.Bytes.MaxIdle": true, "Classes.Bytes.MaxInUse": true,
	}
	check(t, "Pools", "", figures.Pools, none)
	check(t, "Classes", "Classes.", figures.Classes, none)
}

func check[S any](t *testing.T, table, prefix string, all []figures.Figure[*S], none map[string]bool) {
	t.Helper()
	of := figures.Fields(all)
	for _, field := range figures.Leaves(reflect.TypeFor[S]()) {
		rows := of[field]
		if none[prefix+field] != (len(rows) == 0) || len(rows) > 1 {
			t.Errorf("%s%s has %d rows in figures.%s", prefix, field, len(rows), table)
		}
		for _, f := range rows {
			if f.Series == "" || f.Series == "basin_leaks_total" || f.Series == "basin_reserved_bytes" {
				continue // words of their own
			}
			name := regexp.MustCompile("_(total|seconds|requests|items)").ReplaceAllString(f.Series, "") + "_"
			name = strings.TrimPrefix(strings.TrimPrefix(name, "basin_"), "class_")
			if slices.ContainsFunc(all, func(g figures.Figure[*S]) bool { return g.Series == f.Series && g.Value != f.Value }) {
				name += f.Value
			}
			if got, want := words(name), words(field); !slices.Equal(got, want) {
				t.Errorf("%s%s is %s %s: its words are %q, want %q", prefix, field, f.Series, f.Value, got, want)
			}
		}
	}
}

// words returns the words of a name, sorted, without those that go without saying.
func words(name string) []string {
	name = regexp.MustCompile("[A-Z]").ReplaceAllStringFunc(name, func(s string) string { return "_" + strings.ToLower(s) })
	w := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' })
	w = slices.DeleteFunc(w, func(s string) bool { return s == "items" || s == "drops" })
	slices.Sort(w)
	return w
}

// unshown are the figures without a panel in the dashboard.
var unshown = []string{"Misses", "Puts", "Adopted", "OutsideBytes", "Lost.Bytes", "Items.MaxInUse"}

// TestPlaces: each figure is in metrics.md, and in the dashboard. The page and basin top show those by name that have no
// place of their own.
func TestPlaces(t *testing.T) {
	testenv.Tree()
	read := func(name string) string {
		b, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	places(t, "Pools", figures.Fields(figures.Pools), read)
	places(t, "Classes", figures.Fields(figures.Classes), read)
}

func places[S any](t *testing.T, table string, all map[string][]*figures.Figure[S], read func(string) string) {
	t.Helper()
	metrics, board := read("docs/metrics.md"), read("dashboards/basin.json")
	for field, rows := range all {
		f := rows[0]
		for _, name := range []string{f.Series, f.Instrument, f.Value} {
			if name != "" && !strings.Contains(metrics, "`"+name+"`") && f.Key != figures.Wait {
				t.Errorf("%s in figures.%s: docs/metrics.md has no `%s`", field, table, name)
			}
		}
		if shown := strings.Contains(board, f.Series+"{"); shown == slices.Contains(unshown, field) && table == "Pools" && f.Series != "" {
			t.Errorf("%s in figures.%s: dashboards/basin.json shows %s: %v. See lab/dashboards", field, table, f.Series, shown)
		}
	}
}
