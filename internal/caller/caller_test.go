//go:build go1.25

package caller

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// frameOf returns the first frame of s.
func frameOf(t *testing.T, s Site) runtime.Frame {
	t.Helper()
	if s == 0 || len(s.Stack()) == 0 {
		t.Fatalf("site %d has no stack", s)
	}
	frames := runtime.CallersFrames(s.Stack())
	f, _ := frames.Next()
	return f
}

//go:noinline
func pool() Site { return Here() } // stands for a function of basin

//go:noinline
func one() Site { return pool() }

//go:noinline
func two() (a, b Site) {
	a = pool()
	b = pool()
	return a, b
}

func inlined() Site { return pool() }

//go:noinline
func deeper(n int) Site {
	if n == 0 {
		return pool()
	}
	return deeper(n - 1)
}

// TestHereTellsLinesApart: each line has one Site, whichever goroutine calls and however often, and the
// stack begins with that line.
func TestHereTellsLinesApart(t *testing.T) {
	all := make(map[Site]string)
	for name, call := range map[string]func() Site{
		"one": one, "inlined": func() Site { return inlined() }, "deeper 3": func() Site { return deeper(3) },
		"deeper 4": func() Site { return deeper(4) }, "deeper 100": func() Site { return deeper(100) },
	} {
		var s Site
		for i := range 100 {
			again := call() // one line, for all calls
			if i > 0 && again != s {
				t.Fatalf("%s: site %d, and then %d", name, s, again)
			}
			s = again
		}
		if f := frameOf(t, s); !strings.HasSuffix(f.Function, "caller.pool") {
			t.Errorf("%s: the stack begins with %s", name, f.Function)
		}
		if before, ok := all[s]; ok {
			t.Errorf("%s has the site of %s", name, before)
		}
		all[s] = name
	}
	a, b := two()
	if a == b {
		t.Error("two lines of a function have the same site")
	}
}

// TestHereIsRight compares the stacks of sites with runtime.Callers, from goroutines whose stacks grow
// and move meanwhile.
func TestHereIsRight(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 200 {
				grow(1+(n*7+g)%60, t)
			}
		}()
	}
	wg.Wait()
}

//go:noinline
func grow(n int, t *testing.T) byte {
	var room [512]byte
	if n > 0 {
		return grow(n-1, t) + room[n]
	}
	var pcs [most]uintptr
	want := pcs[:runtime.Callers(1, pcs[:])] // from this call on
	got := pool().Stack()[1:]                // without that of pool
	for i := range got {
		// The first is on another line of this function.
		if i > 0 && (i >= len(want) || got[i] != want[i]) {
			t.Errorf("call %d is %x, want %x", i, got, want)
			break
		}
	}
	return room[0]
}

// TestWalkAgrees: where a build walks the frames, it agrees with runtime.Callers.
func TestWalkAgrees(t *testing.T) {
	pool()
	if walks != (now.Load() != nil) {
		t.Errorf("walks is %t, but in use: %t", walks, now.Load() != nil)
	}
	if !walks {
		t.Skip("this build does not walk")
	}
	if !verified() {
		t.Error("walk and runtime.Callers disagree")
	}
}

// TestWalkStaysOnTheStack: walk and hash end at the end of the stack, whatever the number of frames.
func TestWalkStaysOnTheStack(t *testing.T) {
	if !walks {
		t.Skip("this build does not walk")
	}
	done := make(chan int)
	go func() {
		var frames [most]uintptr
		n := walk(&frames[0], len(frames))
		if hash(most) != hash(1<<30) {
			t.Error("hash reads on beyond the outermost frame")
		}
		done <- n
	}()
	if n := <-done; n < 1 || n > 3 {
		t.Errorf("a goroutine of one function has %d frames", n)
	}
}

func BenchmarkHere(b *testing.B) {
	for range b.N {
		pool()
	}
}

// TestCallersIsCallers compares Callers with runtime.Callers at many depths, twice, with inlined calls and
// with calls through the standard library.
func TestCallersIsCallers(t *testing.T) {
	for range 3 {
		for n := range 60 {
			compare(t, n)
			compareInlined(t, n)
			slices.SortFunc([]int{2, 1, 3}, func(a, b int) int { compare(t, n%5); return a - b })
			reflect.ValueOf(compare).Call([]reflect.Value{reflect.ValueOf(t), reflect.ValueOf(n)})
			done := make(chan bool)
			go func() { defer close(done); compare(t, n) }()
			<-done
		}
	}
	func() {
		defer func() { recover(); compare(t, 3) }()
		panic("a panic's deferred calls have stacks, too")
	}()
}

func compareInlined(t *testing.T, n int) { compare(t, n) }

//go:noinline
func compare(t *testing.T, n int) {
	if n > 0 {
		compare(t, n-1)
		return
	}
	for skip := range 5 {
		var got, want [32]uintptr
		n, m := asked(skip, got[:], want[:])
		if n != m || got != want {
			t.Errorf("skip %d: %d calls %x, want %d, %x", skip, n, got, m, want)
		}
	}
}

// asked calls Callers and runtime.Callers from one line, which have different return addresses in asked
// itself.
func asked(skip int, got, want []uintptr) (n, m int) {
	n, m = Callers(skip, got), runtime.Callers(skip, want)
	for i := range got[:min(2-min(skip, 2), n)] {
		got[i], want[i] = 0, 0
	}
	return n, m
}

func BenchmarkCallers(b *testing.B) {
	var pcs [32]uintptr
	b.Run("cached", func(b *testing.B) {
		for range b.N {
			Callers(1, pcs[:])
		}
	})
	b.Run("runtime", func(b *testing.B) {
		for range b.N {
			runtime.Callers(1, pcs[:])
		}
	})
}
