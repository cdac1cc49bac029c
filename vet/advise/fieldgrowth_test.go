package advise

import (
	"slices"
	"testing"
)

// TestReasonsOfFieldGrowth has fields that grow at several lines of a function, which are one site if they are of one struct.
func TestReasonsOfFieldGrowth(t *testing.T) {
	const kept = "needs an owner; The memory leaves "
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

type inner struct{ list []string }

type record struct {
	fields, others []string
	in             inner
	to             *inner
}

func (r *record) end(s string) {
	r.fields = append(r.fields, s) // : `+kept+`(*record).end
	if s != "" {
		r.fields = append(r.fields, s, s) // : `+kept+`(*record).end
	}
}

func deep(r *record, s string, f func(func())) {
	f(func() { r.others = nil })
	r.in.list = append(r.in.list, s) // : `+kept+`deep
	r.in.list = append(r.in.list, s) // : `+kept+`deep
}

func two(a, b *record, s string) {
	a.fields = append(a.fields, s) // : `+kept+`two
	b.fields = append(b.fields, s) // : `+kept+`two
}

func others(r *record, s string) {
	r.fields = append(r.fields, s) // : `+kept+`others
	r.others = append(r.others, s) // : `+kept+`others
}

func replaced(r *record, s string) {
	r.to.list = append(r.to.list, s) // : `+kept+`replaced
	r.to = new(inner)
	r.to.list = append(r.to.list, s) // : `+kept+`replaced
}

func copied(r *record, s string) {
	r.fields = append(r.fields, s) // : `+kept+`copied
	r.others = append(r.fields, s) // : `+kept+`copied
}
`, nil)
	sites := map[string]int{}
	for _, s := range r.Sites {
		sites[s.short()]++
	}
	for function, want := range map[string]int{"(*record).end": 1, "deep": 1, "two": 2, "others": 2, "replaced": 2, "copied": 2} {
		if sites[function] != want {
			t.Errorf("%s has %d sites, want %d", function, sites[function], want)
		}
	}
	i := slices.IndexFunc(r.Sites, func(s *Site) bool { return s.short() == "(*record).end" })
	if s := r.Sites[i]; len(s.Lines) != 1 {
		t.Errorf("%d: also at %v", s.Line, s.Lines)
	}
}
