// Package corpus has structs that functions return to callers that are done with them.
package corpus

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

type tree struct {
	kind string
	all  []*tree
}

type parser struct {
	text  string
	at    int
	stack []*tree
	cache [64]string
	err   error
}

func newParser(text string) *parser {
	p := &parser{text: text} // want pool it; patch; 1152
	p.skip()
	return p
}

func (p *parser) skip() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) parse() (*tree, error) {
	t := &tree{kind: "list"}
	p.stack = append(p.stack, t)
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '(':
			inner := &tree{kind: "list"}
			t.all = append(t.all, inner)
			p.stack = append(p.stack, inner)
			t = inner
		case c == ')' && len(p.stack) > 1:
			p.stack = p.stack[:len(p.stack)-1]
			t = p.stack[len(p.stack)-1]
		case c == ')':
			p.err = fmt.Errorf("unexpected ) at %d", p.at)
			return nil, p.err
		default:
			p.cache[c%64] = string(c)
			t.all = append(t.all, &tree{kind: p.cache[c%64]})
		}
	}
	return p.stack[0], p.err
}

// Parse returns what fields of the struct lead to.
func Parse(text string) (*tree, error) {
	p := newParser(text)
	return p.parse()
}

// Stack returns a slice that a field has.
func Stack(text string) []*tree {
	p := newParser(text)
	if _, err := p.parse(); err != nil {
		return nil
	}
	return p.stack
}

// First calls a method at once.
func First(text string) string {
	t, err := newParser(text).parse()
	if err != nil || len(t.all) == 0 {
		return ""
	}
	return t.all[0].kind
}

// Count calls in a loop.
func Count(texts []string) (n int) {
	for _, text := range texts {
		p := newParser(text)
		p.parse()
		n += len(p.stack)
	}
	return n
}

// Drop does not use it.
func Drop(text string) {
	_ = newParser(text)
}

type decoder struct {
	r     io.Reader
	head  [512]byte
	n     int
	names []string
}

var errShort = errors.New("short")

func newDecoder(r io.Reader) (*decoder, error) {
	d := &decoder{r: r} // want pool it; patch; 576
	if _, err := io.ReadFull(r, d.head[:4]); err != nil {
		return nil, err
	}
	if d.head[0] == '!' {
		return nil, fmt.Errorf("a head of %q", string(d.head[:4]))
	}
	d.n, _ = strconv.Atoi(string(d.head[:4]))
	return d, nil
}

func (d *decoder) next() (string, bool) {
	if len(d.names) >= d.n {
		return "", false
	}
	n, err := d.r.Read(d.head[:3])
	d.names = append(d.names, string(d.head[:n]))
	return d.names[len(d.names)-1], err == nil
}

// Names checks the error first.
func Names(r io.Reader) ([]string, error) {
	d, err := newDecoder(r)
	if err != nil {
		return nil, err
	}
	for {
		if _, ok := d.next(); !ok {
			return d.names, nil
		}
	}
}

// Head does not.
func Head(r io.Reader) string {
	d, err := newDecoder(r)
	if err == errShort {
		return "short"
	} else if d == nil {
		return err.Error()
	}
	return string(d.head[:4])
}

type scanner struct {
	text string
	seen [300]bool
	last byte
}

func scan(text string) *scanner {
	if text == "" {
		return nil
	}
	s := new(scanner) // want pool it; patch; 352
	s.text = text
	return s
}

func (s *scanner) distinct() (n int) {
	if s == nil {
		return -1
	}
	for i := range len(s.text) {
		if s.last = s.text[i]; !s.seen[s.last] {
			s.seen[s.last] = true
			n++
		}
	}
	return n
}

func Distinct(text string) int {
	s := scan(text)
	return s.distinct()
}

func Distinct2(a, b string) int { return Distinct(a) + Distinct(b) }

// Direct calls a method of what may be nil at once.
func Direct(text string) int {
	return scan(text).distinct() + 1
}

type walker struct {
	visits [40]int
	depth  int
}

func newWalker() *walker { return &walker{depth: 1} } // want pool it; no patch; 352

func (w *walker) walk(t *tree) int {
	w.visits[w.depth]++
	for _, t := range t.all {
		w.depth++
		w.walk(t)
		w.depth--
	}
	return w.visits[1]
}

// Walk has a condition that may not call.
func Walk(t *tree) int {
	if t != nil && newWalker().walk(t) > 0 {
		return 1
	}
	return 0
}

func walkable() *walker {
	return &walker{depth: 2} // want pool it; patch; 352
}

// Walked has one that does.
func Walked(t *tree) int {
	if walkable().walk(t) == 0 && t != nil {
		return 2
	}
	return 0
}

type lister struct {
	names [50]string
	n     int
}

func newLister(n int) *lister {
	return &lister{n: n} // want pool it; patch; 896
}

func (l *lister) add(name string) *lister {
	l.names[l.n%len(l.names)] = name
	l.n++
	return l
}

func (l *lister) text() string { return fmt.Sprint(l.names[0], l.names[1], l.n) }

// Chained has methods that return the struct.
func Chained(a, b string) string {
	return newLister(0).add(a).add(b).text()
}

type stack struct {
	items [60]int
	n     int
}

type pusher interface{ push(v int) }

func (s *stack) push(v int) {
	s.items[s.n] = v
	s.n++
}

func newStack() *stack {
	s := &stack{} // want pool it; patch; 512
	s.push(7)
	return s
}

func pushAll(p pusher, n int) {
	for i := range n {
		p.push(i)
	}
}

// Pushed passes it as an interface.
func Pushed(n int) (sum int) {
	s := newStack()
	defer func() {
		if recover() != nil {
			sum = s.n
		}
	}()
	pushAll(s, n)
	for _, v := range s.items[:s.n] {
		sum += v
	}
	return sum
}

// A lexer has function literals that have it.
type lexer struct {
	text   string
	at     int
	seen   [64]int
	report func(msg string)
	next   func() byte
	errs   []string
}

func newLexer(text string) *lexer {
	l := &lexer{text: text} // want pool it; patch; 640
	l.report = func(msg string) { l.errs = append(l.errs, fmt.Sprint(l.at, ": ", msg)) }
	return l
}

func (l *lexer) byte() byte {
	c := l.text[l.at]
	l.seen[c%64]++
	l.at++
	return c
}

func (l *lexer) run() (n int) {
	l.next = l.byte
	for l.at < len(l.text) {
		if c := l.next(); c == '?' {
			l.report("a question")
		} else {
			n += l.seen[c%64]
		}
	}
	return n
}

// Lexed has a slice that such a literal has extended.
func Lexed(text string) (int, []string) {
	l := newLexer(text)
	return l.run(), l.errs
}

// filled returns memory that others pass on.
func filled(n int, c byte) []byte {
	b := make([]byte, n) // want pool it; patch; 4096+1024
	for i := range b {
		b[i] = c + byte(i)
	}
	return b
}

func letters(n int, upper bool) []byte {
	if upper {
		return filled(n, 'A')
	}
	return filled(n, 'a')
}

// Letters is done with it.
func Letters(w io.Writer, n int) {
	b := letters(n, n%2 == 0)
	w.Write(b)
	w.Write(filled(n/2, '0'))
}

func filledToo(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096+1024
	return b
}

func either(n int, given []byte) []byte {
	if n == 0 {
		return given
	}
	return filledToo(n)
}

// Either may get the memory of its caller.
func Either(w io.Writer, n int, given []byte) {
	w.Write(either(n, given))
}

func filledAgain(n int) []byte {
	b := make([]byte, n) // want pool it; patch; 4096+1024
	return b
}

func passed(n int) []byte { return filledAgain(n) }

var last []byte

// Passed keeps it in one of two calls, and so a copy.
func Passed(w io.Writer, n int) {
	w.Write(passed(n))
	last = passed(n + 1)
}

func filledTail(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096+1024
	return b
}

func tail(n int) []byte { return filledTail(n)[n/2:] }

// Tail gets a part of it.
func Tail(w io.Writer, n int) { w.Write(tail(n)) }

type words struct {
	pad   [100]int
	all   []string
	count int
}

func newWords(text string) *words {
	w := &words{all: strings.Fields(text)} // want pool it; no patch; 1024
	return w
}

var counts []int

// each goes on when the loop over it has ended.
func (w *words) each(yield func(string) bool) {
	defer func() { counts = append(counts, w.count) }()
	for _, word := range w.all {
		w.count++
		if !yield(word) {
			return
		}
	}
}

// HasWord returns from a loop over a method of a struct.
func HasWord(texts []string, find string) bool {
	for _, text := range texts {
		w := newWords(text)
		for word := range w.each {
			if word == find {
				return true
			}
		}
	}
	return false
}
