// Package despite returns handles with errors after their Put.
package despite

import (
	"errors"
	"sync"
)

type conn struct{ buf []byte }

var conns = sync.Pool{New: func() any { return new(conn) }}

func open(fail bool) (*conn, error) {
	c := conns.Get().(*conn)
	if fail {
		conns.Put(c)
		return c, errors.New("it failed") // want `returned after Put`
	}
	return c, nil
}

// use reads from the handle before it asks for the error.
func use(fail bool) int {
	c, err := open(fail)
	n := len(c.buf)
	if err != nil {
		return 0
	}
	conns.Put(c)
	return n
}

func openAsked(fail bool) (*conn, error) {
	c := conns.Get().(*conn)
	if fail {
		conns.Put(c)
		return c, errors.New("it failed")
	}
	return c, nil
}

func legalAsked(fail bool) int {
	c, err := openAsked(fail)
	if err != nil {
		return 0
	}
	defer conns.Put(c)
	return len(c.buf)
}
