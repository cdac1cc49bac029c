package advise

import (
	"strings"
	"testing"
)

// TestReasonsOfApart has functions that return structs to callers that would be done with them, if nothing led back to the structs.
func TestReasonsOfApart(t *testing.T) {
	const (
		needs = "needs an owner; The memory "
		only  = "pool it; "
	)
	r := judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, `package p

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
)

type large struct {
	values [80]int
	self   *large
	all    []*large
	part   []int
	at     *int
	any    any
	f      func() int
	names  map[string]*large
	sub    *node
	r      *bufio.Reader
}

type node struct{ of *large }

func (l *large) sum() int { return l.values[0] + l.values[1] }

func newSelf() *large {
	l := &large{} // : `+needs+`
	l.self = l
	return l
}

func Self() *large {
	l := newSelf()
	return l.self
}

func newWhole() *large {
	l := &large{} // : `+needs+`
	*l = large{self: l}
	return l
}

func Whole() *large {
	l := newWhole()
	return l.self
}

func newLater() *large { return new(large) } // : `+needs+`

func (l *large) link() { l.self = l }

func Later() *large {
	l := newLater()
	l.link()
	return l.self
}

type linker interface{ link() }

func newFaced() *large { return new(large) } // : `+needs+`

func linkAll(l linker) { l.link() }

func Faced() *large {
	l := newFaced()
	linkAll(l)
	return l.self
}

type box struct{ l *large }

func (b *box) link() {
	l := b.l
	l.self = l
}

func newBoxed() *large { return new(large) } // : `+needs+`

func Boxed() *large {
	l := newBoxed()
	b := &box{l}
	b.link()
	return l.self
}

type shelf struct{ l, other *large }

func (s *shelf) copy() { s.other = s.l }

func newShelved() *large { return new(large) } // : `+needs+`

func Shelved() *large {
	l := newShelved()
	s := &shelf{l: l}
	s.copy()
	return s.other
}

func newAddress() *large {
	l := &large{} // : `+needs+`
	l.at = &l.values[3]
	return l
}

func Address() *int {
	l := newAddress()
	return l.at
}

func newPart() *large {
	l := &large{} // : `+needs+`
	l.part = l.values[:0]
	return l
}

func Part() []int {
	l := newPart()
	return append(l.part, 1)
}

func newCaptured() *large {
	l := &large{} // : `+needs+`
	l.f = func() int { return l.values[2] }
	return l
}

func Captured() func() int {
	l := newCaptured()
	return l.f
}

func newLiteral() *large {
	l := &large{} // : `+needs+`
	l.f = func() int { kept = l; return 1 }
	return l
}

func Literal() int {
	l := newLiteral()
	return l.f()
}

func newGiven() *large {
	l := &large{} // : `+needs+`
	l.f = func() int { return l.values[2] }
	return l
}

var later func() int

func keep(f func() int) { later = f }

func Given() {
	l := newGiven()
	keep(l.f)
}

func newCopied() *large {
	l := &large{} // : `+needs+`
	l.f = func() int { return l.values[2] }
	return l
}

func Copied() large {
	l := newCopied()
	return *l
}

type getter struct {
	values [80]int
	get    func() *getter
}

func newGetter() *getter {
	g := &getter{} // : `+needs+`
	g.get = func() *getter { return g }
	return g
}

func Getter() *getter {
	g := newGetter()
	return g.get()
}

type shared struct {
	values [80]int
	list   []func() int
	any    any
}

func newShared() *shared {
	s := &shared{} // : `+needs+`
	s.list = append(s.list, func() int { return s.values[1] })
	return s
}

func Shared() []func() int {
	s := newShared()
	return s.list
}

func newAnyOf() *shared {
	s := &shared{} // : `+needs+`
	s.any = func() int { return s.values[1] }
	return s
}

func AnyOf() any {
	s := newAnyOf()
	return s.any
}

func newOnward() *large { return new(large) } // : `+needs+`

func Onward(other *large) int {
	l := newOnward()
	other.f = func() int { return l.values[1] }
	return other.f()
}

func newVarious() *large { return new(large) } // : `+needs+`

func Various() *large {
	l := newVarious()
	var s summer = l
	func() { kept = s.(*large) }()
	func() { l.self = l }()
	return l.self
}

func newWithin() *large { return new(large) } // : `+needs+`

func Within() {
	l := newWithin()
	var s summer = l
	func() { kept = s.(*large) }()
}

func newThere() *large { return new(large) } // : `+needs+`

func There() *large {
	l := newThere()
	func() { func() { l.self = l }() }()
	return l.self
}

func newSet(other *large) *large { return new(large) } // : `+needs+`

func Set(other *large) *large {
	l := newSet(other)
	func() { other.self = l }()
	return other
}

func newMethod() *large {
	l := &large{} // : `+needs+`
	l.f = l.sum
	return l
}

func Method() func() int {
	l := newMethod()
	return l.f
}

func newStarted() *large {
	l := &large{} // : `+needs+`
	go l.sum()
	return l
}

func Started() int { return newStarted().sum() }

func newBack() *large {
	l := &large{} // : `+needs+`
	l.sub = &node{l}
	return l
}

func Back() *node {
	l := newBack()
	return l.sub
}

func newListed() *large {
	l := &large{} // : `+needs+`
	l.all = append(l.all, l)
	return l
}

func Listed() []*large {
	l := newListed()
	return l.all
}

func newNamed() *large {
	l := &large{names: map[string]*large{}} // large: `+needs+`
	l.names["l"] = l
	return l
}

func Named() map[string]*large {
	l := newNamed()
	return l.names
}

type pointing struct {
	values [80]int
	shared atomic.Pointer[pointing]
}

func newAtomic() *pointing {
	p := &pointing{} // : `+needs+`
	p.shared.Store(p)
	return p
}

func Atomic() *pointing {
	p := newAtomic()
	return p.shared.Load()
}

func newAny() *large {
	l := &large{} // : `+needs+`
	l.any = l
	return l
}

func Any() any {
	l := newAny()
	return l.any
}

func (l *large) Read(p []byte) (int, error) { return copy(p, "text"), nil }

func newBuffered() *large {
	l := &large{} // large: `+needs+`
	l.r = bufio.NewReader(l)
	return l
}

func Buffered() *bufio.Reader {
	l := newBuffered()
	return l.r
}

func newRefilled() *large {
	l := &large{r: bufio.NewReader(nil)} // large: `+needs+`
	l.r.Reset(l)
	return l
}

func Refilled() *bufio.Reader {
	l := newRefilled()
	return l.r
}

type failure struct {
	values [80]int
	cause  error
}

func (f *failure) Error() string { return "failure" }

func newFailure() *failure { return new(failure) } // : `+needs+`

func Failure() error {
	f := newFailure()
	return fmt.Errorf("it fails: %w", f)
}

func newCause() *failure { return new(failure) } // : `+needs+`

func Cause() error {
	f := newCause()
	f.cause = fmt.Errorf("it fails: %w", f)
	return f.cause
}

type sorted struct {
	values [80]int
	last   *sorted
}

func (s *sorted) Len() int           { return len(s.values) }
func (s *sorted) Swap(i, j int)      { s.values[i], s.values[j] = s.values[j], s.values[i] }
func (s *sorted) Less(i, j int) bool { s.last = s; return s.values[i] < s.values[j] }

func newSorted() *sorted { return new(sorted) } // : `+needs+`

func Sorted() *sorted {
	s := newSorted()
	sort.Sort(s)
	return s.last
}

type printed struct {
	values [80]int
	last   *printed
}

func (p *printed) String() string { p.last = p; return "" }

func newPrinted() *printed { return new(printed) } // : `+needs+`

func Printed() *printed {
	p := newPrinted()
	fmt.Println(p)
	return p.last
}

func newRow() *printed { return new(printed) } // : `+needs+`

func Row(w io.Writer) *printed {
	p := newRow()
	fmt.Fprintln(w, []*printed{p})
	return p.last
}

type decoded struct {
	values [80]int
	last   *decoded
}

func (d *decoded) UnmarshalJSON(b []byte) error { d.last = d; return nil }

func newDecoded() *decoded { return new(decoded) } // : `+needs+`

func Decoded(b []byte) *decoded {
	d := newDecoded()
	json.Unmarshal(b, d)
	return d.last
}

func newEither(other *large, ok bool) *large {
	l := &large{} // : `+needs+`
	last := other
	if ok {
		last = l
	}
	last.self = last
	return l
}

func Either(other *large, ok bool) *large {
	l := newEither(other, ok)
	return l.self
}

func newYielded() *large { return new(large) } // : `+needs+`

func (l *large) each() iter.Seq[*int] {
	return func(yield func(*int) bool) {
		for i := range l.values {
			if !yield(&l.values[i]) {
				return
			}
		}
	}
}

func Yielded() (last *int) {
	l := newYielded()
	for at := range l.each() {
		last = at
	}
	return last
}

func newInner() *large { return new(large) } // : `+needs+`

func Inner() *int {
	l := newInner()
	return &l.values[1]
}

func newSlice() *large { return new(large) } // : `+needs+`

func Slice() []int {
	l := newSlice()
	return l.values[1:]
}

var kept *large

func newKept() *large { return new(large) } // : `+needs+`

func Kept() int {
	kept = newKept()
	return kept.sum()
}

func newSome() *large { return new(large) } // : `+needs+`

func Done() int { return newSome().sum() }

func Some() { kept = newSome() }

func newServed() *large { return new(large) } // : `+needs+`

func (l *large) Header() http.Header         { l.self = l; return nil }
func (l *large) Write(p []byte) (int, error) { return len(p), nil }
func (l *large) WriteHeader(int)             {}

func Served(h http.Handler, r *http.Request) *large {
	l := newServed()
	h.ServeHTTP(l, r)
	return l.self
}

type response struct {
	values [80]int
	self   *response
}

func (r *response) Header() http.Header         { r.self = r; return nil }
func (r *response) Write(p []byte) (int, error) { return len(p), nil }
func (r *response) WriteHeader(int)             {}

func Serves(h http.Handler, r *http.Request) *response {
	w := &response{} // : `+needs+`
	h.ServeHTTP(w, r)
	return w.self
}

func newDeferred() *large { return new(large) } // : `+needs+`

func Deferred() (n int) {
	var l *large
	defer func() { n += l.values[2] }()
	l = newDeferred()
	return l.sum()
}

func newValue() *large { return new(large) } // : `+needs+`

func Value(set func(func() *large)) int {
	set(newValue)
	l := newValue()
	return l.sum()
}

func NewExported() *large { return new(large) } // : `+needs+`

func Exported() int {
	l := NewExported()
	return l.sum()
}

func newFace() summer { return new(large) } // : `+needs+`

type summer interface{ sum() int }

func Face() int { return newFace().sum() }

func newTyped() *large {
	return new(large) // : `+only+`
}

func Typed() int {
	var s summer = newTyped()
	return s.sum()
}

func newNil(n int) *large {
	if n == 0 {
		return nil
	}
	return new(large) // : `+only+`
}

func Nil(n int) (sum int) {
	for i := range n {
		l := newNil(i)
		sum += l.sum()
	}
	return sum
}

func newVariable() *large {
	var l large // : `+only+`
	l.values[0] = 1
	return &l
}

func Variable() int {
	l := newVariable()
	return l.sum()
}

type locked struct {
	sync.Mutex
	values [80]int
}

func newLocked() *locked {
	return new(locked) // : `+only+`
}

func Locked() int {
	l := newLocked()
	return l.values[1]
}

func newSecond(n int) int { return n + kept.values[0] }

func newOrdered() *large {
	return new(large) // : `+only+`
}

func Ordered(n int) int { return newSecond(n) + newOrdered().sum() }

func newRound() *large { return new(large) } // : `+needs+`

func Round(n int) (sum int) {
	var last *large
	for range n {
		l := newRound()
		if last != nil {
			sum += last.sum()
		}
		last = l
	}
	return sum
}
`, func(i int, s *synthetic) { s.std = ""; s.objects, s.bytes = s.bytes/1024, s.bytes/1024*1024 })
	for function, why := range map[string]string{
		"newTyped":    "its caller p.Typed cannot put it: its variable is of another type.",
		"newNil":      "its caller p.Nil cannot put it: it calls in a loop, and may get nil.",
		"newVariable": "it is the variable of a struct: make it by new, and set it by its address.",
		"newLocked":   "it has a lock, which must not be set to another value.",
		"newOrdered":  "its caller p.Ordered cannot put it: it is a part of a larger expression, which may not evaluate it, or not first: give it a variable.",
	} {
		for _, s := range r.Sites {
			if s.short() == function && !strings.HasSuffix(s.Reason, " There is no patch: "+why) {
				t.Errorf("%s: %s, want %s", function, s.Reason, why)
			}
		}
	}
}
