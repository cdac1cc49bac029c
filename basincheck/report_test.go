//go:build go1.25

package basincheck_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestDefaultHandlerPanics(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	basincheck.Set(pooltest.FullChecking) // no handler
	b := basin.Get(100)
	basin.Put(b)
	func() {
		defer func() {
			err, _ := recover().(error)
			var r *basincheck.Report
			if !errors.As(err, &r) || r.Kind != basincheck.DoublePut {
				t.Errorf("a double Put panicked with %v", err)
			}
		}()
		basin.Put(b)
	}()
	basin.Put(basin.Get(100)) // and nothing is locked
}

// TestReportText expects the text of a report to name the pools of the misuse, and its own lines only.
func TestReportText(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	p, other := &basin.BytePool{Name: "bodies"}, &basin.BytePool{Name: "other"}
	fixed := &basin.FixedPool{Name: "fixed", Count: 1, Size: 64}
	var handles basin.BufferPool
	for want, misuse := range map[string]func(){
		`double Put: 128 bytes of pool "bodies"`:                                     func() { b := p.Get(100); p.Put(b); p.Put(b) },
		`write after Put: 128 bytes of pool "bodies", changed at offset 7`:           func() { b := p.Get(100); p.Put(b); b[7]++; basincheck.Verify() },
		`foreign Put: 100 bytes of no pool, put into pool "bodies"`:                  func() { p.Put(make([]byte, 100)) },
		`foreign Put: 1 byte of no pool, put into pool "bodies"`:                     func() { p.Put(make([]byte, 1)) },
		`interior Put: 128 bytes of pool "bodies", put from offset 4 on`:             func() { p.Put(p.Get(100)[4:]) },
		`re-sliced Put: 128 bytes of pool "bodies", put with a capacity of 9`:        func() { p.Put(p.Get(100)[:9:9]) },
		`Put into another pool: 128 bytes of pool "bodies", put into pool "other"`:   func() { other.Put(p.Get(100)) },
		`Put into another pool: 64 bytes of pool "fixed", put into pool "other"`:     func() { other.Put(fixed.Get()[1:]) },
		`Put into another pool: 64 bytes of pool "buffers", put into pool "handles"`: func() { handles.Name = "handles"; handles.Put(basin.GetBuffer()) },
	} {
		misuse()
		got := told.Take()
		if len(got) != 1 {
			t.Errorf("%s: %d reports: %v", want, len(got), got)
			continue
		}
		head, rest, _ := strings.Cut(got[0].Error(), "\n")
		advice, _, _ := strings.Cut(rest, "\n")
		if head != "basin: "+want || !strings.HasSuffix(advice, ".") || strings.Contains(rest, "goexit") || strings.Contains(rest, "testing.") {
			t.Errorf("got %v, want a report that begins with %s", got[0], want)
		}
		if r := got[0]; r.Kind == basincheck.WrongPool && r.Offset != 0 {
			t.Errorf("the offset of a Put into another pool is %d", r.Offset)
		}
	}
}

// TestLateWriteText expects the first sentence to say that the caller is innocent, and the guard as the next
// step.
func TestLateWriteText(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	b := basin.Get(100)
	basin.Put(b)
	b[7]++
	for len(told.Take()) == 0 {
		held := basin.Get(16 << 20) // the quarantine has room for a few
		basin.Put(held)
		basin.Get(1)
	}
	all := basincheck.Found()
	i := slices.IndexFunc(all, func(r *basincheck.Report) bool {
		return r.Kind == basincheck.WriteAfterPut && r.Offset == 7 && pooltest.InCaller(r.Acquired)
	})
	if i < 0 {
		t.Fatal("the write is not among the findings")
	}
	lines := strings.Split(all[i].Error(), "\n")
	if !strings.HasPrefix(lines[1], "  The call that stops here is innocent:") || !strings.Contains(lines[2], "BASIN_CHECK=full,guard in tests, BASIN_CHECK=sampled,guard in production") {
		t.Errorf("got %v", all[i])
	}
}

// TestLogByLine has one line in the log for each source line, whatever leads there.
func TestLogByLine(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1}) // no handler
	p := &basin.BytePool{Name: "by line"}
	for range 50 {
		down(10, func() { b := get(p, 100); p.Put(b); p.Put(b) })
	}
	if n := strings.Count(log.String(), "double Put"); n != 1 {
		t.Errorf("%d lines of one site, want 1:\n%s", n, &log)
	}
}

// TestBadHandlers has handlers that panic, and handlers that use pools and checks.
func TestBadHandlers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		handler func(*basincheck.Report)
	}{
		{"panics", func(*basincheck.Report) { panic("handler") }},
		{"uses the pool", func(r *basincheck.Report) {
			b := basin.Get(r.Size)
			basin.Put(b)
			basincheck.Verify()
			basincheck.Outstanding()
			basin.Default().Stats()
		}},
		{"misuses the pool", func(r *basincheck.Report) {
			if r.Size > 64 {
				b := basin.Get(64)
				basin.Put(b)
				basin.Put(b)
			}
		}},
		{"changes the level", func(*basincheck.Report) { basincheck.Set(basincheck.Settings{}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pooltest.BeginChecks(t, pooltest.FullChecking)
			basincheck.Set(basincheck.Settings{Level: basincheck.Full, Handler: tt.handler})
			for _, misuse := range []func(){
				func() { b := basin.Get(100); basin.Put(b); basin.Put(b) },
				func() { b := basin.Get(100); basin.Put(b[4:]) },
				func() { basin.Put(make([]byte, 100)) },
				func() { b := basin.Get(100); basin.Put(b); b[0] = 1; basincheck.Verify() },
			} {
				done := make(chan bool)
				go func() {
					defer close(done)
					defer func() { recover() }()
					misuse()
				}()
				<-done // or the test hangs
			}
			basin.Put(basin.Get(100))
		})
	}
}

// TestLog expects one line in the log for each kind and site that sampled checks find.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1}) // no handler
	for range 10 {
		b := basin.Get(100)
		basin.Put(b)
		basin.Put(b)
	}
	b := basin.Get(100)
	basin.Put(b)
	basin.Put(b)
	if n := strings.Count(log.String(), "double Put"); n != 2 {
		t.Errorf("%d lines of two sites, want 2:\n%s", n, &log)
	}
	if !strings.Contains(log.String(), "report_test.go") {
		t.Errorf("the log does not name the line:\n%s", &log)
	}
	new(basin.BytePool).Put(basin.Get(100))
	if !strings.Contains(log.String(), `into=""`) {
		t.Errorf("the log does not say that the other pool has no name:\n%s", &log)
	}
}

// down calls do from one of 2**depth stacks.
//
//go:noinline
func down(depth int, do func()) {
	switch {
	case depth == 0:
		do()
	case rand.IntN(2) == 0:
		down(depth-1, do)
	default:
		down(depth-1, do)
	}
}

// TestFoundForgets finds more than is remembered: frequent findings and new ones must stay.
func TestFoundForgets(t *testing.T) {
	pooltest.BeginChecks(t, pooltest.FullChecking)
	misuse := func(p *basin.BytePool) { b := p.Get(100); p.Put(b); p.Put(b) }
	often, last := &basin.BytePool{Name: "often"}, &basin.BytePool{Name: "last"}
	for range 100 {
		misuse(often)
	}
	for range 3000 {
		down(20, func() { misuse(basin.Default()) })
	}
	misuse(last)
	all := basincheck.Found()
	for _, name := range []string{"often", "last"} {
		if !slices.ContainsFunc(all, func(r *basincheck.Report) bool { return r.Pool == name }) {
			t.Errorf("%s: not among the %d that were found", name, len(all))
		}
	}
	if len(all) != 512 {
		t.Errorf("%d are remembered, want 512", len(all))
	}
}
