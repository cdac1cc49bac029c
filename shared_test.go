//go:build go1.25

package basin_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestSharedRecyclesOnce(t *testing.T) {
	p := withPool(t, pooltest.Config{})
	for range 200 {
		data := basin.Get(1000)
		s := basin.Default().NewShared(data)
		var readers sync.WaitGroup
		for range 8 {
			s.Retain()
			readers.Go(s.Release)
		}
		s.Release()
		readers.Wait()
	}
	if s := p.Stats(); s.Gets != 200 || s.Puts != 200 || s.Bytes.InUse != 0 || pooltest.Refused(s) != 0 {
		t.Errorf("%d gets, %d puts, %d drops, want each put once", s.Gets, s.Puts, pooltest.Refused(s))
	}
}

func TestSharedMistakes(t *testing.T) {
	pooltest.Misuses(t)
	p := withPool(t, pooltest.Config{})
	gone := func() *basin.Shared {
		s := basin.Default().NewShared(basin.Get(100))
		s.Retain().Release()
		s.Release()
		return s
	}
	for _, c := range []struct {
		mistake func(*basin.Shared)
		names   string
	}{
		{(*basin.Shared).Release, "one Release too many"},
		{func(s *basin.Shared) { s.Retain() }, "Shared.Retain of a Shared that has been released"},
		{func(s *basin.Shared) { s.Bytes() }, "Shared.Bytes of a Shared that has been released"},
	} {
		s := gone()
		for range 3 { // and again
			message := fmt.Sprint(recovered(func() { c.mistake(s) }))
			if !strings.HasPrefix(message, "basin: ") || !strings.Contains(message, c.names) {
				t.Errorf("panic %q, want one with %q", message, c.names)
			}
		}
	}
	// Whatever the order of mistakes, nothing is put again.
	s := gone()
	for i := range 100 {
		if recovered(func() {
			if i%3 == 0 {
				s.Retain()
			} else {
				s.Release()
			}
		}) == nil {
			t.Fatalf("mistake %d did not panic", i)
		}
	}
	if s := p.Stats(); s.Gets != s.Puts || s.Drops.Double != 0 {
		t.Errorf("%d gets, %d puts, %d double", s.Gets, s.Puts, s.Drops.Double)
	}
}

// TestSharedMistakesAtOnce: many goroutines release one reference too many each. Exactly one
// Release recycles, and as many panic as are too many.
func TestSharedMistakesAtOnce(t *testing.T) {
	pooltest.Misuses(t)
	p := withPool(t, pooltest.Config{})
	const rounds, releases, tooMany = 200, 4, 4
	var panicked atomic.Int64
	for range rounds {
		s := basin.Default().NewShared(basin.Get(100))
		for range releases - 1 {
			s.Retain()
		}
		var all sync.WaitGroup
		for range releases + tooMany {
			all.Go(func() {
				if recovered(s.Release) != nil {
					panicked.Add(1)
				}
			})
		}
		all.Wait()
	}
	if n := panicked.Load(); n != rounds*tooMany {
		t.Errorf("%d Releases panicked, want %d", n, rounds*tooMany)
	}
	if s := p.Stats(); s.Puts != rounds || s.Drops.Double != 0 {
		t.Errorf("%d puts, want %d", s.Puts, rounds)
	}
}

// TestCheckDetached: detached memory need not be put, but shared memory must be released.
func TestCheckDetached(t *testing.T) {
	const here = "github.com/basin-go/basin_test.TestCheckDetached."
	for _, tt := range []struct {
		name string
		take func(b *basin.Buffer) (put func())
		line string // that has the memory outstanding
	}{
		{"Detach", func(b *basin.Buffer) func() { d := b.Detach(); return func() { basin.Put(d) } }, ""},
		{"Detach of foreign contents", func(b *basin.Buffer) func() {
			d := basin.NewBuffer(bytes.Clone(b.Bytes())).Detach()
			return func() { basin.Put(d) }
		}, ""},
		{"Detach", func(b *basin.Buffer) func() { return basin.Default().NewShared(b.Detach()).Release }, here + "func3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := pooltest.BeginChecks(t, pooltest.FullChecking)
			var b basin.Buffer
			b.Write(make([]byte, 1000))
			if s := basincheck.Outstanding(); s != nil {
				t.Errorf("a Buffer need not be freed, but is listed: %+v", s)
			}
			put := tt.take(&b)
			s := basincheck.Outstanding()
			if listed := len(s) == 1 && s[0].Items == 1 && s[0].Bytes == 1024 && s[0].Stack.Frames()[0].Function == tt.line; listed != (tt.line != "") {
				t.Errorf("in use: %+v", s)
			}
			put()
			if s := basincheck.Outstanding(); s != nil {
				t.Errorf("in use after the Put: %+v", s)
			}
			if got := told.Take(); got != nil {
				t.Errorf("reported: %v", got)
			}
			if tt.line == "" { // a second Put is found, with the line of Detach
				put()
				if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.DoublePut || !pooltest.InCaller(got[0].Acquired) {
					t.Errorf("put twice: reported %v", got)
				}
			}
			dropped := func() weak.Pointer[byte] {
				b.Write(make([]byte, 1000))
				at := weak.Make(array(b.Bytes()))
				tt.take(&b)
				return at
			}()
			testenv.CollectUntil(func() bool { return dropped.Value() == nil })
			testenv.RunCleanups()
			if got := told.Take(); (len(got) == 1 && got[0].Kind == basincheck.Leak) != (tt.line != "") || len(got) > 1 {
				t.Errorf("dropped: reported %v", got)
			}
		})
	}
}

// TestCheckWaysOut: each way to leave memory to the collector that the documentation allows is no
// leak, in pools with and without a ceiling.
func TestCheckWaysOut(t *testing.T) {
	for _, max := range []int64{0, 1 << 20} {
		p := withPool(t, pooltest.Config{MaxInUse: max})
		for name, drop := range map[string]func(){
			"Forget":                  func() { p.Forget(p.Get(1000)) },
			"Detach":                  func() { var b basin.Buffer; b.Write(pattern(1000)); b.Detach() },
			"Detach, of a handle":     func() { b := basin.GetBuffer(); b.Write(pattern(1000)); b.Detach(); basin.PutBuffer(b) },
			"Detach, then Forget":     func() { var b basin.Buffer; b.Write(pattern(1000)); p.Forget(b.Detach()) },
			"NewBuffer":               func() { basin.NewBuffer(p.Get(1000)) },
			"NewBuffer, freed":        func() { basin.NewBuffer(p.Get(1000)).Free() },
			"NewBuffer, outgrown":     func() { basin.NewBuffer(p.Get(1000)).Write(pattern(1000)) },
			"a Buffer without Free":   func() { new(basin.Buffer).Write(pattern(1000)) },
			"a small Buffer, dropped": func() { basin.NewSmallBuffer().Write(pattern(1000)) },
		} {
			told := pooltest.BeginChecks(t, pooltest.FullChecking)
			drop()
			if s := basincheck.Outstanding(); s != nil {
				t.Errorf("MaxInUse %d, %s: outstanding %+v", max, name, s)
			}
			testenv.RunCleanups()
			if max > 0 {
				testenv.CollectUntil(func() bool { return p.Stats().Bytes.InUse == 0 })
			}
			if got := told.Take(); got != nil {
				t.Errorf("MaxInUse %d, %s: reported %v", max, name, got)
			}
		}
	}
}
