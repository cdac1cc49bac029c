//go:build go1.25

package basin

import "github.com/basin-go/basin/internal/quota"

func init() {
	quota.Guest, quota.GuestBeyond, quota.GuestRefused = payerOf, countBeyond, countRefused
}

// payerOf is quota.Guest. MaxInUse of the pool does not count: it is about memory of the pool.
func payerOf(pool any) (pays quota.Payer, ok bool) {
	p, from := pool.(*BytePool).lender()
	if p.Limit == nil {
		return quota.Payer{}, false
	}
	p.ready(p)
	return quota.Payer{Of: p.Limit.begun().quota, From: from}, true
}

// countBeyond is quota.GuestBeyond.
func countBeyond(pool any) {
	p, _ := pool.(*BytePool).lender()
	p.waits().Beyond()
}

// countRefused is quota.GuestRefused.
func countRefused(pool any, n int64) {
	p, _ := pool.(*BytePool).lender()
	p.refuse(n, n <= p.quota.Least())
}
