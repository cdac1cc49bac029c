package advise

import (
	"go/ast"
	"math"
	"strings"
	"testing"
)

// TestRareBesideLarge: a site that is rare beside a large one is judged by the rest once that one is pooled.
func TestRareBesideLarge(t *testing.T) {
	for _, tt := range []struct {
		large, share float64
		kind         kind // of the large site
		want         Verdict
	}{
		{0.95, 0.004, kindBuffer, PoolIt},
		{0.95, 0.0002, kindBuffer, TooRare},
		{0.999, 0.0002, kindBuffer, TooRare}, // profiles do not count so exactly
		{0.95, 0.004, kindString, TooRare},   // nothing can pool that
		{0.10, 0.004, kindBuffer, TooRare},
		{0.10, 0.006, kindBuffer, PoolIt},
	} {
		site := func(k kind, share float64) *Site {
			return &Site{Function: "a.F", kind: k, found: &allocation{kind: k, fate: new(fate)}, Sizes: []Size{{1024, 1 << 20, 1024}}, Bytes: 1 << 20, Objects: 1024, Samples: 100, Share: share}
		}
		small := site(kindBuffer, tt.share)
		r := &Report{Bytes: 1 << 30, Sites: []*Site{site(tt.kind, tt.large), small}}
		r.judge(nil)
		if small.Verdict != tt.want {
			t.Errorf("%.4f beside %.3f of %s: %s (%s), want %s", tt.share, tt.large, tt.kind, small.Verdict, small.Reason, tt.want)
		}
	}
}

// TestSummaryOfLittle has sites that can be pooled, though that is not worth it: one sentence has both shares, of the bytes and
// of the CPU time.
func TestSummaryOfLittle(t *testing.T) {
	share := 0.1
	r := &Report{Bytes: 1 << 20, GCShare: &share, Sites: []*Site{{Verdict: PoolIt, Share: 0.061}}}
	r.summarize()
	const want = "Pooling is not worth it here: it could save at most 6.1 % of the 1.0 MiB that the program allocates, but less than 1 % of the CPU time, and the program would not need less memory."
	if r.Summary[0] != want {
		t.Errorf("%s, want %s", r.Summary[0], want)
	}
}

// TestOtherWayWithoutSource has an old site whose line is not found.
func TestOtherWayWithoutSource(t *testing.T) {
	s := &Site{Verdict: LongLived, kind: kindMake}
	if way := s.otherWay(); way != "" {
		t.Error(way)
	}
}

// TestRareBuilder has Builders that grow, one of which makes too little to advise anything.
func TestRareBuilder(t *testing.T) {
	for bytes, want := range map[float64]Verdict{rareBytes - 1: TooRare, rareBytes: Preallocate} {
		s := &Site{Function: "a.F", kind: kindBuilder, Sizes: []Size{{1024, bytes, 1024}}, Bytes: bytes, Samples: 100, Share: 1}
		r := &Report{Seconds: 1, Bytes: bytes, Sites: []*Site{s}}
		if r.judge(nil); s.Verdict != want {
			t.Errorf("%v B a second: %s (%s), want %s", bytes, s.Verdict, s.Reason, want)
		}
	}
}

// TestSavedByCopies has 100 slices that grow from 1 to 8 KiB, of which half need no more than 4. Their callers get copies.
func TestSavedByCopies(t *testing.T) {
	for _, test := range []struct {
		copies []ast.Expr
		want   float64
	}{
		{nil, 1},
		{make([]ast.Expr, 1), 1 - (50*2+50*4)/(100*7.0+50*8)},
	} {
		s := &Site{found: &allocation{copies: test.copies}, Bytes: (100*7 + 50*8) << 10,
			Sizes: []Size{{1 << 10, 100 << 10, 100}, {2 << 10, 200 << 10, 100}, {4 << 10, 400 << 10, 100}, {8 << 10, 400 << 10, 50}}}
		if got := s.saved(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%d copies: %v, want %v", len(test.copies), got, test.want)
		}
	}
}

// TestSamplesOfLargePieces has few allocations, of which each has a sample if it is large.
func TestSamplesOfLargePieces(t *testing.T) {
	const code = `package p

import "io"

func large(w io.Writer, n int) {
	b := make([]byte, n) // : VERDICT
	w.Write(b)
}

func usual(w io.Writer, n int) {
	b := make([]byte, n) // : pool it
	w.Write(b)
}
`
	for objects, want := range map[uint64]string{3: "pool it; The memory does not leave large.$", 2: "not judged; Only 2 samples: let the program work longer between the profiles."} {
		judgedWith(t, map[string]string{"go.mod": goMod(t, "a.example")}, strings.Replace(code, "VERDICT", want, 1), func(i int, s *synthetic) {
			if i == 0 {
				s.objects, s.bytes = objects, objects*16<<20
			}
		})
	}
}
