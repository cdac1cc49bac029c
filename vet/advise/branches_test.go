package advise

import "testing"

// TestReasonsOfFlags has functions that keep an argument or copy it, as a flag says. Callers know the flag, or do not.
func TestReasonsOfFlags(t *testing.T) {
	const stays = "pool it; The memory does not leave "
	judged(t, `package p

type series struct{ points []float64 }

func newSeries(points []float64, copies, closed bool) *series {
	s := new(series)
	if copies {
		s.points = append([]float64(nil), points...)
	} else {
		s.points = points
	}
	if closed {
		s.points = append(s.points, s.points[0])
	}
	return s
}

func newRing(points []float64, closed bool) *series { return newSeries(points, true, closed) }

func ring(n int) *series {
	points := make([]float64, n) // : `+stays+`ring
	return newRing(points, n > 3)
}

func kept(n int) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves kept: it is returned from p.kept.
	return newSeries(points, false, true)
}

func unknown(n int, copies bool) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves unknown: it is returned from p.unknown.
	return newSeries(points, copies, true)
}

func passes(points []float64, keeps bool) *series { return newSeries(points, !keeps, false) }

func passed(n int) *series {
	points := make([]float64, n) // : `+stays+`passed
	return passes(points, false)
}

func passedOn(n int) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves passedOn: it is returned from p.passedOn.
	return passes(points, true)
}

func choose(points []float64, own bool) []float64 {
	list := points
	if own {
		list = append([]float64(nil), points...)
	}
	return list
}

func chosen(n int) []float64 {
	points := make([]float64, n) // : `+stays+`chosen
	return choose(points, true)
}

func same(n int) []float64 {
	points := make([]float64, n) // : needs an owner; The memory leaves same: it is returned from p.same
	return choose(points, false)
}

func changes(points []float64, copies bool) *series {
	copies = copies && len(points) > 3
	return newSeries(points, copies, false)
}

func changed(n int) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves changed: it is returned from p.changed.
	return changes(points, true)
}

func reset(points []float64, copies bool) *series {
	set := &copies
	*set = false
	return newSeries(points, copies, false)
}

func written(n int) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves written: it is returned from p.written.
	return reset(points, true)
}

func later(points []float64, copies bool) func() *series {
	return func() *series { return newSeries(points, copies, false) }
}

func literal(n int) func() *series {
	points := make([]float64, n) // : needs an owner
	return later(points, true)
}

func both(points []float64, copies bool) *series {
	if copies {
		if s := both(points, false); s != nil {
			return s
		}
	}
	return newSeries(points, copies, false)
}

func recursive(n int) *series {
	points := make([]float64, n) // : needs an owner; The memory leaves recursive: it is returned from p.recursive.
	return both(points, true)
}

type holder interface{ hold([]float64, bool) }

func dynamic(n int, h holder) {
	points := make([]float64, n) // : needs an owner
	h.hold(points, true)
}

type keeping struct{ last []float64 }

func (k *keeping) hold(points []float64, copies bool) {
	if !copies {
		k.last = points
	}
}

func method(n int, k *keeping) {
	points := make([]float64, n) // : `+stays+`method
	k.hold(points, true)
}

func deferred(n int, k *keeping) {
	points := make([]float64, n) // : needs an owner
	defer k.hold(points, false)
}
`, nil)
}

// TestReasonsOfValuesInFields has structs of which values in fields leave, and the struct itself perhaps later: that is told. Where
// nothing ever has the address of the struct, it stays.
func TestReasonsOfValuesInFields(t *testing.T) {
	judged(t, `package p

type object interface{ Bounds() (float64, float64) }

type details struct {
	obj  object
	next *details
	room [64]byte
}

type server struct {
	last object
	log  []*details
}

func (s *server) test(o object) { s.last = o }

func (s *server) write(d *details) {
	s.test(d.obj)
	s.log = append(s.log, d)
}

func both(s *server, o object) {
	d := &details{obj: o} // : needs an owner; The memory leaves both: it is passed to (*p.server).write, where it is stored in an element of field server.log.
	s.write(d)
}

func (s *server) look(d *details) { s.test(d.obj) }

func only(s *server, o object) {
	d := &details{obj: o} // : could stay on the stack; It does not leave only
	s.look(d)
}

func chained(s *server, o object) {
	d := &details{obj: o} // : needs an owner; The memory may leave chained: it is stored in an element of field server.log.
	d.next = d
	s.log = append(s.log, d.next)
}

type packet struct {
	payload []byte
	header  [64]byte
	topics  []string
}

func (p packet) copied() packet { return p }

func send(out chan *packet, p packet) (packet, bool) {
	own := p.copied() // : needs an owner; The memory leaves send: it is sent on a channel.
	select {
	case out <- &own:
	default:
		return own, false
	}
	return own, true
}
`, nil)
}
