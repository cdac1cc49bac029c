//go:build go1.25

package gccycle_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/basin-go/basin/internal/gccycle"
	"github.com/basin-go/basin/internal/testenv"
)

func TestHookRunsEveryCycleUntilItDeclines(t *testing.T) {
	calls := make(chan int)
	stop := make(chan struct{})
	n := 0
	gccycle.Register(func(gccycle.Pressure) bool {
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
		testenv.CollectUntil(func() bool {
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
		want  gccycle.Pressure
	}{
		{"none", math.MaxInt64, gccycle.Low},
		{"far", 4 << 30, gccycle.Low},
		{"over seven tenths", 93 << 20, gccycle.Raised},
		{"over eight tenths", 82 << 20, gccycle.High},
		{"close", 68 << 20, gccycle.Critical},
		{"exceeded", 8 << 20, gccycle.Critical},
	} {
		t.Run(tt.name, func(t *testing.T) {
			debug.SetMemoryLimit(tt.limit)
			result := make(chan gccycle.Pressure, 1)
			gccycle.Register(func(near gccycle.Pressure) bool {
				result <- near
				return false
			})
			var got gccycle.Pressure
			testenv.CollectUntil(func() bool {
				select {
				case got = <-result:
					return true
				default:
					return false
				}
			})
			if got != tt.want {
				t.Errorf("pressure %v, want %v", got, tt.want)
			}
		})
	}
	runtime.KeepAlive(ballast)
}
