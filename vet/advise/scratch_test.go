package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfScratch has slices and Buffers in fields of structs that do not leave their functions, and of others that do.
func TestReasonsOfScratch(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
)

type queue struct{ data []int }

func (q *queue) add(x int) { q.data = append(q.data, x) } // : pool it; It is scratch of queue, which does not leave p.sum and p.most: queue.data can begin with memory of a pool there.$

func (q queue) last() int { return q.data[len(q.data)-1] }

func sum(n int) (sum int) {
	var q queue
	for i := range n {
		q.add(i)
	}
	for _, x := range q.data {
		sum += x
	}
	return sum + q.last()
}

func most(n int) int {
	q := &queue{}
	q.add(n)
	return max(q.last(), n)
}

type history struct{ data []int }

func (h *history) push(x int) { h.data = append(h.data, x) } // : pool it; It is scratch of history, which does not leave p.undone: history.data can begin with memory of a pool there.$

func (h *history) pop() { h.data = h.data[:len(h.data)-1] }

func undone(n int) int {
	var h history
	h.push(n)
	h.pop()
	return len(h.data)
}

type ring[E any] struct {
	data       []E
	head, tail int
}

func (r *ring[E]) add(x E) {
	if r.tail == len(r.data) {
		r.grow()
	}
	r.data[r.tail] = x
	r.tail++
}

func (r *ring[E]) remove() E {
	r.head++
	return r.data[r.head-1]
}

func (r *ring[E]) grow() {
	data := make([]E, 2*len(r.data)+4) // : needs an owner; It is scratch of ring, which does not leave p.pick: put ring.data back there.$
	copy(data, r.data)
	r.data = data
}

func pick(words []string) string {
	var r ring[string]
	for _, w := range words {
		r.add(w)
	}
	return r.remove()
}

type stack[E any] struct{ data []E }

func (s *stack[E]) push(x E) {
	s.data = append(s.data, x) // : needs an owner; The memory leaves (*stack).push: it is stored in field stack.data. Its last user would have to put it back. The stack of p.local is scratch, and does not leave: put stack.data back there.$
}

type parser struct{ open stack[int] }

func (p *parser) parse(n int) { p.open.push(n) }

func local(n int) int {
	var s stack[byte]
	s.push(byte(n))
	return len(s.data)
}

type wrap struct {
	buf bytes.Buffer
	n   int
}

func (w *wrap) add(s string) {
	w.buf.WriteString(s) // bytes.(*Buffer).WriteString: pool it; It is scratch of wrap, which does not leave p.join: wrap.buf can begin with memory of a pool there.$
	w.n++
}

func join(words []string) string {
	w := &wrap{}
	for _, s := range words {
		w.add(s)
	}
	return w.buf.String()
}

type page struct{ buf bytes.Buffer }

func (p *page) add(s string) {
	p.buf.WriteString(s) // bytes.(*Buffer).WriteString: needs an owner; The memory leaves (*page).add: it is field page.buf. Its last user would have to put it back.$
}

type item struct {
	list []int
	n    int
}

func reduced(all []item, n int) {
	all[0].list = make([]int, n) // : needs an owner; The memory leaves reduced: it is stored in field item.list. Its last user would have to put it back.$
}

func counted(n int) int {
	var i item
	i.n = n
	return i.n
}

func bytesOf(s string) []byte {
	var p page
	p.add(s)
	return p.buf.Bytes()
}

type list struct{ data []int }

func (l *list) add(x int) { l.data = append(l.data, x) } // : needs an owner; The memory leaves (*list).add: it is stored in field list.data. Its last user would have to put it back.$

func all(n int) []int {
	var l list
	l.add(n)
	return l.data
}

type kept struct{ data []int }

func (k *kept) add(x int) { k.data = append(k.data, x) } // : needs an owner; The memory leaves (*kept).add: it is stored in field kept.data. Its last user would have to put it back.$

var last *kept

func keep(n int) {
	k := &kept{}
	k.add(n)
	last = k
}

type boxed struct{ data []byte }

func (b *boxed) Write(p []byte) (int, error) {
	b.data = append(b.data, p...) // : needs an owner; The memory leaves (*boxed).Write: it is stored in field boxed.data. Its last user would have to put it back.$
	return len(p), nil
}

func boxes(r io.WriterTo) int {
	var b boxed
	r.WriteTo(&b)
	return len(b.data)
}

type twice struct{ data, other []int }

func (t *twice) add(n int) {
	data := make([]int, n) // : needs an owner; The memory leaves (*twice).add: it is stored in field twice.data. Its last user would have to put it back.$
	t.data, t.other = data, data
}

func both(n int) int {
	var t twice
	t.add(n)
	return len(t.data) + len(t.other)
}

type Offered struct{ data []int }

func (o *Offered) Add(x int) { o.data = append(o.data, x) } // : pool it; It is scratch of Offered, which does not leave p.offered: Offered.data can begin with memory of a pool there.$

func offered(n int) int {
	var o Offered
	o.Add(n)
	return len(o.data)
}

type Open struct{ Data []int }

func (o *Open) Add(x int) { o.Data = append(o.Data, x) } // : needs an owner; The memory leaves (*Open).Add: it is stored in field Open.Data. Its last user would have to put it back.$

func open(n int) int {
	var o Open
	o.Add(n)
	return len(o.Data)
}

type turned struct{ data []int }

type other struct{ data []int }

var turnedTo []int

func (t *turned) add(x int) { t.data = append(t.data, x) } // : needs an owner; The memory leaves (*turned).add: it is stored in field turned.data. Its last user would have to put it back.$

func turn(n int) {
	var t turned
	t.add(n)
	turnedTo = other(t).data
}
`, nil)
}

// TestScratchBegins has functions that take the slice of a field from a pool.
func TestScratchBegins(t *testing.T) {
	dir, profiles, _ := corpus(t, "fields")
	stdout, stderr, status := advise(t, dir, profiles, "-diff")
	for _, want := range []string{
		" \tvar q queue\n+\tq.data = queuedData.Get()[:0]\n+\tdefer func() { queuedData.Put(q.data) }()\n" +
			"+\tq.bytes = queuedBytes.Get()[:0]\n+\tdefer func() { queuedBytes.Put(q.bytes) }()\n",
		" \tq := &queue{}\n+\tq.data = queuedData.Get()[:0]\n+\tdefer func() { queuedData.Put(q.data) }()\n",
		"+\t\tclear(s[:cap(s)])\n",
	} {
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit status %d, %s%s lacks\n%s", status, stdout, stderr, want)
		}
	}
	if want := "There is no patch: in corpus.Again, its variable may be set again."; !strings.Contains(joined(stdout+stderr), want) {
		t.Errorf("%s lacks %s", stderr, want)
	}
}
