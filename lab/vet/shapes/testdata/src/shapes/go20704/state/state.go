package state

import (
	"bufio"
	"io"
	"sync"
)

type State struct{ BW *bufio.Writer }

var pool = sync.Pool{New: func() any { return &State{BW: bufio.NewWriter(nil)} }}

func Get(w io.Writer) *State {
	s := pool.Get().(*State)
	s.BW.Reset(w)
	return s
}

func Put(s *State) {
	s.BW.Reset(nil)
	pool.Put(s)
}
