package advise

import (
	"math"
	"strings"
	"testing"
)

// TestSummaryOfUnowned has reports whose first lines must not say that there is no gain, because most memory lacks an owner.
func TestSummaryOfUnowned(t *testing.T) {
	gc := 0.1
	to := func(how string) *allocation {
		return &allocation{kind: kindMake, fate: &fate{way: isStored, where: how}}
	}
	stored := &Site{Verdict: NeedsOwner, Share: 0.4, found: to("is stored in field conn.buf")}
	returned := &Site{Verdict: NeedsOwner, Share: 0.23, found: to("is returned from p.F")}
	small := &Site{Verdict: PoolIt, Share: 0.04}
	for _, test := range []struct {
		sites []*Site
		want  string
	}{
		{[]*Site{stored, returned, small}, "Pooling 1 site could save at most 4.0 % of the 1.0 MiB/s that the program allocates, and the same share of its collections, and 0.4 % of its CPU time. More needs owners: 63 % (645 KiB/s) has none yet. Of all bytes, 40 % is stored in field conn.buf; 23 % is returned from p.F. "},
		{[]*Site{stored, {Verdict: PoolIt, Share: 0.5}}, "Pooling 1 site could save at most 50 % of the 1.0 MiB/s that the program allocates, and the same share of its collections, and 5.0 % of its CPU time. 40 % (410 KiB/s) needs an owner first. Of all bytes, 40 % is stored"},
		{[]*Site{stored}, "No site can be pooled as it is, but 40 % of the 1.0 MiB/s that the program allocates only lack an owner, who would put the memory back. Of all bytes, 40 % is stored in field conn.buf. "},
		{[]*Site{small, {Verdict: NeedsOwner, Share: 0.04, found: stored.found}}, "Pooling is not worth it here: it could save at most 4.0 % of"},
		{[]*Site{{Verdict: PoolIt, Share: 0.001}}, "Pooling is not worth it here: it could save <0.5 % of"},
		{[]*Site{stored, {Verdict: PoolIt, Share: 0.0001}}, "Pooling 1 site could save <0.5 % of the"},
	} {
		r := &Report{Bytes: 1 << 20, Seconds: 1, GCShare: &gc, Sites: test.sites}
		r.summarize()
		if got := strings.Join(r.Summary, " "); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestSummaryWithoutPatch counts the sites that have no patch, by the reason.
func TestSummaryWithoutPatch(t *testing.T) {
	one, two := &Site{Verdict: PoolIt, Share: 0.2, generated: true}, &Site{Verdict: Reuse, Share: 0.2, Module: "m"}
	for _, test := range []struct {
		sites []*Site
		want  string
	}{
		{[]*Site{one, two, {Verdict: PoolIt, Share: 0.2}}, " 3 of these sites have no patch: 1 in other modules, 1 in generated files, 1 for the reason that the line has. "},
		{[]*Site{one, {Verdict: PoolIt, Share: 0.2, Patch: true}}, " 1 of these sites has no patch: 1 in generated files. "},
	} {
		r := &Report{Bytes: 1 << 20, Sites: test.sites, tried: true}
		r.summarize()
		if got := strings.Join(r.Summary, " "); !strings.Contains(got, test.want) {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestNoZero has shares and changes that must not be rounded to nothing.
func TestNoZero(t *testing.T) {
	for _, share := range []float64{0, math.Copysign(0, -1), 1e-9, 0.0009, 0.004, 0.0049} {
		for _, text := range []string{percent(share), atMost(share), change([]float64{1}, []float64{1 - share}), change([]float64{1}, []float64{1 + share})} {
			if text == "0 %" || strings.HasPrefix(text, "-0 ") || strings.HasPrefix(text, "+0 ") || strings.HasSuffix(text, "0.0 %") {
				t.Errorf("%v: %s", share, text)
			}
		}
	}
	if got := bytesText(0.2); got != "<1 B" {
		t.Error(got)
	}
}
