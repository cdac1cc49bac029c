package advise

import "testing"

// TestReasonsOfSkippedPools has makers of which some do not ask their pool at first.
func TestReasonsOfSkippedPools(t *testing.T) {
	judged(t, `package p

import "sync"

type span struct{ text [200]byte }

var spans = sync.Pool{New: func() any { return &span{} }}

var bare sync.Pool

func pooling() bool { return len(kept) > 5 }

var kept []*span

func newSpan() *span {
	if !pooling() {
		return &span{} // : do not pool; p.newSpan makes it without a Get of the pool, spans (p.go:7), from which it takes others: look at the condition before.$
	}
	return spans.Get().(*span)
}

func bareSpan() *span {
	if v := bare.Get(); v != nil {
		return v.(*span)
	}
	return &span{} // : `+missText("bare (p.go:9)")+`
}

func use() {
	a, b := newSpan(), bareSpan()
	a.text[0]++
	b.text[0]++
	spans.Put(a)
	bare.Put(b)
}
`, nil)
}
