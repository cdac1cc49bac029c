//go:build go1.25

package quota

import "testing"

// TestPayer: an account pays, and the quotas below those that it draws from.
func TestPayer(t *testing.T) {
	outer := newQuota(100, nil)
	pool := newQuota(50, outer)
	for _, tt := range []struct {
		name      string
		of        *Quota // of the account, or nil
		base      int64
		max       int64 // of one TryTake
		poolTaken int64
	}{
		{"no account", nil, 0, 50, 50},
		{"of the outer quota", outer, 30, 50, 50},
		{"of the quota itself", pool, 30, 50, 50},
	} {
		p := Payer{Of: pool}
		if tt.of != nil {
			p.From, _ = tt.of.TryReserve(tt.base)
		}
		before := outer.Taken()
		if p.TryTake(tt.max + 1) {
			t.Errorf("%s: more than the maximum", tt.name)
		}
		if outer.Taken() != before {
			t.Errorf("%s: a refusal took %d", tt.name, outer.Taken()-before)
		}
		if !p.TryTake(tt.max) || pool.Taken() != tt.poolTaken || outer.Taken() != max(tt.base, tt.max) {
			t.Errorf("%s: %d and %d are taken", tt.name, pool.Taken(), outer.Taken())
		}
		p.Force(70)
		if pool.Taken() != 120 || outer.Taken() != 120 {
			t.Errorf("%s: %d and %d are taken by force", tt.name, pool.Taken(), outer.Taken())
		}
		p.Give(60)
		p.Recover(60)
		want := int64(0)
		if tt.of == pool {
			want = tt.base
		}
		if pool.Taken() != want || outer.Taken() != tt.base {
			t.Errorf("%s: %d and %d are taken at the end", tt.name, pool.Taken(), outer.Taken())
		}
		if p.From != nil {
			p.From.Close()
		}
		expect(t, tt.name, 0, pool, outer)
	}
}
