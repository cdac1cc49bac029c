//go:build go1.25

package basincheck_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// Functions that take and give up references, well or not.

func produce() *basin.Shared { return basin.Default().NewShared(basin.Get(100)) }

func goodUser(s *basin.Shared) {
	s.Retain()
	defer s.Release()
	s.Bytes()
}

func badUser(s *basin.Shared, fails bool) {
	s.Retain()
	defer func() { s.Release() }()
	if fails {
		s.Release() // one too many
		return
	}
}

func consume(s *basin.Shared) { s.Release() }

func consumeToo(s *basin.Shared) { s.Release() }

// releasing calls f, which may panic for one Release too many.
func releasing(f func()) {
	defer func() { recover() }()
	f()
}

// trailOf describes the steps of a report by call, function and number.
func trailOf(r *basincheck.Report) string {
	var all []string
	for _, s := range r.Trail {
		f := s.Stack.Line()
		all = append(all, fmt.Sprintf("%s %s %d", s.Call, strings.TrimPrefix(path.Ext(strings.TrimSuffix(f.Function, ".func1")), "."), s.Count))
	}
	return strings.Join(all, ", ")
}

// TestTrail has one Release too many, in different places. The report must have the true history, and
// may name only the function that is at fault.
func TestTrail(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func()
		want string // the trail
		at   string // the function of the misusing call
		bad  string // a part of the suspect, or empty
		also string // a part of the text
	}{
		{"in an error path", func() {
			s := produce()
			goodUser(s)
			badUser(s, false)
			badUser(s, true)
			releasing(func() { consume(s) })
		}, "NewShared produce 1, Retain goodUser 1, Release goodUser 1, Retain badUser 1, Release badUser 1, Retain badUser 1, Release badUser 1, Release badUser 1", "consume", "", ".badUser 3 of 2, github.com/basin-go/basin/basincheck_test.consume 1 of 0, github.com/basin-go/basin/basincheck_test.produce 0 of 1."},
		{"in an error path, and its creator releases", func() {
			s := basin.Default().NewShared(basin.Get(100))
			goodUser(s)
			badUser(s, true)
			releasing(func() { s.Release() })
		}, "NewShared func2 1, Retain goodUser 1, Release goodUser 1, Retain badUser 1, Release badUser 1, Release badUser 1", "func2", "", "One Release was too many, not necessarily the last."},
		{"all in one function", func() {
			s := produce()
			s.Retain()
			s.Release()
			s.Release()
			releasing(func() { s.Release() })
		}, "NewShared produce 1, Retain func3 1, Release func3 1, Release func3 1", "func3", ": it released 3 times, for 2 references.", ""},
		{"passed on, twice released", func() {
			s := produce()
			for range 2 {
				releasing(func() { consume(s) })
			}
		}, "NewShared produce 1, Release consume 1", "consume", "All 2 were at ", ""},
		{"two consumers, one of which is wrong", func() {
			s := produce().Retain()
			for range 2 {
				consume(s)
			}
			releasing(func() { consumeToo(s) })
		}, "NewShared produce 1, Retain func5 1, Release consume 2", "consumeToo", "", "the last calls in order: 1 2 3 3"},
		{"a use after all", func() {
			s := produce()
			consume(s)
			releasing(func() { s.Retain() })
		}, "NewShared produce 1, Release consume 1", "func6", "", "Either this call lacks one"},
		{"handed off by a function that then releases twice", func() {
			s := basin.Default().NewShared(basin.Get(100))
			s.Retain()
			s.Release() // of the reference that is handed off
			s.Release()
			releasing(func() { consume(s) })
		}, "NewShared func7 1, Retain func7 1, Release func7 1, Release func7 1", "consume", "", "consume 1 of 0"},
		{"one reference in one function", func() {
			s := produce()
			s.Release()
			releasing(func() { s.Release() })
		}, "NewShared produce 1, Release func8 1", "func8", ": it released 2 times, for 1 reference.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := pooltest.BeginChecks(t, pooltest.FullChecking)
			tt.run()
			got := told.Take()
			if len(got) != 1 || got[0].Kind != basincheck.UseAfterRelease {
				t.Fatalf("reported %v", got)
			}
			r := got[0]
			if got := trailOf(r); got != tt.want {
				t.Errorf("the trail is\n%s, want\n%s", got, tt.want)
			}
			if f := r.Here.Line().Function; !strings.Contains(f, "."+tt.at) {
				t.Errorf("found in %s, want %s", f, tt.at)
			}
			if (r.Suspect != "") != (tt.bad != "") || !strings.Contains(r.Suspect, tt.bad) {
				t.Errorf("suspects %q, want %q", r.Suspect, tt.bad)
			}
			text := r.Error()
			if !strings.Contains(text, tt.also) || !strings.Contains(text, r.Suspect) || strings.Count(text, "trail_test.go:") < len(r.Trail)+2 {
				t.Errorf("the text lacks %q, the suspect or lines:\n%s", tt.also, text)
			}
		})
	}
}

// release is a helper of several callers.
func release(s *basin.Shared) { s.Release() }

// TestTrailOfHelper expects the callers of a helper to be told apart.
func TestTrailOfHelper(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	s := produce().Retain().Retain()
	release(s)
	release(s)
	releasing(func() { release(s) })
	releasing(func() { release(s) })
	got := told.Take()
	if len(got) != 1 {
		t.Fatalf("reported %v", got)
	}
	if n := strings.Count(got[0].Error(), ".TestTrailOfHelper\n"); n < 4 {
		t.Errorf("%d callers are shown:\n%v", n, got[0])
	}
	if got := trailOf(got[0]); !strings.HasSuffix(got, "Release release 1, Release release 1, Release release 1") {
		t.Errorf("the trail is %s", got)
	}
}

// TestTrailIsBounded has many calls at few lines, and many lines.
func TestTrailIsBounded(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	s := produce()
	for range 10_000 {
		goodUser(s)
	}
	for range 200 {
		down(8, func() { s.Retain() })
	}
	for range 200 {
		s.Release()
	}
	consume(s)
	releasing(func() { consumeToo(s) })
	got := told.Take()
	if len(got) != 1 {
		t.Fatalf("reported %v", got)
	}
	r := got[0]
	if len(r.Trail) > 16 || len(r.Trail) < 10 || r.Trail[1].Count != 10_000 || r.Trail[2].Count != 10_000 {
		t.Errorf("%d steps: %v", len(r.Trail), r.Trail)
	}
	if r.Suspect != "" || !strings.Contains(r.Error(), "calls at other lines") {
		t.Errorf("steps are missing, and still: %v", r)
	}
}

// TestTrailEnds: sampled checks do not follow a Shared for ever, and then find as much as without a
// trail. Their memory is given back.
func TestTrailEnds(t *testing.T) {
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	before := basincheck.Stats().Bytes
	for range 3 {
		s := produce()
		for range 2000 {
			goodUser(s)
		}
		consume(s)
		releasing(func() { consumeToo(s) })
		got := told.Take()
		if len(got) != 1 || got[0].Trail[1].Count > 1000 || got[0].Trail[1].Count < 400 {
			t.Errorf("reported %v", got)
		}
	}
	basincheck.Set(basincheck.Settings{})
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1, Handler: told.Handle})
	if after := basincheck.Stats().Bytes; after > before+20*4000 {
		t.Errorf("%d bytes in use, %d before", after, before)
	}
}

// TestTrailSurvivesSwitches retains and releases in many goroutines while checks begin and end. Each
// Shared must be put once.
func TestTrailSurvivesSwitches(t *testing.T) {
	before := basincheck.Now()
	defer basincheck.Set(before)
	var told pooltest.Reports
	stop := make(chan bool)
	var switching, working sync.WaitGroup
	switching.Go(func() {
		for {
			for _, s := range []basincheck.Settings{pooltest.FullChecking, {}, {Level: basincheck.Sampled, Every: 1}} {
				s.Handler = told.Handle
				basincheck.Set(s)
				select {
				case <-stop:
					return
				default:
				}
			}
		}
	})
	for range 4 {
		working.Go(func() {
			for range 200 {
				s := produce()
				var users sync.WaitGroup
				for range 4 {
					s.Retain()
					users.Go(func() {
						for range 5 {
							goodUser(s)
						}
						s.Release()
					})
				}
				users.Wait()
				if len(s.Bytes()) != 100 {
					t.Error("the data is gone before the last Release")
				}
				s.Release()
				released := func() (panics bool) {
					defer func() { panics = recover() != nil }()
					s.Release()
					return
				}
				told.Take()
				if !released() {
					t.Error("another Release does not panic")
				}
			}
		})
	}
	working.Wait()
	close(stop)
	switching.Wait()
}

// TestTrailInLog expects the trail and the suspect as attributes.
func TestTrailInLog(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1})
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: 1}) // no handler
	s := basin.Default().NewShared(basin.Get(100))
	s.Retain()
	s.Release()
	s.Release()
	releasing(func() { s.Release() })
	for _, want := range []string{`suspect="Look first at `, `trail="NewShared in `, "TestTrailInLog"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &log)
		}
	}
}

// TestFoundTrails: of many findings, few keep their trails.
func TestFoundTrails(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	for i := range 100 {
		p := &basin.BytePool{Name: fmt.Sprint("trails ", i)}
		releasing(func() { s := shareOf(p); s.Release(); s.Release() })
	}
	if got := told.Take(); len(got) != 100 || slices.ContainsFunc(got, func(r *basincheck.Report) bool { return len(r.Trail) != 2 }) {
		t.Errorf("%d reports, or some without their trail", len(got))
	}
	n := 0
	for _, r := range basincheck.Found() {
		if r.Trail != nil {
			n++
		}
		_ = r.Error()
	}
	if n == 0 || n > 20 {
		t.Errorf("%d findings with a trail are remembered, want 1 to 20", n)
	}
}

func shareOf(p *basin.BytePool) *basin.Shared {
	handles := &basin.BufferPool{Bytes: p}
	b := handles.Get()
	defer handles.Put(b)
	b.Write(make([]byte, 100))
	return p.NewShared(b.Detach())
}
