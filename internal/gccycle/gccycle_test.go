package gccycle_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/basin-go/basin/internal/gccycle"
)

// wait collects garbage until done reports true; the test's own time limit is
// the only one.
func wait(done func() bool) {
	for !done() {
		runtime.GC()
		runtime.Gosched()
	}
}

func TestHookRunsEveryCycleUntilItDeclines(t *testing.T) {
	calls := make(chan int)
	stop := make(chan struct{})
	n := 0
	gccycle.Register(func(bool) bool {
		n++
		select {
		case calls <- n:
			return n < 5
		case <-stop:
			return false
		}
	})
	defer close(stop)
	for want := 1; want <= 5; want++ {
		got := 0
		wait(func() bool {
			select {
			case got = <-calls:
				return true
			default:
				return false
			}
		})
		if got != want {
			t.Fatalf("call %d is the hook's %d.", want, got)
		}
	}
	runtime.GC()
	runtime.GC()
	select {
	case <-calls:
		t.Error("the hook is called after it declined")
	default:
	}
}

func TestNearLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	ballast := make([]byte, 64<<20)
	for _, tt := range []struct {
		name  string
		limit int64
		want  bool
	}{
		{"none", math.MaxInt64, false},
		{"far", 4 << 30, false},
		{"close", 66 << 20, true},
		{"exceeded", 8 << 20, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(tt.limit)
			result := make(chan bool, 1)
			gccycle.Register(func(near bool) bool {
				result <- near
				return false
			})
			var got bool
			wait(func() bool {
				select {
				case got = <-result:
					return true
				default:
					return false
				}
			})
			if got != tt.want {
				t.Errorf("near the limit: %v, want %v", got, tt.want)
			}
		})
	}
	runtime.KeepAlive(ballast)
}
