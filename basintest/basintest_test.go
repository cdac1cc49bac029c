//go:build go1.25

package basintest_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/testenv"
)

// A fake is a testing.TB that only records its failures.
type fake struct {
	testing.TB
	mu       sync.Mutex
	errors   []string
	cleanups []func()
}

func (f *fake) Helper()          {}
func (f *fake) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }
func (f *fake) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fake) end() {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
}

// expect fails t unless f has one failure for each text. A text has parts between bars. The
// failure must contain each part, or must not if the part begins with an exclamation mark. The
// first line must have the note on the test at fault.
func (f *fake) expect(t *testing.T, texts ...string) {
	t.Helper()
	if len(f.errors) != len(texts) {
		t.Fatalf("%d failures, want %d:\n%s", len(f.errors), len(texts), strings.Join(f.errors, "\n"))
	}
	for i, text := range texts {
		for _, part := range strings.Split(text, "|") {
			part, not := strings.CutPrefix(part, "!")
			in := f.errors[i]
			if part == shared {
				in, _, _ = strings.Cut(in, "\n")
			}
			if strings.Contains(in, part) == not {
				t.Errorf("failure %d says %q: %v, in\n%s", i, part, !not, f.errors[i])
			}
		}
	}
}

var kept []byte

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name    string
		do      func()
		options []basintest.Option
		want    []string
	}{
		{"nothing", func() {}, nil, nil},
		{"put back", func() { basin.Put(basin.Get(100)) }, nil, nil},
		{"put back by a goroutine that takes its time", func() {
			b := basin.Get(100)
			go func() {
				for range 100 {
					runtime.Gosched()
				}
				basin.Put(b)
			}()
		}, nil, nil},
		{"kept", func() { kept = basin.Get(100) }, nil, []string{"not put back: 1 item of 128 bytes|basintest_test.go"}},
		{"kept, twice at one place", func() {
			var b [2][]byte
			for i := range b {
				b[i] = basin.Get(100)
			}
			both = b
		}, nil, []string{"not put back: 2 items of 256 bytes"}},
		{"kept by a goroutine", func() {
			done := make(chan bool)
			go func() { kept = basin.Get(100); close(done) }()
			<-done
		}, nil, []string{"not put back: 1 item"}},
		{"kept, which is allowed", func() { kept = basin.Get(100) }, []basintest.Option{basintest.AllowLeaks()}, nil},
		//basin:ok Check is to find it
		{"put twice", func() { b := basin.Get(100); basin.Put(b); basin.Put(b) }, nil, []string{"double Put|basintest_test.go|put back|acquired"}},
		//basin:ok Check is to find it
		{"put twice, leaks allowed", func() { b := basin.Get(100); basin.Put(b); basin.Put(b) }, []basintest.Option{basintest.AllowLeaks()}, []string{"double Put"}},
		//basin:ok Check is to find it
		{"written to after put", func() { b := basin.Get(100); basin.Put(b); b[5] = 1; kept = b }, nil, []string{"write after Put|offset 5"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{TB: t}
			basintest.Check(f, tt.options...)
			tt.do()
			f.end()
			f.expect(t, tt.want...)
			if now := basincheck.Now(); now.Level != basincheck.Off && now.Handler == nil {
				t.Errorf("after the test: %+v", now)
			}
		})
	}
}

var both [2][]byte

// keep is called by both tests, so the stacks of its acquisitions do not tell them apart.
func keep(n int) { kept = basin.Get(n) }

// A step is a function that a test runs on its goroutine.
type step struct {
	do   func()
	done chan bool
}

// one and two are the functions of two tests, which run the steps sent to them.
func one(steps chan step) { run(steps) }
func two(steps chan step) { run(steps) }

func run(steps chan step) {
	for s := range steps {
		s.do()
		close(s.done)
	}
}

// A parallel is a test on its own goroutine. It has called Check in a helper.
type parallel struct {
	*fake
	steps chan step
}

func start(t *testing.T, function func(chan step), options ...basintest.Option) *parallel {
	p := &parallel{&fake{TB: t}, make(chan step)}
	go function(p.steps)
	t.Cleanup(func() { close(p.steps) })
	p.do(func() { basintest.Check(p.fake, options...) })
	return p
}

// do runs f on the goroutine of the test.
func (p *parallel) do(f func()) {
	s := step{f, make(chan bool)}
	p.steps <- s
	<-s.done
}

func (p *parallel) end() { p.do(p.fake.end) }

const shared = "by this test or one that ran in parallel"

func TestCheckInParallel(t *testing.T) {
	double := func() {
		b := basin.Get(100)
		basin.Put(b)
		basin.Put(b) //basin:ok Check is to find it
	}
	t.Run("each its own", func(t *testing.T) {
		a, b := start(t, one), start(t, two)
		a.do(func() { keep(100) })
		b.do(double)
		b.end()
		a.end()
		a.expect(t, "not put back|128 bytes|!"+shared)
		b.expect(t, "double Put|!"+shared)
	})
	t.Run("each its own, of one function", func(t *testing.T) {
		a, b := start(t, one), start(t, one)
		b.do(func() { keep(100) })
		a.end()
		a.expect(t)
		b.do(double)
		b.end()
		b.expect(t, "double Put|!"+shared, "not put back|128 bytes|!"+shared)
	})
	t.Run("another is not done yet", func(t *testing.T) {
		a, b := start(t, one), start(t, one)
		var held []byte
		b.do(func() { held = basin.Get(100) })
		a.end()
		b.do(func() { basin.Put(held) })
		b.end()
		a.expect(t)
		b.expect(t)
	})
	t.Run("dropped, for the collector to find", func(t *testing.T) {
		a, b := start(t, one), start(t, one)
		a.do(func() { basin.Get(100) })
		testenv.RunCleanups()
		b.end()
		a.end()
		b.expect(t)
		a.expect(t, "leak|!"+shared)
	})
	t.Run("another goroutine's", func(t *testing.T) {
		a, b := start(t, one), start(t, two)
		done := make(chan bool)
		go worker(done)
		<-done
		a.end()
		b.end()
		a.expect(t) // the finding may be b's
		b.expect(t, "not put back|"+shared)
	})
	t.Run("misuse on another goroutine", func(t *testing.T) {
		a, b := start(t, one), start(t, two)
		done := make(chan bool)
		go misuser(done)
		<-done
		a.end()
		b.end()
		a.expect(t)
		b.expect(t, "double Put|"+shared)
	})
	t.Run("leaks allowed to one", func(t *testing.T) {
		a, b := start(t, one, basintest.AllowLeaks()), start(t, one)
		a.do(func() { keep(100) })
		b.end()
		a.end()
		a.expect(t)
		b.expect(t)
	})
}

func worker(done chan bool) { keep(100); close(done) }

func misuser(done chan bool) {
	b := basin.Get(100)
	basin.Put(b)
	basin.Put(b) //basin:ok Check is to find it
	close(done)
}

// TestCheckRestores expects the previous level back after Check.
func TestCheckRestores(t *testing.T) {
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 9})
	f := &fake{TB: t}
	basintest.Check(f)
	if l := basincheck.Now().Level; l != basincheck.Full {
		t.Errorf("while checked: %v", l)
	}
	f.end()
	if c := basincheck.Now(); c.Level != basincheck.Sampled || c.Every != 9 {
		t.Errorf("after: %+v", c)
	}
}

// TestCheckReal calls Check on itself.
func TestCheckReal(t *testing.T) {
	basintest.Check(t)
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			b := basin.GetBuffer()
			b.WriteString("text")
			basin.PutBuffer(b)
			basin.Put(basin.Append(basin.Get(10)[:0], make([]byte, 1000)...))
		}()
	}
	all.Wait()
}
