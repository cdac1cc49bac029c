//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A session is acquired for a request that does not need one, and is not put.
type session struct{ user [100]byte }

var sessions = &basin.Pool[*session]{New: func() *session { return new(session) }}

func sessionBug(needed bool) {
	s := sessions.Get() // want: leak
	if !needed {
		return
	}
	s.user[0] = 1
	sessions.Put(s)
}

func sessionFixed(needed bool) {
	if !needed {
		return
	}
	s := sessions.Get()
	s.user[0] = 1
	sessions.Put(s)
}

func init() { add("value_leaked", func() { sessionBug(false) }, func() { sessionFixed(false) }) }
