//go:build go1.25

package quota

import (
	"context"
	"sync"
)

// An Account is a part of a Quota that is taken in advance. Amounts that are taken from the Account use that part,
// and beyond it, come from the Quota without waiting. So only Reserve waits, and its caller need
// not hold anything then: accounts cannot wait for each other. All methods may be called from many goroutines
// at once.
type Account struct {
	of *Quota

	mu     sync.Mutex
	base   int64 // taken in advance; zero once the account is closed
	used   int64
	taken  int64 // from of: the larger of base and used
	closed bool
}

// Reserve takes n as Take does, and returns an Account of it.
func (q *Quota) Reserve(ctx context.Context, n int64) (*Account, error) {
	if err := q.Take(ctx, n); err != nil {
		return nil, err
	}
	return q.account(n), nil
}

// TryReserve is Reserve without waiting.
func (q *Quota) TryReserve(n int64) (a *Account, ok bool) {
	if !q.TryTake(n) {
		return nil, false
	}
	return q.account(n), true
}

func (q *Quota) account(n int64) *Account {
	q.reserve(n)
	return &Account{of: q, base: n, taken: n}
}

// reserve adds n to the reserved amounts.
func (q *Quota) reserve(n int64) {
	for ; q != nil; q = q.within {
		q.reserved.Add(n)
	}
}

// Common returns the innermost quota that q and the account draw from, or nil.
func (a *Account) Common(q *Quota) *Quota {
	for ; q != nil; q = q.within {
		if a.of.LiesIn(q) {
			return q
		}
	}
	return nil
}

// Closed reports whether the account is closed.
func (a *Account) Closed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

// Left returns the amount that is taken in advance and not used.
func (a *Account) Left() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.base-a.used)
}

// TryTake takes n from the account, and beyond it, from its Quota. It reports whether it
// could.
func (a *Account) TryTake(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > Max {
		return false
	}
	more := max(a.base, a.used+n) - a.taken
	if more > 0 && !a.of.TryTake(more) {
		return false
	}
	a.use(n, more)
	return true
}

// Force is TryTake whatever the maximum of the Quota. It reports whether more than that is taken now.
func (a *Account) Force(n int64) (beyond bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	more := max(a.base, a.used+n) - a.taken
	if more > 0 {
		beyond = a.of.Force(more)
	}
	a.use(n, more)
	return beyond
}

// use notes that n more is used and more more is taken. The caller must hold the lock.
func (a *Account) use(n, more int64) {
	before := a.taken - a.used
	a.used += n
	a.taken += more
	if after := a.taken - a.used; after != before {
		a.of.reserve(after - before)
	}
}

// Give gives back n.
func (a *Account) Give(n int64) { a.give(n, a.of.Give) }

// Recover is Give for lost memory: see [Quota.Recover].
func (a *Account) Recover(n int64) { a.give(n, a.of.Recover) }

func (a *Account) give(n int64, give func(int64)) {
	a.mu.Lock()
	less := a.taken - max(a.base, a.used-n)
	a.use(-n, -less)
	a.mu.Unlock()
	if less > 0 {
		give(less)
	}
}

// Close ends the advance: from now on, the account has taken as much as is used. It returns false if the
// account is closed already.
func (a *Account) Close() (ok bool) {
	unused, ok := a.close()
	if unused > 0 {
		a.of.Give(unused)
	}
	return ok
}

// Lose is Close for an account that nobody refers to any more: see [Quota.Recover]. It returns the amount that
// it gives back.
func (a *Account) Lose() (unused int64, ok bool) {
	unused, ok = a.close()
	if unused > 0 {
		a.of.Recover(unused)
	}
	return unused, ok
}

func (a *Account) close() (unused int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return 0, false
	}
	a.closed, a.base = true, 0
	unused = max(0, a.taken-a.used)
	a.use(0, -unused)
	return unused, true
}
