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
)

// A fake is a test that fails without consequences.
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

// expect fails t unless f has failed as often as there are texts, with each of them once.
func (f *fake) expect(t *testing.T, texts ...string) {
	t.Helper()
	if len(f.errors) != len(texts) {
		t.Fatalf("%d failures, want %d:\n%s", len(f.errors), len(texts), strings.Join(f.errors, "\n"))
	}
	for i, text := range texts {
		for _, part := range strings.Split(text, "|") {
			if !strings.Contains(f.errors[i], part) {
				t.Errorf("failure %d does not say %q:\n%s", i, part, f.errors[i])
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
		{"kept", func() { kept = basin.Get(100) }, nil, []string{"not put back: 1 object of 128 bytes|basintest_test.go"}},
		{"kept, twice at one place", func() {
			var b [2][]byte
			for i := range b {
				b[i] = basin.Get(100)
			}
			both = b
		}, nil, []string{"not put back: 2 objects of 256 bytes"}},
		{"kept by a goroutine", func() {
			done := make(chan bool)
			go func() { kept = basin.Get(100); close(done) }()
			<-done
		}, nil, []string{"not put back: 1 object"}},
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

// keep is what the functions of two tests have in common.
func keep(n int) { kept = basin.Get(n) }

// one and two are two tests in parallel; each is told when to do what.
func one(f *fake, do func()) { basintest.Check(f); do() }
func two(f *fake, do func()) { basintest.Check(f); do() }

func TestCheckInParallel(t *testing.T) {
	t.Run("each its own", func(t *testing.T) {
		a, b := &fake{TB: t}, &fake{TB: t}
		two(b, func() {})
		one(a, func() { keep(100) })
		a.end()
		b.end()
		a.expect(t, "not put back|128 bytes")
		b.expect(t)
	})
	t.Run("another goroutine's", func(t *testing.T) {
		a, b := &fake{TB: t}, &fake{TB: t}
		one(a, func() {})
		two(b, func() {})
		done := make(chan bool)
		go worker(done)
		<-done
		a.end()
		b.end()
		a.expect(t) // it may be b's
		b.expect(t, "not put back|by this test or one that ran in parallel")
	})
	t.Run("misuse on another goroutine", func(t *testing.T) {
		a, b := &fake{TB: t}, &fake{TB: t}
		one(a, func() {})
		two(b, func() {})
		done := make(chan bool)
		go misuser(done)
		<-done
		a.end()
		b.end()
		a.expect(t)
		b.expect(t, "double Put|by this test or one that ran in parallel")
	})
}

func worker(done chan bool) { keep(100); close(done) }

func misuser(done chan bool) {
	b := basin.Get(100)
	basin.Put(b)
	basin.Put(b) //basin:ok Check is to find it
	close(done)
}

// TestCheckRestores has the level from before come back.
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

// TestCheckReal is checked itself.
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
			basin.Put(basin.Append(basin.Make(10), make([]byte, 1000)...))
		}()
	}
	all.Wait()
}
