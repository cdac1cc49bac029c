//go:build go1.25

package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/sizeclass"
)

// A limitModel is the rule of limits as arithmetic: a tenant within a process, a pool of each, and reservations.
// Nobody waits, so each call has one right outcome.
type limitModel struct {
	t       *testing.T
	r       *rand.Rand
	log     []string
	limits  [2]*basin.Limit // the tenant, and the process that it lies within
	pools   [2]*basin.BytePool
	sizes   *sizeclass.Table
	max     [2]int64
	taken   [2]int64
	reserve [2]int64
	beyond  [2]uint64
	held    []limitHeld
	out     []*limitAccount
}

type limitHeld struct {
	b    []byte
	pool int
	from *limitAccount // that the room is from, or nil
}

// A limitAccount is a reservation from limits[of] and those around it.
type limitAccount struct {
	*basin.Reservation
	of                int
	base, used, taken int64
}

const limitMaxSize = 4096

// charge is the room that n bytes take.
func (m *limitModel) charge(n int) int64 {
	switch {
	case n <= 0:
		return 0
	case n > limitMaxSize:
		return (int64(n) + 63) &^ 63
	}
	return int64(m.sizes.Class(n).Size())
}

// try takes n from limits[from:to], and reports whether all have room.
func (m *limitModel) try(from, to int, n int64) bool {
	for i := from; i < to; i++ {
		if m.taken[i]+n > m.max[i] {
			return false
		}
	}
	m.give(from, to, -n)
	return true
}

func (m *limitModel) give(from, to int, n int64) {
	for i := from; i < to; i++ {
		m.taken[i] -= n
	}
}

func (m *limitModel) force(from, to int, n int64) {
	for i := from; i < to; i++ {
		if m.taken[i] += n; m.taken[i] > m.max[i] {
			m.beyond[i]++
		}
	}
}

// use changes the used and taken amounts of a.
func (m *limitModel) use(a *limitAccount, used, taken int64) {
	for i := a.of; i < 2; i++ {
		m.reserve[i] += taken - used
	}
	a.used += used
	a.taken += taken
}

// want predicts the outcome of a request of a pool for n bytes, from an account unless that is nil.
func (m *limitModel) want(pool int, a *limitAccount, n int64, force bool) (ok bool) {
	below := 2 // the limits below this one are not those of the account
	if a != nil {
		below = max(pool, a.of)
	}
	more := int64(0)
	if a != nil {
		more = max(a.base, a.used+n) - a.taken
	}
	if ok = m.try(pool, below, n); ok && a != nil && more > 0 && !m.try(a.of, 2, more) {
		m.give(pool, below, n)
		ok = false
	}
	if !ok && force {
		if a != nil && more > 0 {
			m.force(a.of, 2, more)
		}
		m.force(pool, below, n)
		ok = true
	}
	if ok && a != nil {
		m.use(a, n, more)
	}
	return ok
}

func (m *limitModel) back(h limitHeld) {
	n := m.charge(cap(h.b))
	if h.from == nil {
		m.give(h.pool, 2, n)
		return
	}
	less := h.from.taken - max(h.from.base, h.from.used-n)
	m.use(h.from, -n, -less)
	m.give(h.from.of, 2, less)
	m.give(h.pool, max(h.pool, h.from.of), n)
}

// impatient carries a reservation of another limit, with which no call waits.
var impatient = func() context.Context {
	r, err := new(basin.Limit).Acquire(context.Background(), 0)
	if err != nil {
		panic(err)
	}
	return r.Context(context.Background())
}()

func (m *limitModel) step() {
	r := m.r
	n := 1 + r.IntN(1<<(1+r.IntN(14)))
	pool := r.IntN(2)
	switch op := r.IntN(12); {
	case op < 5:
		var a *limitAccount
		view := m.pools[pool]
		if len(m.out) > 0 && r.IntN(2) == 0 {
			a = m.out[r.IntN(len(m.out))]
			view = a.Pool(m.pools[pool])
		}
		var b []byte
		var err error
		how := r.IntN(4)
		switch how {
		case 0:
			b = view.Get(n)
		case 1:
			var ok bool
			if b, ok = view.TryGet(n); !ok {
				err = basin.ErrLimit
			}
		case 2:
			b, err = view.GetContext(impatient, n)
		default:
			w := view.NewBuffer()
			w.Grow(n) // goes beyond
			b = w.Detach()
			if b = b[:cap(b)]; len(b) == 0 {
				m.fatalf("a Buffer without an array")
			}
			n = cap(b)
		}
		force := how == 0 || how == 3
		m.note("%d bytes of pool %d by %d, of a view %t: %v", n, pool, how, a != nil, err)
		if ok := m.want(pool, a, m.charge(n), force); ok != (err == nil) || err != nil && !errors.Is(err, basin.ErrLimit) {
			m.fatalf("the outcome is %v, the rule says %t", err, ok)
		}
		if err == nil {
			m.held = append(m.held, limitHeld{b, pool, a})
		}
	case op < 9 && len(m.held) > 0:
		i, last := r.IntN(len(m.held)), len(m.held)-1
		h := m.held[i]
		m.held[i] = m.held[last]
		m.held = m.held[:last]
		m.note("%d bytes back into pool %d", cap(h.b), h.pool)
		to := m.pools[h.pool]
		if len(m.out) > 0 && r.IntN(2) == 0 { // any view is as good
			to = m.out[r.IntN(len(m.out))].Pool(to)
		}
		m.back(h)
		if r.IntN(4) == 0 {
			to.Forget(h.b)
		} else {
			to.Put(h.b)
		}
	case op == 9:
		res, err := m.limits[pool].Acquire(impatient, int64(n))
		m.note("reserve %d of limit %d: %v", n, pool, err)
		if ok := m.try(pool, 2, int64(n)); ok != (err == nil) {
			m.fatalf("Acquire: %v, the rule says %t", err, ok)
		}
		if err == nil {
			a := &limitAccount{Reservation: res, of: pool, base: int64(n)}
			m.use(a, 0, int64(n))
			m.out = append(m.out, a)
		}
	case op == 10 && len(m.out) > 0:
		i := r.IntN(len(m.out))
		m.note("release %d", m.out[i].base)
		m.release(m.out[i])
		if r.IntN(2) == 0 { // otherwise its views stay in use
			m.out = append(m.out[:i], m.out[i+1:]...)
		}
	case op == 11:
		m.max[pool] = int64(r.IntN(40_000))
		m.note("SetMax %d of limit %d", m.max[pool], pool)
		m.limits[pool].SetMax(m.max[pool])
		if m.max[pool] == 0 {
			m.max[pool] = 1 << 60
		}
	}
	m.compare()
}

func (m *limitModel) release(a *limitAccount) {
	a.Release()
	a.base = 0
	unused := max(0, a.taken-a.used)
	m.use(a, 0, -unused)
	m.give(a.of, 2, unused)
}

func (m *limitModel) compare() {
	for i, l := range m.limits {
		s := l.Stats()
		if s.Reserved != m.reserve[i] || s.Bytes.InUse != m.taken[i]-m.reserve[i] || s.Beyond != m.beyond[i] || s.Waiting != 0 {
			m.fatalf("limit %d has %d in use, %d reserved and %d beyond, the rule says %d, %d and %d",
				i, s.Bytes.InUse, s.Reserved, s.Beyond, m.taken[i]-m.reserve[i], m.reserve[i], m.beyond[i])
		}
	}
}

func (m *limitModel) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

func (m *limitModel) fatalf(format string, args ...any) {
	m.t.Helper()
	for _, line := range m.log {
		m.t.Log(line)
	}
	m.t.Fatalf(format, args...)
}

// TestLimitModel compares limits with the rule, after each of many random calls.
func TestLimitModel(t *testing.T) {
	for seed := range uint64(200) {
		m := &limitModel{t: t, r: rand.New(rand.NewPCG(seed, 9)), max: [2]int64{20_000, 30_000}}
		m.limits[1] = &basin.Limit{Max: m.max[1]}
		m.limits[0] = &basin.Limit{Max: m.max[0], Within: m.limits[1]}
		for i := range m.pools {
			m.pools[i] = &basin.BytePool{Limit: m.limits[i], MaxSize: limitMaxSize}
		}
		m.sizes = sizeclass.For(0, limitMaxSize)
		m.log = []string{fmt.Sprintf("seed %d", seed)}
		for range 200 {
			m.step()
		}
		for len(m.held) > 0 {
			h := m.held[0]
			m.held = m.held[1:]
			m.back(h)
			m.pools[h.pool].Put(h.b)
		}
		for _, a := range m.out {
			m.release(a)
		}
		m.compare()
		if m.taken != [2]int64{} || m.reserve != [2]int64{} {
			m.fatalf("the model itself has lost something: %+v", m)
		}
	}
}
