package work

import "github.com/basin-go/basin/lab/internal/subjects"

func init() {
	const size = 32 * subjects.ListCap
	add(&Workload{
		Name: "values", Group: GroupValues, Goroutines: 1, Asked: size,
		What: "A []Item with room for 128 items of 32 bytes, three appended, and back. One goroutine.",
		Op:   "one list",
		Can:  canLists,
		New:  newLists,
	}, &Workload{
		Name: "values-parallel", Group: GroupValues, Asked: size,
		What: "The same on one goroutine for each P.",
		Op:   "one list",
		Can:  canLists,
		New:  newLists,
	}, &Workload{
		Name: "pointers", Group: GroupValues, Goroutines: 1, Asked: 256,
		What: "A pointer to a struct of 256 bytes, one field set, and back. One goroutine.",
		Op:   "one struct",
		Can:  canRecords,
		New:  newRecords,
	}, &Workload{
		Name: "pointers-parallel", Group: GroupValues, Asked: 256,
		What: "The same on one goroutine for each P.",
		Op:   "one struct",
		Can:  canRecords,
		New:  newRecords,
	}, &Workload{
		Name: "fixed", Group: GroupValues, Asked: pairSize,
		What: "A pool of 64 buffers of 4096 bytes. One goroutine for each P holds two at a time, so that they contend.",
		Op:   "one Put of the older and Get",
		Can:  canFixed,
		New:  newFixed,
	})
}

func newLists(s *subjects.Subject, _ Env) *Unit {
	p := s.Lists()
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			l := p.Get()
			l.Items = append(l.Items, subjects.Item{Count: 1}, subjects.Item{Count: 2}, subjects.Item{Count: 3})
			p.Put(l)
		}
	}}
}

func newRecords(s *subjects.Subject, _ Env) *Unit {
	p := s.Records()
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			r := p.Get()
			r.Body[0]++
			p.Put(r)
		}
	}}
}

func newFixed(s *subjects.Subject, _ Env) *Unit {
	p := s.Fixed(64, pairSize)
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		a, b := p.Get(pairSize), p.Get(pairSize)
		for range n {
			p.Put(a)
			a, b = b, p.Get(pairSize)
		}
		p.Put(a)
		p.Put(b)
	}}
}
