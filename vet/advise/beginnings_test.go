package advise

import "testing"

// TestBeginnings has structs whose slice grows, of which others get some, too: those of most stacks of the profile decide.
func TestBeginnings(t *testing.T) {
	needGo(t)
	const program = `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

type encoder struct {
	buf   []byte
	depth int
}

func newEncoder(depth int) *encoder { return &encoder{depth: depth} }

func (e *encoder) add(s string) { e.buf = append(e.buf, s...) }

type session struct {
	e    encoder
	last *encoder
}

//go:noinline
func encode(n int) int {
	e := newEncoder(n)
	for range n {
		e.add("a text of some length")
	}
	return len(e.buf)
}

func (s *session) start(n int) {
	s.last = newEncoder(n)
	s.last.add("x")
	s.e.add("x")
}

type list struct{ all []int }

func newList() *list { return &list{} }

func (l *list) add(n int) { l.all = append(l.all, n) }

//go:noinline
func sum(n int) int {
	l := newList()
	l.add(n)
	return len(l.all)
}

var kept *list

//go:noinline
func keep(n int) {
	kept = newList()
	for i := range n {
		kept.add(i)
	}
}

func main() {
	runtime.MemProfileRate = 1
	s := new(session)
	for _, name := range os.Args[1:] {
		for range 300 {
			encode(200)
			s.start(1)
			sum(1)
			keep(2000)
		}
		runtime.GC()
		f, _ := os.Create(name)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
		time.Sleep(time.Second)
	}
}
`
	r := profiled(t, map[string]string{"main.go": program})
	checkSites(t, r, "(*encoder).add", "pool it; It is scratch of encoder, which does not leave main.encode: encoder.buf can begin with memory of a pool there.\n")
	checkSites(t, r, "(*list).add", "needs an owner; ")
}
