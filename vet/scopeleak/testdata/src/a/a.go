package a

import (
	"bytes"
	"strings"
	"sync"

	"github.com/basin-go/basin/basinscope"
)

type node struct {
	name string
	next *node
	data []byte
}

var (
	global  *node
	table   = map[string]*node{}
	outputs = make(chan []byte)
)

func returned(b []byte) string {
	var s basinscope.Scope
	defer s.End()
	return s.String(b) // want `memory of the scope s is returned`
}

func returnedVariable(n int) ([]byte, error) {
	s := &basinscope.Scope{Fresh: true}
	defer s.End()
	b := s.Get(n)
	b = append(b, 'x')
	return b[:n], nil // want `memory of the scope s is returned`
}

func returnedValue() *node {
	var s basinscope.Scope
	defer func() { s.End() }()
	x := basinscope.New[node](&s)
	return x // want `memory of the scope s is returned`
}

func returnedInLiteral(b []byte) *node {
	var s basinscope.Scope
	defer s.End()
	return &node{name: s.String(b)} // want `memory of the scope s is returned`
}

func returnedElement() *int {
	var s basinscope.Scope
	defer s.End()
	l := basinscope.Slice[int](&s, 10)
	return &l[3] // want `memory of the scope s is returned`
}

func named(b []byte) (result string) {
	var s basinscope.Scope
	defer s.End()
	result = s.String(b) // want `memory of the scope s is stored`
	return
}

func stored(to *node, b []byte) {
	var s basinscope.Scope
	defer s.End()
	global = basinscope.New[node](&s)               // want `memory of the scope s is stored`
	to.data = s.Append(nil, b...)                   // want `memory of the scope s is stored`
	table["a"] = basinscope.New[node](&s)           // want `memory of the scope s is stored`
	to.next = &node{next: basinscope.New[node](&s)} // want `memory of the scope s is stored`
}

func collected(all *[]string, b []byte) {
	var s basinscope.Scope
	defer s.End()
	*all = append(*all, s.String(b)) // want `memory of the scope s is stored`
}

func captured(b []byte) string {
	var last string
	func() {
		var s basinscope.Scope
		defer s.End()
		last = s.String(b) // want `memory of the scope s is stored`
	}()
	return last
}

func sent(b []byte) {
	var s basinscope.Scope
	defer s.End()
	outputs <- s.Append(nil, b...) // want `memory of the scope s is sent`
}

func concurrent(b []byte) {
	var s basinscope.Scope
	defer s.End()
	go func() {
		s.Get(10) // want `s is used by another goroutine, which needs a Child of it`
	}()
}

func left(use func([]byte)) {
	var s basinscope.Scope
	defer s.End()
	b := s.Get(10)
	go use(b) // want `memory of the scope s is used by a goroutine without a Child`
}

// From here on, all is legal.

func legalCopies(b []byte) (string, []byte, int) {
	var s basinscope.Scope
	defer s.End()
	t := s.String(b)
	m := s.Get(10)
	return strings.Clone(t), bytes.Clone(m), len(t) + int(m[0])
}

func legalConversion(b []byte) string {
	var s basinscope.Scope
	defer s.End()
	m := s.Append(nil, b...)
	return string(m)
}

func legalBytes(dst, b []byte) []byte {
	var s basinscope.Scope
	defer s.End()
	m := s.Append(nil, b...)
	return append(dst, m...)
}

func legalOwner(s *basinscope.Scope, b []byte) *node {
	x := basinscope.New[node](s)
	x.name = s.String(b)
	return x
}

func legalInside(b []byte) int {
	var s basinscope.Scope
	defer s.End()
	x := basinscope.New[node](&s)
	x.name = s.String(b)
	x.next = basinscope.New[node](&s)
	var list []*node
	list = append(list, x)
	local := map[string]*node{}
	local["x"] = x
	return len(list) + len(local)
}

func legalChild(use func([]byte)) {
	var s basinscope.Scope
	defer s.End()
	b := s.Get(10)
	c := s.Child()
	go func() {
		defer c.End()
		use(b)
	}()
}

func legalWait(use func([]byte)) {
	var s basinscope.Scope
	defer s.End()
	b := s.Get(10)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		use(b)
	}()
	wg.Wait()
}

func legalParameter(n node, b []byte) int {
	var s basinscope.Scope
	defer s.End()
	n.data = s.Append(nil, b...)
	return len(n.data)
}

func legalMixed(b []byte, scoped bool) []byte {
	var s basinscope.Scope
	defer s.End()
	m := s.Get(10)
	if !scoped {
		m = make([]byte, 10)
	} else {
		return nil
	}
	return m
}

func legalLiteral(b []byte) int {
	var s basinscope.Scope
	defer s.End()
	get := func() []byte { return s.Get(10) }
	return len(get())
}
