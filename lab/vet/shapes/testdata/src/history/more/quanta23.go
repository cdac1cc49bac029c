package more

import (
	"fmt"
	"sync"
)

// disney/quanta#23: a table that is not found keeps its session.
type dbSession struct{ tables map[string]int }

type sessionPool struct {
	mu   sync.Mutex
	free sync.Pool
	n    int
}

func (p *sessionPool) Borrow(table string) (*dbSession, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 100 {
		return nil, fmt.Errorf("too many for %s", table)
	}
	if s, ok := p.free.Get().(*dbSession); ok {
		return s, nil
	}
	p.n++
	return &dbSession{tables: map[string]int{}}, nil
}

func (p *sessionPool) Return(table string, s *dbSession) { p.free.Put(s) }

type dbSource struct{ pool *sessionPool }

func (m *dbSource) BugTable(name string) (int, error) {
	s, err := m.pool.Borrow(name) // BUG
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", name, err)
	}
	t, found := s.tables[name]
	if !found {
		return 0, fmt.Errorf("no table buffer for %s", name)
	}
	m.pool.Return(name, s)
	return t, nil
}

func (m *dbSource) fixedTable(name string) (int, error) {
	s, err := m.pool.Borrow(name)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", name, err)
	}
	defer m.pool.Return(name, s)
	t, found := s.tables[name]
	if !found {
		return 0, fmt.Errorf("no table buffer for %s", name)
	}
	return t, nil
}
