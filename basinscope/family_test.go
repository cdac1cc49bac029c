//go:build go1.25

package basinscope_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestChildren: the memory of a family goes back when its last member ends.
func TestChildren(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	var ends []string
	s := &basinscope.Scope{Pool: p}
	s.Defer(func() { ends = append(ends, "before the child") })
	a := s.Append(nil, []byte("parent")...)
	c := s.Child()
	s.Defer(func() { ends = append(ends, "parent") })
	c.Defer(func() { ends = append(ends, "child") })
	b := c.Append(nil, []byte("child")...)
	x := basinscope.New[tree](c)
	x.name = "value"
	g := c.Child()
	d := g.Append(nil, []byte("grandchild")...)
	c.End()
	s.End()
	if r := panicOf(func() { s.Get(1) }); r != ended {
		t.Errorf("parent after its end: %v", r)
	}
	if r := panicOf(func() { c.Get(1) }); r != ended {
		t.Errorf("child after its end: %v", r)
	}
	g.Get(100_000)
	if string(a)+string(b)+string(d)+x.name != "parentchildgrandchildvalue" || len(ends) != 0 || p.Stats().Items.InUse == 0 {
		t.Errorf("%s %s %s %s, %v before the last end", a, b, d, x.name, ends)
	}
	g.End()
	if fmt.Sprint(ends) != "[child parent before the child]" {
		t.Errorf("ends: %q", ends)
	}
	if n := p.Stats().Items.InUse; n != 0 {
		t.Errorf("%d slices are still in use", n)
	}
	g.End()
	s.End()
	c.End()
	if len(ends) != 3 {
		t.Errorf("ends: %q", ends)
	}
}

// TestPanicOfChild: functions of a family run once, whoever ends last, and however.
func TestPanicOfChild(t *testing.T) {
	for how, leave := range map[string]func(){
		"return": func() {},
		"Goexit": runtime.Goexit,
		"panic":  func() { panic("child") },
	} {
		var called atomic.Int32
		p := &basin.BytePool{Name: t.Name()}
		var all sync.WaitGroup
		func() {
			defer func() { recover() }()
			var s basinscope.Scope
			s.Pool = p
			defer s.End()
			s.Defer(func() { called.Add(1) })
			for range 4 {
				c := s.Child()
				all.Go(func() {
					defer func() { recover() }()
					defer c.End()
					c.Defer(func() { called.Add(1) })
					c.Get(5000)
					leave()
				})
			}
			panic("parent")
		}()
		all.Wait()
		if n := called.Load(); n != 5 {
			t.Errorf("%s: %d functions called, want 5", how, n)
		}
		if n := p.Stats().Items.InUse; n != 0 {
			t.Errorf("%s: %d slices are still in use", how, n)
		}
	}
}

// An owner takes memory from scopes and knows what it must contain.
type owner struct {
	stamp   byte
	parts   [][]byte
	strings []string
	values  []*stamped
	lists   [][]*stamped
}

type stamped struct {
	stamp byte
	next  *stamped
	text  string
	_     [3]int
}

// take takes memory from s.
func (o *owner) take(t *testing.T, s *basinscope.Scope, r *rand.Rand) {
	switch r.IntN(6) {
	case 0, 1:
		n := int(r.ExpFloat64() * 300)
		if r.IntN(50) == 0 {
			n *= 100
		}
		b := s.Get(n)
		o.fill(b)
		o.parts = append(o.parts, b)
	case 2:
		if len(o.parts) == 0 {
			return
		}
		i := len(o.parts) - 1 - r.IntN(min(2, len(o.parts)))
		more := bytes.Repeat([]byte{o.stamp}, r.IntN(200))
		if r.IntN(2) == 0 {
			more = o.parts[r.IntN(len(o.parts))]
		}
		o.parts[i] = s.Append(o.parts[i], more...)
	case 3:
		o.strings = append(o.strings, s.String(bytes.Repeat([]byte{o.stamp}, r.IntN(300))))
	case 4:
		v := basinscope.New[stamped](s)
		if *v != (stamped{}) {
			t.Errorf("a value of %d is not zero: %v", o.stamp, *v)
		}
		v.stamp = o.stamp
		v.text = string([]byte{o.stamp, o.stamp})
		if n := len(o.values); n > 0 {
			v.next = o.values[n-1]
		}
		o.values = append(o.values, v)
	case 5:
		l := basinscope.Slice[*stamped](s, r.IntN(200)*r.IntN(10))
		for i := range l {
			if l[i] != nil {
				t.Errorf("a slice of %d is not zero", o.stamp)
			}
			if len(o.values) > 0 {
				l[i] = o.values[r.IntN(len(o.values))]
			}
		}
		o.lists = append(o.lists, l)
	}
}

func (o *owner) fill(b []byte) {
	for i := range b {
		b[i] = o.stamp
	}
}

// verify reports memory with the stamp of another.
func (o *owner) verify(t *testing.T) {
	for _, b := range o.parts {
		if bytes.Count(b, []byte{o.stamp}) != len(b) {
			t.Errorf("%d bytes of %d have another owner", len(b), o.stamp)
			return
		}
	}
	for _, s := range o.strings {
		if bytes.Count([]byte(s), []byte{o.stamp}) != len(s) {
			t.Errorf("a string of %d has another owner", o.stamp)
			return
		}
	}
	for i, v := range o.values {
		if v.stamp != o.stamp || v.text[0] != o.stamp || i > 0 && v.next != o.values[i-1] {
			t.Errorf("a value of %d has another owner", o.stamp)
			return
		}
	}
	for _, l := range o.lists {
		for _, v := range l {
			if v != nil && v.stamp != o.stamp {
				t.Errorf("a slice of %d has another owner", o.stamp)
				return
			}
		}
	}
}

// TestOwnership has scopes with children in many goroutines, which panic and exit, while the collector
// runs. Each owner would see the stamps of others if memory had two owners, before its End and in
// functions of Defer.
func TestOwnership(t *testing.T) {
	rounds := 20
	if testing.Short() || pooltest.FullChecks {
		rounds = 8
	}
	if pooltest.Long() {
		rounds = 300 // each collects, and collections wait for one another: ten times as many took 20 minutes beside other work
	}
	pools := []*basin.BytePool{nil, {Name: t.Name()}, {Name: t.Name() + ", small", MaxSize: 1000}, {Name: t.Name() + ", ceiling", MaxInUse: 40 << 10}}
	var stamps atomic.Uint32
	var life func(s *basinscope.Scope, seed uint64, depth int)
	life = func(s *basinscope.Scope, seed uint64, depth int) {
		r := rand.New(rand.NewPCG(seed, uint64(depth)))
		o := &owner{stamp: byte(stamps.Add(1)%255 + 1)}
		var children sync.WaitGroup
		defer s.End()
		s.Defer(func() { o.verify(t) })
		for range r.IntN(200) {
			o.take(t, s, r)
			if depth < 3 && r.IntN(40) == 0 {
				c, seed := s.Child(), r.Uint64()
				children.Go(func() { life(c, seed, depth+1) })
			}
			if r.IntN(500) == 0 {
				runtime.GC()
			}
		}
		o.verify(t)
		switch r.IntN(4) {
		case 0:
			children.Wait()
		case 1:
			runtime.Goexit()
		case 2:
			defer func() { recover() }()
			panic("x")
		}
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for n := range rounds {
				var one sync.WaitGroup
				s := &basinscope.Scope{Pool: pools[(g+n)%len(pools)], Fresh: n%5 == 4}
				one.Go(func() { life(s, uint64(g*100_000+n), 0) })
				one.Wait()
			}
		})
	}
	done := make(chan bool)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
				runtime.Gosched()
			}
		}
	}()
	all.Wait()
	close(done)
}

// FuzzScope compares scopes with plain allocation: a program of calls has the same results.
func FuzzScope(f *testing.F) {
	f.Add([]byte("a program of calls, with numbers"))
	f.Add([]byte{0, 255, 1, 255, 2, 255, 3, 255, 4, 255, 5, 255, 6, 255, 7, 255, 8})
	f.Fuzz(func(t *testing.T, program []byte) {
		scopes := []*basinscope.Scope{{}, {Fresh: true}}
		type pair struct{ got, want []byte }
		type value struct{ got, want *stamped }
		type list struct{ got, want []*stamped }
		var slices []pair
		var texts, plain []string
		var values []value
		var lists []list
		for steps := 0; len(program) >= 3 && steps < 1000; steps++ {
			op, a, b := program[0], int(program[1]), int(program[2])
			program = program[3:]
			s := scopes[a%len(scopes)]
			switch op % 8 {
			case 0:
				n := a * b / 3
				got, want := s.Get(n), make([]byte, n)
				for i := range n {
					got[i], want[i] = byte(i+a), byte(i+a)
				}
				slices = append(slices, pair{got, want})
			case 1:
				if len(slices) == 0 {
					continue
				}
				p := &slices[max(0, len(slices)-1-a%3)]
				from := slices[b%len(slices)]
				if len(p.got)+len(from.got) > 100_000 {
					continue // a slice can double with each step
				}
				cut := min(a, len(p.got))
				p.got = s.Append(p.got[:len(p.got)-cut:len(p.got)-cut], from.got...)
				p.want = append(p.want[:len(p.want)-cut:len(p.want)-cut], from.want...)
			case 2:
				if len(slices) > 0 {
					texts = append(texts, s.String(slices[b%len(slices)].got))
					plain = append(plain, string(slices[b%len(slices)].want))
				}
			case 3:
				got, want := basinscope.New[stamped](s), new(stamped)
				got.stamp, want.stamp = byte(b), byte(b)
				if len(values) > 0 {
					got.next, want.next = values[a%len(values)].got, values[a%len(values)].want
				}
				values = append(values, value{got, want})
			case 4:
				l := list{basinscope.Slice[*stamped](s, a*b/7), make([]*stamped, a*b/7)}
				for i := range l.got {
					if l.got[i] != nil {
						t.Fatal("not zero")
					}
					if len(values) > 0 {
						l.got[i], l.want[i] = values[i%len(values)].got, values[i%len(values)].want
					}
				}
				lists = append(lists, l)
			case 5:
				if len(scopes) < 8 {
					scopes = append(scopes, s.Child())
				}
			case 6:
				if err := s.Room(a * b); err != nil {
					t.Fatal(err)
				}
			case 7:
				if len(slices) > 0 { // a built-in append must not reach into other slices
					p := &slices[b%len(slices)]
					p.got, p.want = append(p.got, byte(a)), append(p.want, byte(a))
				}
			}
		}
		for i, p := range slices {
			if !bytes.Equal(p.got, p.want) {
				t.Fatalf("slice %d differs", i)
			}
		}
		for i := range texts {
			if texts[i] != plain[i] {
				t.Fatalf("string %d differs", i)
			}
		}
		for i, v := range values {
			for got, want := v.got, v.want; got != nil || want != nil; got, want = got.next, want.next {
				if got.stamp != want.stamp {
					t.Fatalf("value %d differs", i)
				}
			}
		}
		for i, l := range lists {
			for j := range l.got {
				if (l.got[j] == nil) != (l.want[j] == nil) || l.got[j] != nil && l.got[j].stamp != l.want[j].stamp {
					t.Fatalf("list %d differs", i)
				}
			}
		}
		for _, s := range scopes {
			s.End()
		}
	})
}
