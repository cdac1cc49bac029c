package advise

import (
	"strings"
	"testing"
)

// lentText is the reason of memory that belongs to a value from a pool, and missText that of memory that a pool lacked.
func lentText(pool string) string {
	return "do not pool; It belongs to a value from a pool, " + pool + ": it is made or grows here if the pool has no value, or none so large.$"
}

func missText(pool string) string {
	return "do not pool; It is pooled already, by " + pool + "; these are the Gets that its pool cannot serve.$"
}

// TestReasonsOfFreeLists has memory of lists whose names say that they are pools. Stacks of the same form have other names.
func TestReasonsOfFreeLists(t *testing.T) {
	judged(t, `package p

type node struct {
	b    []byte
	next *node
}

type list struct {
	free   []*node
	unread []*node
	spare  *node
	first  *node
	bufs   chan []byte
}

func (l *list) get(n int) *node {
	var x *node
	if n := len(l.free); n > 0 {
		x = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		x = new(node) // : `+missText("list.free (p.go:9)")+`
	}
	x.b = append(x.b[:0], make([]byte, n)...) // : `+lentText("list.free (p.go:9)")+`
	return x
}

func (l *list) last() *node {
	i := len(l.free) - 1
	if i < 0 {
		return &node{b: make([]byte, 4096)} // : `+missText("list.free (p.go:9)")+`
	}
	x := l.free[i]
	l.free = l.free[:i]
	return x
}

func (l *list) peek() *node {
	if len(l.free) == 0 {
		return new(node) // : needs an owner
	}
	return l.free[0]
}

func (l *list) full() *node {
	if len(l.free) > 0 {
		x := new(node) // : needs an owner
		l.free = l.free[1:]
		return x
	}
	return nil
}

func (l *list) other(keep func([]int)) *node {
	if len(l.free) == 0 {
		keep(make([]int, 1000)) // : needs an owner
		return nil
	}
	x := l.free[0]
	l.free = l.free[1:]
	return x
}

func (l *list) read() *node {
	if n := len(l.unread); n > 0 {
		x := l.unread[n-1]
		l.unread = l.unread[:n-1]
		return x
	}
	return new(node) // : needs an owner
}

func (l *list) linked() *node {
	if x := l.spare; x != nil {
		l.spare = x.next
		return x
	}
	return new(node) // : `+missText("list.spare (p.go:11)")+`
}

func (l *list) queued() *node {
	if x := l.first; x != nil {
		l.first = x.next
		return x
	}
	return new(node) // : needs an owner
}

func (l *list) fits(n int) []byte {
	for i, x := range l.free {
		if cap(x.b) >= n {
			l.free = append(l.free[:i], l.free[i+1:]...)
			return x.b
		}
	}
	return make([]byte, n) // : needs an owner
}

var freeBuffers = make(chan []byte, 16)

func buffer(n int) []byte {
	select {
	case b := <-freeBuffers:
		return b
	default:
		return make([]byte, n) // : `+missText("freeBuffers (p.go:99)")+`
	}
}

func line(s string, f func([]byte)) {
	b := append(buffer(100)[:0], s...) // : `+lentText("freeBuffers (p.go:99)")+`
	f(b)
}

func sent(in chan []byte, s string, f func([]byte)) {
	var b []byte
	select {
	case b = <-in:
	default:
		return
	}
	f(append(b[:0], s...)) // : needs an owner
}
`, nil)
}

// TestReasonsOfWrappers has pools behind methods, functions, interfaces and type parameters.
func TestReasonsOfWrappers(t *testing.T) {
	judged(t, `package p

import (
	"bytes"
	"io"
	"sync"
)

type bufferPool struct{ p sync.Pool }

func (p *bufferPool) Get() *bytes.Buffer {
	b, _ := p.p.Get().(*bytes.Buffer)
	if b == nil {
		b = bytes.NewBuffer(make([]byte, 0, 4096)) // : `+missText("bufferPool.p (p.go:9)")+`
	}
	return b
}

func (p *bufferPool) Put(b *bytes.Buffer) { p.p.Put(b) }

var small, large bufferPool

func one() *bytes.Buffer   { return large.Get() }
func two() *bytes.Buffer   { return one() }
func three() *bytes.Buffer { return two() }

func copied(r io.Reader, f func([]byte)) {
	b := three()
	b.ReadFrom(r) // bytes.(*Buffer).ReadFrom, bytes.(*Buffer).grow, bytes.growSlice: `+lentText("large (p.go:21)")+`
	f(b.Bytes())
	large.Put(b)
}

func either(r io.Reader, is bool, f func([]byte)) {
	b := small.Get()
	if is {
		b = large.Get()
	}
	b.ReadFrom(r) // bytes.(*Buffer).ReadFrom, bytes.(*Buffer).grow, bytes.growSlice: do not pool; It belongs to a value from a pool: it
	f(b.Bytes())
}

type typed[T any] struct{ p sync.Pool }

func (p *typed[T]) Get() *T {
	if x, ok := p.p.Get().(*T); ok {
		return x
	}
	return new(T) // : `+missText("typed.p (p.go:43)")+`
}

func (p *typed[T]) Put(x *T) { p.p.Put(x) }

type page struct{ b []byte }

var pages typed[page]

func paged(s string, f func([]byte)) {
	x := pages.Get()
	x.b = append(x.b[:0], s...) // : `+lentText("pages (p.go:56)")+`
	f(x.b)
	pages.Put(x)
}

type pool interface {
	Get() *page
	Put(*page)
}

type queue interface {
	Get() *page
	Put(*page)
}

type lender interface {
	Acquire() *page
	Release(*page)
}

type server struct {
	pages pool
	jobs  queue
	lent  lender
}

func (s *server) pooled(t string) {
	x := s.pages.Get()
	x.b = append(x.b[:0], t...) // : `+lentText("server.pages (p.go:81)")+`
	s.pages.Put(x)
}

func (s *server) queued(t string) {
	x := s.jobs.Get()
	x.b = append(x.b[:0], t...) // : needs an owner
	s.jobs.Put(x)
}

func (s *server) acquired(t string) {
	x := s.lent.Acquire()
	x.b = append(x.b[:0], t...) // : `+lentText("server.lent (p.go:83)")+`
	s.lent.Release(x)
}

func again(n int) *page {
	if n == 0 {
		return again(n + 1)
	}
	return again(n - 1)
}

func endless(t string) {
	x := again(3)
	x.b = append(x.b[:0], t...) // : needs an owner
}
`, nil)
}

// TestReasonsOfNews has Writers that the New of one pool makes, beside a pool of the same type.
func TestReasonsOfNews(t *testing.T) {
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"bufio"
	"io"
	"sync"
)

var small = sync.Pool{New: func() any {
	return bufio.NewWriterSize(nil, 4096) // bufio.NewWriterSize: `+missText("small (p.go:9)")+`
}}

var large = sync.Pool{New: func() any {
	return bufio.NewWriterSize(nil, 65536) // bufio.NewWriterSize: `+missText("large (p.go:13)")+`
}}

var named = sync.Pool{New: newWriter}

func newWriter() any {
	return bufio.NewWriterSize(nil, 16384) // bufio.NewWriterSize: `+missText("named (p.go:17)")+`
}

var one, other = sync.Pool{New: newShared}, sync.Pool{New: newShared}

func newShared() any {
	return bufio.NewWriterSize(nil, 8192) // bufio.NewWriterSize: `+missText("one (p.go:23) or other (p.go:23)")+`
}

func write(w io.Writer, s string, which int) {
	pool := &small
	if which > 0 {
		pool = &large
	}
	b := pool.Get().(*bufio.Writer)
	b.Reset(w)
	b.WriteString(s)
	b.Flush()
	pool.Put(b)
	named.Put(named.Get())
	one.Put(one.Get())
	other.Put(other.Get())
}
`, func(i int, s *synthetic) {
		s.name = strings.Replace(s.name, ".init", ".init.func"+string(rune('1'+i)), 1)
	})
	found := false
	for _, p := range r.Pools {
		found = found || p.Name == "named of a.example/p" && p.Verdict == PoolMisses
	}
	if !found {
		t.Errorf("%+v", r.Pools)
	}
}

// TestReasonsOfPooledTypes has types whose values all come from a pool, into which their method Close puts them. Others have
// values besides these, or set the memory to nil before.
func TestReasonsOfPooledTypes(t *testing.T) {
	judged(t, `package p

import (
	"io"
	"sync"
)

type Decoder interface {
	Decode(b []byte) []byte
	io.Closer
}

var (
	decoders  = sync.Pool{New: func() any { return new(decoder) }}
	freed     = sync.Pool{New: func() any { return new(freeing) }}
	sometimes = sync.Pool{New: func() any { return new(partly) }}
	elements  = sync.Pool{New: func() any { return new(element) }}
	unputs    = sync.Pool{New: func() any { return new(unput) }}
)

type decoder struct{ out []byte }

func NewDecoder() Decoder { return decoders.Get().(*decoder) }

func (d *decoder) Decode(b []byte) []byte {
	d.out = append(d.out[:0], b...) // : `+lentText("decoders (p.go:14)")+`
	return d.out
}

func (d *decoder) Close() error {
	decoders.Put(d)
	return nil
}

type freeing struct{ out []byte }

func NewFreeing() Decoder { return freed.Get().(*freeing) }

func (d *freeing) Decode(b []byte) []byte {
	d.out = append(d.out[:0], b...) // : needs an owner
	return d.out
}

func (d *freeing) Close() error {
	d.out = nil
	freed.Put(d)
	return nil
}

type partly struct{ out []byte }

func NewPartly(own bool) Decoder {
	if own {
		return new(partly)
	}
	return sometimes.Get().(*partly)
}

func (d *partly) Decode(b []byte) []byte {
	d.out = append(d.out[:0], b...) // : needs an owner
	return d.out
}

func (d *partly) Close() error {
	sometimes.Put(d)
	return nil
}

type element struct{ out []byte }

type several struct{ all [4]element }

func NewElement(s *several) Decoder {
	if s != nil {
		return &s.all[0]
	}
	return elements.Get().(*element)
}

func (d *element) Decode(b []byte) []byte {
	d.out = append(d.out[:0], b...) // : needs an owner
	return d.out
}

func (d *element) Close() error {
	elements.Put(d)
	return nil
}

type unput struct{ out []byte }

func NewUnput() Decoder { return unputs.Get().(*unput) }

func (d *unput) Decode(b []byte) []byte {
	d.out = append(d.out[:0], b...) // : needs an owner
	return d.out
}

func (d *unput) Close() error { return nil }

var slabs = sync.Pool{New: func() any { return new(slab) }}

type slab struct{ room []byte }

func (s *slab) Decode(b []byte) []byte {
	if cap(s.room) < len(b) {
		s.room = make([]byte, 1<<16) // : needs an owner; The memory leaves (*slab).Decode: it is stored in field slab.room.
	}
	out := s.room[:len(b)]
	s.room = s.room[len(b):]
	copy(out, b)
	return out
}

func NewSlab() Decoder { return slabs.Get().(*slab) }

func (s *slab) Close() error {
	slabs.Put(s)
	return nil
}
`, nil)
}
