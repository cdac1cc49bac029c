package more

import (
	"errors"
	"log"
	"sync"
	"time"
)

// gofiber/fiber, d465869: a session from the store is dropped without its Release.
type webSession struct {
	id    string
	data  map[any]any
	fresh bool
}

var sessions = sync.Pool{New: func() any { return &webSession{data: map[any]any{}} }}

func acquireSession() *webSession {
	s := sessions.Get().(*webSession)
	s.fresh = true
	return s
}

func releaseSession(s *webSession) {
	s.id = ""
	clear(s.data)
	sessions.Put(s)
}

func (s *webSession) Release() {
	if s == nil {
		return
	}
	releaseSession(s)
}

func (s *webSession) Set(k, v any) { s.data[k] = v }
func (s *webSession) Save() error {
	if s.id == "" {
		return errors.New("no id")
	}
	return nil
}

type sessionStore struct{ last string }

func (st *sessionStore) Get(id string) (*webSession, error) {
	if id == "" {
		return nil, errors.New("empty id")
	}
	s := acquireSession()
	s.id = id
	return s, nil
}

type csrf struct{ store *sessionStore }

func (m *csrf) BugSetRaw(id, key string, ttl time.Duration) {
	s, err := m.store.Get(id) // BUG
	if err != nil {
		return
	}
	s.Set("csrf", key+ttl.String())
	if err := s.Save(); err != nil {
		log.Print("csrf: ", err)
	}
}

func (m *csrf) fixedSetRaw(id, key string, ttl time.Duration) {
	s, err := m.store.Get(id)
	if err != nil {
		return
	}
	defer s.Release()
	s.Set("csrf", key+ttl.String())
	if err := s.Save(); err != nil {
		log.Print("csrf: ", err)
	}
}
