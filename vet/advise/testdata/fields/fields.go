// Package corpus has structs that do not leave their functions, with slices in fields.
package corpus

type queue struct {
	data  []string
	bytes []byte
	n     int
}

func (q *queue) add(s string) {
	q.data = append(q.data, s) // want pool it; patch; 4096
	q.n++
}

func (q *queue) addAll(all []string) {
	q.data = append(q.data, all...) // want pool it; patch; 4096
	for _, s := range all {
		q.bytes = append(q.bytes, s[0]) // want pool it; patch; 2048
	}
}

func (q queue) last() string { return q.data[len(q.data)-1] }

func Queued(n int) (string, int) {
	var q queue
	for range n {
		q.add("x")
		q.addAll([]string{"a", "bc"})
	}
	return q.last() + string(q.bytes), len(q.data)
}

func Added(words []string) int {
	q := &queue{}
	q.addAll(words)
	defer q.add("end")
	for _, w := range words {
		q.add(w)
		q.data[0] += w
	}
	return len(q.data[0])
}

type stack struct{ data []int }

func (s *stack) push(x int) {
	s.data = append(s.data, x) // want pool it; patch; 4096
}

func (s *stack) pop() (x int) {
	x = s.data[len(s.data)-1]
	s.data = s.data[:len(s.data)-1]
	return x
}

func Stacked(n int) int {
	var s stack
	s.push(n)
	s.push(n + 1)
	return s.pop()
}

type tree struct{ data []int }

func (t *tree) add(x int) int {
	if x > 0 {
		t.data = append(t.data, t.add(x-1)) // want needs an owner; no patch; 4096
	}
	return len(t.data)
}

func Tree(n int) (int, int) {
	var t tree
	t.add(n)
	return t.data[0], len(t.data)
}

type copied struct{ data []int }

func (c *copied) add(x int) {
	c.data = append(c.data, x) // want needs an owner; no patch; 4096
}

func (c copied) with(x int) copied {
	c.add(x)
	return c
}

func Copied(n int) (int, int) {
	var c copied
	c.add(n)
	a, b := c.with(1), c.with(2)
	return a.data[1], b.data[1]
}

type empty struct{ data []int }

func (e *empty) add(x int) {
	e.data = append(e.data, x) // want needs an owner; no patch; 4096
}

func Empty(n int) bool {
	var e empty
	for range n {
		e.add(n)
	}
	return e.data == nil
}

type round struct{ data []int }

func (r *round) add(x int) {
	r.data = append(r.data, x) // want needs an owner; no patch; 4096
}

func Rounds(n int) (sum int) {
	for i := range n {
		var r round
		r.add(i)
		r.add(i)
		sum += len(r.data)
	}
	return sum
}

type again struct{ data []int }

func (a *again) add(x int) {
	a.data = append(a.data, x) // want pool it; no patch; 4096
}

func Again(n int) int {
	a := &again{}
	a.add(n)
	b := a
	a = &again{}
	a.add(n)
	return len(a.data) + len(b.data)
}

type sized struct{ data []int }

func (s *sized) add(x int) {
	if len(s.data) < cap(s.data) || s.data == nil {
		s.data = append(s.data, x) // want needs an owner; no patch; 4096
	}
}

func Sized(n int) int {
	var s sized
	for range n {
		s.add(n)
	}
	return len(s.data)
}

type older struct{ data []int }

func (o *older) add(x int) {
	o.data = append(o.data, x) // want needs an owner; no patch; 4096
}

func Older(n int) (int, int) {
	var o older
	o.add(n)
	before := o.data
	o.add(n)
	before[0]++
	return before[0], o.data[0]
}

type beside struct{ data []int }

func (b *beside) add(x int) {
	b.data = append(b.data, x) // want needs an owner; no patch; 4096
}

func Beside(n int) (int, int) {
	var b beside
	b.add(n)
	c := append(b.data, 1)
	d := append(b.data, 2)
	return c[1], d[1]
}

type lent struct{ data []int }

func (l *lent) add(x int) {
	l.data = append(l.data, x) // want needs an owner; no patch; 4096
}

func extended(all []int, x int) int {
	all = append(all, x)
	return all[len(all)-1]
}

func Lent(n int) int {
	var l lent
	l.add(n)
	return extended(l.data, 1)
}

func swapped(l *both, data []int) int {
	l.add(1)
	data[0] = 7
	return l.data[0]
}

type both struct{ data []int }

func (l *both) add(x int) {
	l.data = append(l.data, x) // want needs an owner; no patch; 4096
}

func Swapped(n int) int {
	var l both
	l.add(n)
	return swapped(&l, l.data)
}
