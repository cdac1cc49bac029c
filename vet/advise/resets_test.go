package advise

import "testing"

// TestReasonsOfResets has structs whose method Reset leaves a field that the next user of a pool would see.
func TestReasonsOfResets(t *testing.T) {
	const (
		back  = " Its last user would have to put it back.$"
		clear = " Its last user would have to clear it and put it back: Reset of "
	)
	judged(t, `package p

import "sync"

type Session struct {
	mu    sync.Mutex
	n     int
	user  []byte
	table [80]int
}

func (s *Session) Reset() { s.table = [80]int{} }

func NewSession(b []byte) *Session {
	return &Session{user: b} // : needs an owner; The memory leaves NewSession: it is returned from p.NewSession.`+clear+`Session leaves fields such as user as they were.$
}

type Counter struct {
	mu    sync.Mutex
	n     int
	table [80]int
}

func (c *Counter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.table[:])
}

func NewCounter() *Counter {
	return &Counter{n: 1} // : needs an owner; The memory leaves NewCounter: it is returned from p.NewCounter.`+clear+`Counter leaves fields such as n as they were.$
}

type Index struct {
	mu    sync.Mutex
	names map[string]int
	inner Counter
	table [80]int
}

func (x *Index) Reset() {
	clear(x.names)
	x.inner.Reset()
	x.clearTable()
}

func (x *Index) clearTable() {
	for i := range x.table {
		x.table[i] = 0
	}
}

func NewIndex() *Index {
	return &Index{names: map[string]int{}} // : needs an owner; The memory leaves NewIndex: it is returned from p.NewIndex.`+back+`
}

type Hooked struct {
	hook  func(*Hooked)
	table [80]int
}

func (h *Hooked) Reset() { h.hook(h) }

func NewHooked(f func(*Hooked)) *Hooked {
	return &Hooked{hook: f} // : needs an owner; The memory leaves NewHooked: it is returned from p.NewHooked.`+back+`
}
`, nil)
}
