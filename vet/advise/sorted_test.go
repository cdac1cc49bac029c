package advise

import "testing"

// TestReasonsOfSorted has slices of structs with pointers, whose methods swap elements: an element that moves within its slice is not the slice.
func TestReasonsOfSorted(t *testing.T) {
	judged(t, `package p

import "sort"

type sample struct {
	f float64
	p *int
}

type byF []sample

func (s byF) Len() int           { return len(s) }
func (s byF) Less(i, j int) bool { return s[i].f < s[j].f }
func (s byF) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

func quantile(v byF) float64 {
	sort.Sort(v)
	return v[0].f
}

func over(in []float64) float64 {
	values := make(byF, 0, len(in)) // : pool it
	for _, f := range in {
		values = append(values, sample{f: f})
	}
	return quantile(values)
}

func direct(in []float64) float64 {
	values := make(byF, 0, len(in)) // : pool it
	for _, f := range in {
		values = append(values, sample{f: f})
	}
	sort.Sort(values)
	return values[0].f
}

type keeps []sample

var kept keeps

func (s keeps) Len() int           { return len(s) }
func (s keeps) Less(i, j int) bool { return s[i].f < s[j].f }
func (s keeps) Swap(i, j int)      { kept = s }

func keeping(in []float64) float64 {
	values := make(keeps, 0, len(in)) // : needs an owner; The memory leaves keeping: it is passed to (p.keeps).Swap, where it is stored in the variable kept of the package.
	for _, f := range in {
		values = append(values, sample{f: f})
	}
	sort.Sort(values)
	return values[0].f
}

type anys []any

var one any

func (s anys) Len() int           { return len(s) }
func (s anys) Less(i, j int) bool { return i < j }
func (s anys) Swap(i, j int)      { one = s[i] }

func itself(n int) int {
	v := make(anys, n) // : needs an owner
	for i := range v {
		v[i] = v
	}
	sort.Sort(v)
	return len(v)
}

type rows [][]byte

var last []byte

func (r rows) Len() int           { return len(r) }
func (r rows) Less(i, j int) bool { return len(r[i]) < len(r[j]) }
func (r rows) Swap(i, j int)      { last = r[i] }

func row(n int) int {
	b := make([]byte, n) // : needs an owner; The memory leaves row: it is passed to (p.rows).Swap, where it is stored in the variable last of the package.
	all := rows{b, b[:1]}
	sort.Sort(all)
	return len(all)
}
`, nil)
}
