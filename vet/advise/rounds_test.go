package advise

import "testing"

// TestReasonsOfFilledFields has fields that grow in a loop of a known length, and some that do not.
func TestReasonsOfFilledFields(t *testing.T) {
	const (
		known = "whose length is known: call slices.Grow before the loop."
		most  = ": if most rounds append, call slices.Grow before the loop."
	)
	judged(t, `package p

type Table struct {
	rows []int64
	n    int
}

func (t *Table) Fill(list []int64) {
	for _, v := range list {
		t.rows = append(t.rows, v+1) // : preallocate; Field Table.rows grows in a loop over list, `+known+`
	}
}

func (t *Table) Count(n int) {
	for i := 0; i < n; i++ {
		t.rows = append(t.rows, int64(i)) // : preallocate; Field Table.rows grows in a loop over n, `+known+`
	}
}

func Made(n int) *Table {
	t := &Table{}
	for i := range n {
		if len(t.rows) > 0 {
			t.n++
		}
		t.rows = append(t.rows, int64(i)) // : preallocate; Field Table.rows grows in a loop over n, `+known+`
	}
	return t
}

func (t *Table) Some(list []int64) {
	for _, v := range list {
		if v < 0 {
			continue
		}
		t.rows = append(t.rows, v) // : preallocate; Field Table.rows grows by at most one element in each round of a loop over list`+most+`
	}
}

func (t *Table) Until(list []int64) {
	for _, v := range list {
		switch {
		case v < 0:
			t.n++
			break
		}
		t.rows = append(t.rows, v) // : preallocate; Field Table.rows grows in a loop over list, `+known+`
	}
}

func (t *Table) If(list []int64) {
	for _, v := range list {
		if v > 0 {
			t.rows = append(t.rows, v) // : preallocate; Field Table.rows grows by at most one element in each round of a loop over list`+most+`
		}
	}
}

func Local(list []int64) (all []int64) {
	for _, v := range list {
		if v < 0 {
			break
		}
		all = append(all, v) // : preallocate; It grows by at most one element in each round of a loop over list: if most rounds append, make it with that capacity before the loop.
	}
	return all
}

func (t *Table) flush() { t.rows, t.n = nil, t.n+len(t.rows) }

func (t *Table) Batches(list []int64) {
	for _, v := range list {
		t.rows = append(t.rows, v) // : needs an owner; The memory leaves (*Table).Batches: it is stored in field Table.rows.
		if len(t.rows) == 100 {
			t.flush()
		}
	}
}

func (t *Table) Emptied(list []int64) {
	for _, v := range list {
		t.rows = append(t.rows, v) // : needs an owner; The memory leaves (*Table).Emptied: it is stored in field Table.rows.
		if len(t.rows) == 100 {
			t.rows = nil
		}
	}
}

func (t *Table) Longer(list []int64, use func([]int64)) {
	for _, v := range list {
		use(append(t.rows, v)) // : needs an owner; The memory may leave (*Table).Longer: it is passed to a function value, which may keep it.
	}
}

func Each(tables []*Table, v int64) {
	for _, t := range tables {
		t.rows = append(t.rows, v) // : needs an owner; The memory leaves Each: it is stored in field Table.rows.
	}
}

func Moved(t *Table, next map[*Table]*Table, n int) {
	for range n {
		t.rows = append(t.rows, 1) // : needs an owner; The memory leaves Moved: it is stored in field Table.rows.
		t = next[t]
	}
}
`, nil)
}

// TestReasonsOfSeveralEach has rounds that append a constant number of elements, and some whose number differs.
func TestReasonsOfSeveralEach(t *testing.T) {
	judged(t, `package p

type table struct{ all []any }

func pairs(m map[string]int) (all []any) {
	for k, v := range m {
		all = append(all, k, v) // : preallocate; It grows by 2 elements in each round of a loop over m, whose length is known: make it with 2 times that capacity before the loop.
	}
	return all
}

func (t *table) pairs(m map[string]int) {
	for k, v := range m {
		t.all = append(t.all, k, v, k) // : preallocate; Field table.all grows by 3 elements in each round of a loop over m, whose length is known: call slices.Grow before the loop, for 3 times that.
	}
}

func some(list []int) (all []any) {
	for _, v := range list {
		if v > 0 {
			all = append(all, v, "x") // : preallocate; It grows by at most 2 elements in each round of a loop over list: if most rounds append, make it with 2 times that capacity before the loop.
		}
	}
	return all
}

func lists(list [][]any) (all []any) {
	for _, v := range list {
		all = append(all, v...) // : needs an owner;
	}
	return all
}

func local(n int) (sum int) {
	var all []int
	for i := range n {
		all = append(all, i, -i) // : pool it;
	}
	for _, n := range all {
		sum += n
	}
	return sum
}

func endless(next func() (string, bool)) (all []any) {
	for {
		s, ok := next()
		if !ok {
			return all
		}
		all = append(all, s, ok) // : needs an owner;
	}
}
`, func(_ int, s *synthetic) { s.bytes *= 25 })
}
