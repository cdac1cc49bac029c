package advise

import "testing"

// TestReasonsOfTimers has timers that each round of a loop makes, and others.
func TestReasonsOfTimers(t *testing.T) {
	const (
		inside = "do not pool; time.After, or a function that it calls, makes this memory, and has no argument for it."
		reset  = " One time.Timer, made before the loop, serves all rounds by its method Reset, if they do not wait at the same time.$"
	)
	judged(t, `package p

import "time"

func poll(c chan int) (n int) {
	for {
		select {
		case n = <-c:
			return n
		case <-time.After(time.Second): // time.After: `+inside+reset+`
			n++
		}
	}
}

func once(c chan int) int {
	select {
	case n := <-c:
		return n
	case <-time.After(time.Second): // time.After: `+inside+`$
		return 0
	}
}
`, nil)
}
