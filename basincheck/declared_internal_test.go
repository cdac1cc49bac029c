//go:build go1.25

package basincheck

import "testing"

func TestDeclared(t *testing.T) {
	for name, want := range map[string]string{
		"":                               "",
		"main.main":                      "main.main",
		"main.main.func1":                "main.main",
		"main.main.func12.3.4":           "main.main",
		"main.f.gowrap1":                 "main.f",
		"main.f.func2.deferwrap1":        "main.f",
		"main.(*T).m.func1":              "main.(*T).m",
		"main.T.m-fm":                    "main.T.m-fm",
		"a.b/c.func":                     "a.b/c.func",
		"a.b/c.function1":                "a.b/c.function1",
		"main.f2":                        "main.f2",
		"main.F[...].func1":              "main.F[...]",
		"main.init.0":                    "main.init",
		"main.init.0.func1":              "main.init",
		"example.com/a/v2.Get":           "example.com/a/v2.Get",
		"example.com/a.Range-range1":     "example.com/a.Range-range1",
		"example.com/a.f.func1-range2.1": "example.com/a.f.func1-range2",
		"17":                             "17",
	} {
		if got := declared(name); got != want {
			t.Errorf("declared(%q) = %q, want %q", name, got, want)
		}
	}
}
