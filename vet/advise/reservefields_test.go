package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfReservedFields has fields that get slices with room for a limit, or for a number of elements that come.
func TestReasonsOfReservedFields(t *testing.T) {
	const (
		head = `package p

type row struct{ a [9]int }

type store struct{ most, count int }

func newStore(most int, all []row) *store { return &store{most: most, count: len(all)} }

type iter struct {
	st   *store
	rows []row
}

func (st *store) open() *iter {
	return &iter{st: st, rows: make([]row, 0, ROOM)} // : needs an owner; The memory leaves (*store).open: it is returned from (*p.store).open. Its last user would have to put it back.REASON$
}

func (it *iter) add(r row) {
	if it.rows == nil || r.a[0] < 0 {
		return
	}
	it.rows = append(it.rows, r)
	if len(it.rows) >= it.st.most {
		it.rows = nil
	}
}

func (it *iter) sum() (n int) {
	for _, r := range it.rows {
		n += r.a[0]
	}
	return n + len(it.rows)
}
`
		adds = "however many (*p.iter).add appends: let append grow it."
	)
	for _, tt := range []struct{ name, room, more, reason string }{
		{"field", "st.most/2", "", " It reserves room for st.most / 2 elements in field rows, 64 KiB, " + adds},
		{"constant", "900", "", " It reserves room for 900 elements in field rows, 64 KiB, " + adds},
		{"length", "st.count", "", ""},
		{"emptied", "900", "func (it *iter) reset() { it.rows = it.rows[:0] }", ""},
		{"resliced", "900", "func (it *iter) fill(n int) []row { return it.rows[:n] }", ""},
		{"address", "900", "func (it *iter) at() *[]row { return &it.rows }", ""},
		{"lists", "900", "func (it *iter) addAll(r []row) { it.rows = append(it.rows, r...) }", ""},
		{"each", "st.most", "func (it *iter) each(r row) { it.rows = append(it.rows, r) }", ""},
		{"counted", "st.most", "func (it *iter) each(r row) { for i := 0; i < it.st.most; i++ { if r.a[i] > 0 { it.rows = append(it.rows, r) } } }", ""},
		{"known", "900", "func (it *iter) each(r row) { for i := 0; i < 900; i++ { it.rows = append(it.rows, r) } }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := strings.NewReplacer("ROOM", tt.room, "REASON", tt.reason).Replace(head) + tt.more + "\n"
			judged(t, code, func(_ int, s *synthetic) {
				s.objects = s.bytes / (64 << 10)
			})
		})
	}
}
