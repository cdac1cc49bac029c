package advise

import "testing"

// TestReasonsOfReserves has slices that are made with a capacity: a limit, or the number of elements that come.
func TestReasonsOfReserves(t *testing.T) {
	judged(t, `package p

type row struct{ a [9]int }

func each(f func(row) bool) {}

func times(n int, f func(row) bool) {}

type iter interface {
	Next() bool
	Value() row
}

func page(limit int) []row {
	var rows []row
	rows = make([]row, 0, limit) // : needs an owner; The memory leaves page: it is returned from p.page. Its last user would have to put it back. It reserves room for limit elements, 64 KiB, however many it appends: let append grow it, or make it with the number that there is.$
	each(func(r row) bool {
		if r.a[0] > 0 {
			rows = append(rows, r)
		}
		return len(rows) < limit
	})
	return rows
}

func defaults(it iter, limit int) []row {
	if limit == 0 {
		limit = 900
	}
	rows := make([]row, 0, limit) // : needs an owner; The memory leaves defaults: it is returned from p.defaults. Its last user would have to put it back. It reserves room for limit elements, 64 KiB
	for it.Next() && len(rows) < limit {
		if v := it.Value(); v.a[0] > 0 {
			rows = append(rows, v)
		}
	}
	return rows
}

func constant(it iter) []row {
	rows := make([]row, 0, 900) // : needs an owner; The memory leaves constant: it is returned from p.constant. Its last user would have to put it back. It reserves room for 900 elements, 64 KiB
	for it.Next() {
		rows = append(rows, it.Value())
	}
	return rows
}

func counted(it iter, n int) []row {
	rows := make([]row, 0, n) // : needs an owner; The memory leaves counted: it is returned from p.counted. Its last user would have to put it back.$
	for i := 0; i < n; i++ {
		if v := it.Value(); v.a[0] > 0 {
			rows = append(rows, v)
		}
	}
	return rows
}

func all(it iter, n int) []row {
	rows := make([]row, 0, n) // : needs an owner; The memory leaves all: it is returned from p.all. Its last user would have to put it back.$
	for it.Next() {
		rows = append(rows, it.Value())
	}
	return rows
}

func given(it iter, n int) []row {
	rows := make([]row, 0, n) // : needs an owner; The memory leaves given: it is returned from p.given to p.lengths at p.go:75, its only caller. Its last user would have to put it back.$
	for it.Next() {
		if v := it.Value(); v.a[0] > 0 {
			rows = append(rows, v)
		}
	}
	return rows
}

func lengths(it iter, b []byte) []row { return given(it, len(b)/8) }

func lists(it iter, limit int) []row {
	rows := make([]row, 0, limit) // : needs an owner; The memory leaves lists: it is returned from p.lists. Its last user would have to put it back.$
	for it.Next() {
		if v := it.Value(); v.a[0] > 0 {
			rows = append(rows, make([]row, v.a[0])...)
		}
	}
	return rows
}

func passed(limit int) []row {
	rows := make([]row, 0, limit) // : needs an owner; The memory leaves passed: it is returned from p.passed. Its last user would have to put it back.$
	times(limit, func(r row) bool {
		if r.a[0] > 0 {
			rows = append(rows, r)
		}
		return true
	})
	return rows
}

func filled(it iter, n int) []row {
	rows := make([]row, n) // : needs an owner; The memory leaves filled: it is returned from p.filled. Its last user would have to put it back.$
	for i := range rows {
		rows[i] = it.Value()
	}
	return rows
}

func small(it iter, limit int) []row {
	rows := make([]row, 0, limit) // : needs an owner; The memory leaves small: it is returned from p.small. Its last user would have to put it back.$
	for it.Next() {
		if v := it.Value(); v.a[0] > 0 {
			rows = append(rows, v)
		}
	}
	return rows
}

func failing(next func() (row, error)) ([]row, error) {
	rows := make([]row, 0, 900) // : needs an owner; The memory leaves failing: it is returned from p.failing. Its last user would have to put it back.$
	for {
		v, err := next()
		if err != nil {
			return nil, err
		}
		if rows = append(rows, v); len(rows) == 900 {
			return rows, nil
		}
	}
}
`, func(i int, s *synthetic) {
		size := uint64(64 << 10)
		if i == 9 {
			size = 1 << 10
		}
		s.objects = s.bytes / size
	})
}
