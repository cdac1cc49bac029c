package advise

import (
	"fmt"
	"testing"
)

// TestReasonsOfChannels has channels with room for elements, and without.
func TestReasonsOfChannels(t *testing.T) {
	const (
		channel = "not judged; This is a channel, which is no buffer to reuse."
		room    = channel + " Nearly all of it is its room for elements, of "
		less    = " each, however many come: a smaller capacity needs less, and so does a channel that is kept.$"
	)
	judged(t, `package p

type pair struct{ a, b, c string }

func numbers(n int) chan int {
	return make(chan int, n) // 8192: `+room+`8 B`+less+`
}

func pairs() chan pair {
	return make(chan pair, 100) // 4864: `+room+`48 B`+less+`
}

func few() chan int {
	return make(chan int, 4) // 128: `+channel+`$
}

func done() chan struct{} {
	return make(chan struct{}, 1000) // 96: `+channel+`$
}

func either(many bool) (a, b chan int) {
	return make(chan int, 1000), make(chan int) // 8192: `+room+`8 B`+less+`
}
`, func(_ int, s *synthetic) {
		n := uint64(0)
		fmt.Sscan(s.std, &n)
		s.std, s.objects = "", s.bytes/n
		s.bytes = s.objects * n
	})
}
