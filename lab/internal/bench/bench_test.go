package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/report"
	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

// asPart is the environment variable that makes the test program a child process.
const asPart = "BASIN_BENCH_TEST_AS_PART"

func TestMain(m *testing.M) {
	subjects.Register(append(fakes, again(), slowed())...)
	if os.Getenv(asPart) != "" {
		part := func() error { return fmt.Errorf("no part %q", os.Args[1]) }
		switch os.Args[1] {
		case PartCommand:
			part = RunPart
		case demo.PartCommand:
			part = func() error { return demo.RunPart(os.Args[2]) }
		}
		if err := part(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Setenv(asPart, "1")
	os.Setenv("GORACE", "atexit_sleep_ms=0") // by default each child takes a second to exit
	os.Exit(m.Run())
}

// fakes are subjects that misbehave.
var fakes = []*subjects.Subject{
	{Name: "panics at once", Kind: subjects.Technique, Slices: func() subjects.Slices { panic("no pool today") }},
	{Name: "panics in Get", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { panic("out of slices") }} }},
	{Name: "deadlocks", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { select {} }} }},
	{Name: "exits", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { os.Exit(3) }} }},
	{Name: "works once", Kind: subjects.Technique, Slices: func() subjects.Slices {
		n := 0
		return fake{get: func() {
			if n++; n > 20_000 {
				panic("worn out")
			}
		}}
	}},
	{Name: "slow", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { spinFor(2 * time.Microsecond) }} }},
	{Name: "slower", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { spinFor(200 * time.Microsecond) }} }},
	{Name: "allocates 100 bytes", Kind: subjects.Technique, Slices: func() subjects.Slices { return fake{get: func() { sink = make([]byte, 112) }} }},
}

// again is a copy of basin, and slowed basin with so much work around each Get that it takes longer for certain.
func again() *subjects.Subject {
	return copyOf("basin again", func(s subjects.Slices) subjects.Slices { return s })
}
func slowed() *subjects.Subject {
	return copyOf("basin slowed", func(s subjects.Slices) subjects.Slices { return slowly{s} })
}

func copyOf(name string, change func(subjects.Slices) subjects.Slices) *subjects.Subject {
	s, err := subjects.Named(subjects.Reference)
	if err != nil {
		panic(err)
	}
	other := *s
	other.Name = name
	other.Slices = func() subjects.Slices { return change(s.Slices()) }
	return &other
}

type slowly struct{ subjects.Slices }

func (s slowly) Get(n int) subjects.Slice {
	s.Slices.Put(s.Slices.Get(n))
	s.Slices.Put(s.Slices.Get(n))
	return s.Slices.Get(n)
}

var sink []byte

// A fake is a pool whose Get also calls a function.
type fake struct{ get func() }

func (f fake) Get(n int) subjects.Slice {
	f.get()
	return subjects.Slice{B: buffer[:n]}
}
func (f fake) Put(subjects.Slice) {}

var buffer = make([]byte, 1<<20)

// spinFor keeps the processor busy.
func spinFor(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}

// faked reports whether s is of this file.
func faked(s *subjects.Subject) bool {
	return slices.Contains(fakes, s) || strings.HasPrefix(s.Name, subjects.Reference+" ")
}

// silent is a Progress without output.
type silent struct {
	steps func(what string)
}

func (s silent) Step(_ float64, _ time.Duration, what string) {
	if s.steps != nil {
		s.steps(what)
	}
}
func (silent) Finish() {}

// measureFakes runs a workload with the named subjects.
func measureFakes(t *testing.T, workload string, names ...string) *report.Report {
	t.Helper()
	c := Config{Rounds: 5, RoundTime: time.Millisecond, Stall: 6 * time.Second}
	w, err := work.Named(workload)
	if err != nil {
		t.Fatal(err)
	}
	c.Workloads = []*work.Workload{w}
	for _, name := range names {
		s, err := subjects.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Subjects = append(c.Subjects, s)
	}
	r, err := Run(t.Context(), c, silent{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSubjectsThatFail: a failure is reported with the subject's name, and the other subjects
// are measured.
func TestSubjectsThatFail(t *testing.T) {
	t.Parallel()
	bad := map[string]string{
		"panics at once": "panic: no pool today",
		"panics in Get":  "panic: out of slices",
		"deadlocks":      "hung: no result of warm within 6s",
		"exits":          "exit status 3",
		"works once":     "panic: worn out",
	}
	r := measureFakes(t, "getput", append([]string{"basin", "make"}, slices.Sorted(maps.Keys(bad))...)...)
	for _, res := range r.Workloads[0].Results {
		want := bad[res.Subject]
		if want == "" {
			if res.Failed != "" || res.Rounds != 5 || res.Min <= 0 {
				t.Errorf("%s: %+v", res.Subject, res)
			}
			continue
		}
		if !strings.Contains(res.Failed, want) {
			t.Errorf("%s failed with %q, want %q in it", res.Subject, res.Failed, want)
		}
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "getput of deadlocks") || strings.Contains(err.Error(), "make") {
		t.Errorf("error is %v", err)
	}
	for name, why := range bad {
		if !strings.Contains(table.String(), "failed: "+name) || !strings.Contains(table.String(), why) {
			t.Errorf("no %s: %s in\n%s", name, why, &table)
		}
	}
}

// TestSlowerByConstruction asserts only figures that are certain by construction: on a busy
// machine a round may take a few times as long, but not a hundred times.
func TestSlowerByConstruction(t *testing.T) {
	r := measureFakes(t, "getput", "basin", "slow", "slower", "allocates 100 bytes")
	w := r.Workloads[0]
	slow, slower, allocates := w.Result("slow"), w.Result("slower"), w.Result("allocates 100 bytes")
	if slow.Min < 2000 || slower.Min < 200_000 {
		t.Errorf("fastest rounds are %v and %v ns per operation, which cannot be less than 2000 and 200000", slow.Min, slower.Min)
	}
	// With the race detector basin itself may take longer than that.
	if basin := w.Result("basin").Min; basin < 2000 && slow.Ratio >= 1 || slower.Ratio >= slow.Ratio {
		t.Errorf("ratios are %v and %v", slow.Ratio, slower.Ratio)
	}
	if got, want := slow.Ratio, w.Result("basin").Min/slow.Min; got != want {
		t.Errorf("ratio is %v, want %v", got, want)
	}
	if got := allocates.AllocsPerOp; got < 1 || got > 1.1 {
		t.Errorf("%v allocations per operation, want 1", got)
	}
	if got := allocates.BytesPerOp; got < 112 || got > 120 {
		t.Errorf("%v bytes per operation, want 112", got)
	}
	if m := allocates.MissesPerOp; m == nil || !allocates.MissesDerived || *m > 0.03 {
		t.Errorf("misses are %v, derived %v, want 112 of 4096, derived", m, allocates.MissesDerived)
	}
}

// TestHonest: over three runs, a copy of basin is level with it, and one that does each Get three times is slower. Of
// single runs on a busy machine, one in twenty calls the copy slower.
func TestHonest(t *testing.T) {
	if !pooltest.Long() || testenv.Race {
		t.Skip("it measures time, so it runs alone: BASIN_TEST_LONG=1")
	}
	c := Config{Rounds: 30, RoundTime: time.Millisecond}
	var err error
	if c.Workloads, err = ChooseWorkloads("getput,mixed"); err != nil {
		t.Fatal(err)
	}
	if c.Subjects, err = ChooseSubjects("basin again,basin slowed"); err != nil {
		t.Fatal(err)
	}
	var runs []*report.Report
	for i := range 3 {
		r, err := Run(t.Context(), c, silent{})
		if err != nil {
			t.Fatal(err)
		}
		r.Time = r.Time.Add(time.Duration(i) * time.Second) // they differ by it
		runs = append(runs, r)
	}
	r, err := report.Combine(runs)
	if err != nil {
		t.Fatal(err)
	}
	if r.Noise.Noisy {
		t.Skip("such runs are refused: " + r.Noise.Warning())
	}
	for _, w := range r.Workloads {
		if how := w.Result("basin again").Verdict(); how != "level" {
			t.Errorf("%s: basin is called %s than itself: %+v", w.Name, how, w.Result("basin again"))
		}
		if how := w.Result("basin slowed").Verdict(); how != "faster" {
			t.Errorf("%s: basin is called %s beside three times its work: %+v", w.Name, how, w.Result("basin slowed"))
		}
	}
}

// TestEverything runs every workload with every subject that supports it, in this process. By
// default it runs each workload with basin and make, and every other subject with one workload
// of each group.
func TestEverything(t *testing.T) {
	t.Parallel()
	env := work.Env{Sizes: work.FileSizes()}
	if !testing.Short() {
		var stop func()
		var err error
		if env.Backend, stop, err = work.StartBackend(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	tried := map[string]bool{} // subjects in groups
	for _, w := range work.All() {
		if w.Curve != nil || w.NeedsBackend && testing.Short() {
			continue
		}
		measured := 0
		for _, s := range subjects.All() {
			if !w.Can(s) || faked(s) {
				continue
			}
			measured++
			key := s.Name + " in " + w.Group
			if s.Name != subjects.Reference && s.Name != "make" && tried[key] && !pooltest.Long() {
				continue
			}
			tried[key] = true
			p := new(Part)
			if err := p.Start(PartArgs{w.Name, s.Name, env}, nil); err != nil {
				t.Fatalf("%s of %s: %v", w.Name, s.Name, err)
			}
			u := report.Round{N: 20}
			if err := p.Round(u.N, &u.Usage); err != nil || u.Elapsed <= 0 {
				t.Errorf("%s of %s: %+v, %v", w.Name, s.Name, u, err)
			}
			if s.Name == "make" && s.Slices != nil && w.Group == work.GroupSlices && u.Bytes < uint64(u.N) {
				t.Errorf("%s of make allocated %d bytes", w.Name, u.Bytes)
			}
		}
		if measured < 2 {
			t.Errorf("%s has %d subjects", w.Name, measured)
		}
	}
}

// TestInterrupted: an interrupted run returns the results so far.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	all, err := ChooseSubjects("make,mcache")
	if err != nil {
		t.Fatal(err)
	}
	works, err := ChooseWorkloads("getput,mixed,handover")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(ctx, Config{Workloads: works, Subjects: all, Rounds: 3, RoundTime: 100 * time.Microsecond},
		silent{func(what string) {
			if what == "handover" {
				cancel()
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted {
		t.Error("the report does not say that it was interrupted")
	}
	for _, name := range []string{"getput", "mixed"} {
		if res := r.Workload(name).Result("make"); res.Rounds != 3 || res.Ratio == 0 {
			t.Errorf("%s: %+v", name, res)
		}
	}
	for _, res := range r.Workload("handover").Results {
		if res.Failed != "" {
			t.Errorf("%s failed: %s", res.Subject, res.Failed)
		}
	}
	var table strings.Builder
	r.WriteTable(&table)
	if !strings.Contains(table.String(), "Interrupted") {
		t.Errorf("the table does not say so:\n%s", &table)
	}
}

// TestCurves runs a shortened form of memory over time.
func TestCurves(t *testing.T) {
	for _, name := range []string{"spike", "giant", "giant-buffers"} {
		w, err := work.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		duration := w.Curve.Duration
		w.Curve.Duration, w.Curve.Every = 200*time.Millisecond, 50*time.Millisecond
		defer func() { w.Curve.Duration, w.Curve.Every = duration, work.CurveEvery }()
		for _, s := range subjects.All() {
			if !w.Can(s) || faked(s) || s.Name != subjects.Reference && s.Name != "make" {
				continue
			}
			t.Run(name+"/"+s.Name, func(t *testing.T) {
				p := new(Part)
				if err := p.Start(PartArgs{name, s.Name, work.Env{Sizes: work.FileSizes()}}, nil); err != nil {
					t.Fatal(err)
				}
				var curve []report.Point
				if err := p.Watch(struct{}{}, &curve); err != nil {
					t.Fatal(err)
				}
				if len(curve) < 3 {
					t.Fatalf("the curve is %v", curve)
				}
				if curve[0].Bytes < 10<<20 {
					t.Errorf("%d bytes are held", curve[0].Bytes)
				}
				if last := curve[len(curve)-1]; s.Name == "make" && last.Bytes > curve[0].Bytes/2 {
					t.Errorf("make still holds %d bytes of %d", last.Bytes, curve[0].Bytes)
				}
			})
		}
	}
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		name, patterns string
		want           string // names, or a part of the error
		bad            bool
	}{
		{name: "one", patterns: "mixed", want: "mixed"},
		{name: "order is ours", patterns: "mixed,getput", want: "getput mixed"},
		{name: "spaces", patterns: " mixed , getput ", want: "getput mixed"},
		{name: "pattern", patterns: "get*", want: "getput getput-parallel"},
		{name: "twice", patterns: "mixed,mixed", want: "mixed"},
		{name: "unknown", patterns: "mixed,unheard-of", want: `unknown workload "unheard-of"; there are: getput, `, bad: true},
		{name: "pattern of nothing", patterns: "z*", want: `unknown workload "z*"; there are: `, bad: true},
		{name: "empty among others", patterns: "mixed,", want: `unknown workload ""`, bad: true},
		{name: "bad pattern", patterns: "[", want: "syntax error", bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			works, err := ChooseWorkloads(tt.patterns)
			if tt.bad {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error is %v, want %q in it", err, tt.want)
				}
				return
			}
			var names []string
			for _, w := range works {
				names = append(names, w.Name)
			}
			if got := strings.Join(names, " "); err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
	t.Run("subject", func(t *testing.T) {
		_, err := ChooseSubjects("nobody")
		if err == nil || !strings.Contains(err.Error(), `unknown subject "nobody"; there are: basin, `) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("subject with a slash", func(t *testing.T) {
		s, err := ChooseSubjects("grpc/mem")
		if err != nil || len(s) != 2 || s[0].Name != subjects.Reference || s[1].Name != "grpc/mem" {
			t.Errorf("%v, %v", s, err)
		}
	})
}

// TestNames: names are unique and not empty.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range subjects.All() {
		if seen[s.Name] {
			t.Errorf("there are two subjects %q", s.Name)
		}
		seen[s.Name] = true
		if !faked(s) && (s.About == "" || s.Source == "") {
			t.Errorf("%s has no description", s.Name)
		}
	}
	seen = map[string]bool{}
	for _, w := range work.All() {
		if seen[w.Name] {
			t.Errorf("there are two workloads %q", w.Name)
		}
		seen[w.Name] = true
		if w.What == "" || !slices.Contains(work.Groups, w.Group) {
			t.Errorf("%s has no description", w.Name)
		}
		if found, err := work.Named(w.Name); err != nil || found.Name != w.Name {
			t.Errorf("%s is not found: %v", w.Name, err)
		}
	}
}
