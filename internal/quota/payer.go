//go:build go1.25

package quota

// A Payer pays for memory of a pool: its account does, and the quotas of the pool that lie below those of the account.
// Without an account, the quota of the pool pays.
type Payer struct {
	Of   *Quota   // of the pool
	From *Account // of a reservation, or nil; it has a quota in common with Of
}

// TryTake takes n if there is room, and reports whether it did.
func (p Payer) TryTake(n int64) bool {
	if p.From == nil {
		return p.Of.TryTake(n)
	}
	end := p.From.Common(p.Of)
	if !p.Of.TryTakeBelow(end, n) {
		return false
	}
	if !p.From.TryTake(n) {
		p.Of.GiveBelow(end, n)
		return false
	}
	return true
}

// Force takes n, whatever the maxima.
func (p Payer) Force(n int64) {
	if p.From == nil {
		p.Of.Force(n)
		return
	}
	p.From.Force(n)
	p.Of.ForceBelow(p.From.Common(p.Of), n)
}

// Give gives back n.
func (p Payer) Give(n int64) {
	if p.From == nil {
		p.Of.Give(n)
		return
	}
	p.From.Give(n)
	p.Of.GiveBelow(p.From.Common(p.Of), n)
}

// Recover is Give for lost memory: see [Quota.Recover].
func (p Payer) Recover(n int64) {
	if p.From == nil {
		p.Of.Recover(n)
		return
	}
	p.From.Recover(n)
	p.Of.RecoverBelow(p.From.Common(p.Of), n)
}

// Guests are packages beside the root whose memory counts towards the Limit of a pool, though it is not of the pool: the
// values of a scope. The root sets these functions, and guests set the last one.
var (
	// Guest returns the Payer of a *basin.BytePool for guests. ok is false if the pool has no Limit.
	Guest func(pool any) (pays Payer, ok bool)

	// GuestBeyond counts that a guest went beyond the Limit, in the statistics of the pool.
	GuestBeyond func(pool any)

	// GuestRefused counts that a guest got no room for n bytes and does without.
	GuestRefused func(pool any, n int64)

	// EndGuests gives back the room of guests that are garbage, though their cleanups have not run. It is nil if there
	// are none.
	EndGuests func()
)
