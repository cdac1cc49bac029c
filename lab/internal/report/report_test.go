package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		want   Estimate
	}{
		{"none", nil, Estimate{}},
		{"one", []float64{3}, Estimate{3, 3, 3}},
		{"all the same", []float64{2, 2, 2, 2, 2, 2, 2, 2}, Estimate{2, 2, 2}},
		{"too few for an interval", []float64{1, 9, 5}, Estimate{5, 1, 9}},
		// With 10 values, those at the ranks 2 and 9 enclose the median with 97.9 %.
		{"ten", []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, Estimate{5.5, 2, 9}},
		{"an outlier", []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5e9}, Estimate{6.5, 2, 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := append([]float64(nil), tt.values...)
			if got := estimate(tt.values); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			for i := range before {
				if tt.values[i] != before[i] {
					t.Fatal("the values have changed places, and are no longer those of their rounds")
				}
			}
		})
	}
}

// synthetic returns a report of one workload with the given times of rounds.
func synthetic(times map[string][]float64) *Report {
	w := &work.Workload{Name: "getput", Group: work.GroupSlices, Goroutines: 1, Asked: 1000}
	wr := &Workload{Name: w.Name, Group: w.Group, What: "What is measured."}
	for _, name := range []string{"basin", "make", "mcache", "bpool"} {
		res := &Result{Subject: name, Kind: subjects.Module, Cannot: times[name] == nil}
		var rounds []Round
		for _, ns := range times[name] {
			rounds = append(rounds, Round{100, Usage{Elapsed: time.Duration(ns * 100), Bytes: 5000, Allocs: 50, GCs: 2, Misses: -1}})
		}
		res.Summarize(w, rounds, 0)
		wr.Results = append(wr.Results, res)
	}
	wr.Compare()
	return &Report{GoVersion: runtime.Version(), Workloads: []*Workload{wr}}
}

func steady(ns float64) []float64 {
	var all []float64
	for i := range 20 {
		all = append(all, ns+ns*float64(i%4)/100)
	}
	return all
}

func TestRatios(t *testing.T) {
	r := synthetic(map[string][]float64{"basin": steady(100), "make": steady(250), "mcache": steady(50)})
	w := r.Workloads[0]
	for _, tt := range []struct {
		subject string
		ratio   float64
		how     verdict
	}{
		{"basin", 1, level},
		{"make", 0.4, ahead},
		{"mcache", 2, behind},
	} {
		res := w.Result(tt.subject)
		if math.Abs(res.Ratio-tt.ratio) > 0.001 || math.Abs(res.RatioMedian.Median-tt.ratio) > 0.001 {
			t.Errorf("%s: ratio %v, of medians %v, want %v", tt.subject, res.Ratio, res.RatioMedian, tt.ratio)
		}
		if res.verdict() != tt.how {
			t.Errorf("%s: verdict %v, want %v", tt.subject, res.verdict(), tt.how)
		}
		if tt.subject != subjects.Reference && res.P > 0.001 {
			t.Errorf("%s: p is %v", tt.subject, res.P)
		}
		if res.BytesPerOp != 50 || res.AllocsPerOp != 0.5 || res.GCs != 40 || *res.MissesPerOp != 0.05 || !res.MissesDerived {
			t.Errorf("%s: %+v", tt.subject, res)
		}
	}
	if res := w.Result("bpool"); res.Ratio != 0 || res.measured() {
		t.Errorf("not measured: %+v", res)
	}

	// A slow moment of the machine affects both; the ratio of each round remains.
	basin, other := steady(100), steady(200)
	for i := range 10 {
		basin[i] *= 7
		other[i] *= 7
	}
	res := synthetic(map[string][]float64{"basin": basin, "make": other}).Workloads[0].Result("make")
	if math.Abs(res.RatioMedian.Median-0.5) > 0.001 || math.Abs(res.Ratio-0.5) > 0.001 {
		t.Errorf("ratio %v, of medians %v, want 0.5", res.Ratio, res.RatioMedian)
	}

	// Differences within the noise are level, whatever the fastest rounds show.
	basin, other = steady(100), steady(101)
	other[3] = 80
	if res := synthetic(map[string][]float64{"basin": basin, "make": other}).Workloads[0].Result("make"); res.verdict() != level {
		t.Errorf("one lucky round makes %+v", res)
	}
}

// TestCombine combines runs that agree and runs that disagree.
func TestCombine(t *testing.T) {
	run := func(minute int, basin float64) *Report {
		r := synthetic(map[string][]float64{"basin": steady(basin), "make": steady(100)})
		r.Time, r.Took = time.Unix(int64(60*minute), 0), time.Minute
		return r
	}
	for _, tt := range []struct {
		name   string
		basin  []float64 // in each run, while make takes 100
		how    verdict
		median float64
	}{
		{"all agree", []float64{80, 90, 70}, ahead, 0.8},
		{"one is level", []float64{80, 98, 70}, level, 0.8},
		{"one is the contrary", []float64{72, 139, 104}, level, 1.04},
		{"all agree that it is slower", []float64{120, 130, 140}, behind, 1.3},
		{"most agree that it is slower", []float64{120, 103, 140}, behind, 1.2},
		{"most are not sure", []float64{120, 103, 98}, level, 1.03},
	} {
		var runs []*Report
		for i, basin := range tt.basin {
			runs = append(runs, run(i, basin))
		}
		r, err := Combine(runs)
		if err != nil {
			t.Fatal(err)
		}
		res := r.Workloads[0].Result("make")
		if res.verdict() != tt.how || math.Abs(res.RatioMedian.Median-tt.median) > 0.001 {
			t.Errorf("%s: %v, %v, want %v and %v", tt.name, res.verdict(), res.RatioMedian, tt.how, tt.median)
		}
		for i, one := range runs {
			e := one.Workloads[0].Result("make").RatioMedian
			if e.Lo < res.RatioMedian.Lo || e.Hi > res.RatioMedian.Hi {
				t.Errorf("%s: %v does not have %v of run %d", tt.name, res.RatioMedian, e, i)
			}
		}
		if len(r.Runs) != 3 || r.Took != 3*time.Minute {
			t.Errorf("%s: %v that took %v", tt.name, r.Runs, r.Took)
		}
	}
	same, other, fewer := run(1, 80), run(2, 80), run(3, 80)
	other.CPUs++
	fewer.Workloads = nil
	for want, runs := range map[string][]*Report{
		"runs 1 and 2 are the same": {same, same},
		"run 2 is of another":       {same, other},
		"run 2 has no getput":       {same, fewer},
	} {
		if _, err := Combine(runs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestNoise(t *testing.T) {
	if n := NewNoise(steady(1)); n.Noisy || n.Spread > 0.05 {
		t.Errorf("%+v of a calm machine", n)
	}
	if n := NewNoise(append(steady(1), steady(2)...)); !n.Noisy || n.Spread < 0.9 {
		t.Errorf("%+v of one that is half as fast half of the time", n)
	}
	if n := NewNoise(nil); n.Noisy {
		t.Errorf("%+v of nothing", n)
	}
}

func htmlOf(t *testing.T, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// references matches everything that a browser would fetch.
var references = regexp.MustCompile(`(?i)(src|href|srcset|action|xlink:href)\s*=\s*"[^#"]|url\(|@import|<script|<link|<iframe|<img`)

// TestPageIsSelfContained: the page is a single file, and nothing is fetched.
func TestPageIsSelfContained(t *testing.T) {
	r := synthetic(map[string][]float64{"basin": steady(100), "make": steady(250), "mcache": steady(50)})
	r.Workloads[0].What = `<script src="https://example.org/x.js"></script>`
	r.Workloads[0].Results[1].Subject = `<img src="x">`
	r.Workloads = append(r.Workloads, curves(), &Workload{Name: "scaling-1", Group: work.GroupScaling, Procs: 1, Results: r.Workloads[0].Results})
	page := htmlOf(t, r)
	if found := references.FindAll(page, -1); len(found) > 0 {
		t.Errorf("the page refers to something: %q", found)
	}
	for _, want := range []string{"default-src 'none'", "prefers-color-scheme: dark", "@media print", "width=device-width", "<svg", "basin loses", "mcache 2.00"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %q in the page", want)
		}
	}
}

func curves() *Workload {
	curve := func(bytes ...int64) (points []Point) {
		for i, b := range bytes {
			points = append(points, Point{float64(i), b << 20})
		}
		return points
	}
	return &Workload{Name: "spike", Group: work.GroupMemory, What: "Memory.", Results: []*Result{
		{Subject: "basin", Curve: curve(30, 30, 30, 1)},
		{Subject: "make", Curve: curve(30, 0, 0, 0)},
		{Subject: "mcache", Curve: curve(30, 30, 30, 30)},
	}}
}

func TestLosses(t *testing.T) {
	r := synthetic(map[string][]float64{"basin": steady(100), "make": steady(250), "mcache": steady(50)})
	r.Workloads = append(r.Workloads, curves())
	var got []string
	for _, l := range r.Losses() {
		got = append(got, l.Workload+": "+l.String())
		if l.Workload == "spike" && l.Why == "" {
			t.Errorf("%v has no reason", l)
		}
	}
	want := "getput: in time, as a multiple of theirs: mcache 2.00\nspike: in seconds until a tenth is left (basin 3.0): make 1.0"
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("losses are\n%s\nwant\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	r := synthetic(map[string][]float64{"basin": steady(100), "make": steady(250)})
	r.Workloads = append(r.Workloads, curves())
	name := filepath.Join(t.TempDir(), "r.json")
	out, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }); err != nil {
		t.Fatal(err)
	}
	read, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(read)
	if !bytes.Equal(a, b) {
		t.Errorf("read\n%s\nwritten\n%s", b, a)
	}
	if string(htmlOf(t, r)) != string(htmlOf(t, read)) {
		t.Error("the page of a report that was read is another")
	}

	if err := os.WriteFile(name+".gz", []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name + ".gz"); err == nil {
		t.Error("a file that is not compressed is read as one that is")
	}
}

// TestKeptRuns reads the runs that wait for those of another day: they must fit each other.
func TestKeptRuns(t *testing.T) {
	names, err := filepath.Glob("../../runs/*.json.gz")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var runs []*Report
	for _, name := range names {
		r, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	all, err := Combine(runs)
	if err != nil || len(all.Runs) != len(names) || all.Noise.Noisy {
		t.Errorf("%v, %+v", err, all)
	}
}

func TestOutput(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "page")
	if err := os.WriteFile(name, []byte("the old file is longer"), 0o666); err != nil {
		t.Fatal(err)
	}
	kept, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	kept.Abandon()
	if b, _ := os.ReadFile(name); string(b) != "the old file is longer" {
		t.Errorf("abandoned, it holds %q", b)
	}
	fresh, err := Create(filepath.Join(dir, "fresh"))
	if err != nil {
		t.Fatal(err)
	}
	fresh.Abandon()
	if _, err := os.Stat(filepath.Join(dir, "fresh")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("abandoned, a new file is still there: %v", err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "page"), ""} {
		if _, err := Create(bad); err == nil {
			t.Errorf("Create(%q) does not fail", bad)
		}
	}
}

func TestTargets(t *testing.T) {
	targets, err := LoadTargets()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range targets.Targets {
		if b.What == "" || b.Workload == "" && len(b.Test) == 0 || b.Workload != "" && b.Max <= 0 {
			t.Errorf("incomplete: %+v", b)
		}
	}
	works, subjects := targets.Needs()
	if len(works) < 10 || len(subjects) < 5 {
		t.Errorf("it needs %d workloads and %d subjects", len(works), len(subjects))
	}

	targets.Targets = []Target{{What: "a target", Workload: "getput", Metric: metricTime, Against: "make", Max: 0.4}}
	for _, tt := range []struct {
		name  string
		basin float64
		want  string // a part of the missed targets
	}{
		{"reached", 90, ""},
		{"within the error", 104, ""},
		{"short", 110, "a target (make): time 0.44, want at most 0.4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := targets.Check(synthetic(map[string][]float64{"basin": steady(tt.basin), "make": steady(250)}))
			err := check.Err()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error is %v, want %q in it", err, tt.want)
			}
		})
	}
	t.Run("not measured", func(t *testing.T) {
		err := targets.Check(synthetic(map[string][]float64{"basin": steady(1)})).Err()
		if err == nil || !strings.Contains(err.Error(), "not measured") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("not even run", func(t *testing.T) {
		if err := targets.Check(&Report{}).Err(); err == nil {
			t.Error("nothing falls short")
		}
	})
}

// TestTargetsNameTests: the tests that targets name exist.
func TestTargetsNameTests(t *testing.T) {
	testenv.Tree()
	targets, err := LoadTargets()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../*_test.go")
	proofs, _ := filepath.Glob("../../../proof/*/*_test.go")
	if files = append(files, proofs...); err != nil || len(proofs) == 0 {
		t.Skip("the tests of the module above are not there")
	}
	var source bytes.Buffer
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(b)
	}
	for _, b := range targets.Targets {
		for _, name := range b.Test {
			if !bytes.Contains(source.Bytes(), []byte("func "+name+"(t *testing.T)")) {
				t.Errorf("%s: there is no %s", b.What, name)
			}
		}
	}
}

func TestDocs(t *testing.T) {
	const page = "before\n<!-- bench results -->\nstale prose\n<!-- end -->\nbetween\n<!-- bench losses -->\n<!-- end -->\nafter\n"
	const readmePage = "first\n<!-- bench readme -->\nstale prose\n<!-- end -->\nlast\n"
	dir := filepath.Join(t.TempDir(), "docs")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write(docsReadme, readmePage)
	if err := CheckDocs(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that is not there is accepted")
	}
	write(docsPage, "no place for anything")
	if err := CheckDocs(dir); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("error is %v", err)
	}
	write(docsPage, page)
	if err := CheckDocs(dir); err != nil {
		t.Fatal(err)
	}
	if read(docsPage) != page || read(docsReadme) != readmePage {
		t.Errorf("checked, the pages are %q and %q", read(docsPage), read(docsReadme))
	}
	write(docsReadme, "no place for a table")
	if err := CheckDocs(dir); err == nil || !strings.Contains(err.Error(), "README") {
		t.Errorf("error is %v", err)
	}
	write(docsReadme, readmePage)

	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	runs := []Run{{Time: day, Layout: "1"}, {Time: day.Add(time.Hour), Layout: "2"}, {Time: day.Add(24 * time.Hour), Layout: "3"}}
	r := synthetic(map[string][]float64{"basin": steady(100), "make": steady(250), "mcache": steady(50)})
	for _, tt := range []struct {
		change func(*Report)
		want   string
	}{
		{func(r *Report) {}, "3 separate runs"},
		{func(r *Report) { r.Runs = runs[:2] }, "3 separate runs"},
		{func(r *Report) { r.Runs = []Run{runs[0], runs[1], runs[1]} }, "randlayout"},
		{func(r *Report) { r.Runs = []Run{runs[0], runs[1], {Time: runs[0].Time, Layout: "3"}} }, "one day and one machine"},
		{func(r *Report) { r.Runs, r.Noise = runs, NewNoise(append(steady(1), steady(1.2)...)) }, "too noisy"},
		{func(r *Report) { r.Runs, r.Interrupted = runs, true }, "interrupted"},
	} {
		bad := *r
		tt.change(&bad)
		if err := bad.WriteDocs(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("the error is %v, want one with %s", err, tt.want)
		}
	}
	r.Runs = runs
	if err := r.WriteDocs(dir); err == nil || !strings.Contains(err.Error(), "loop-getput was not run") {
		t.Errorf("without the workloads of the README, the error is %v", err)
	}
	if read(docsPage) != page || read(docsReadme) != readmePage {
		t.Errorf("after an error, the pages are %q and %q", read(docsPage), read(docsReadme))
	}
	for i, row := range readme {
		w := r.Workload(row.workload)
		if w == nil {
			w = &Workload{Name: row.workload, Group: work.GroupLoops}
			w.Results = []*Result{{Subject: subjects.Reference, Rounds: 1, Min: float64(i + 1)}}
			r.Workloads = append(r.Workloads, w)
		}
		ratio := float64(i+1) / 4
		w.Results = append(w.Results, &Result{Subject: row.subject, Rounds: 1, Min: 4, Ratio: ratio, RatioMedian: Estimate{ratio, ratio - 0.1, ratio + 0.1}})
	}
	var last string
	for range 2 { // writing again must change nothing
		if err := r.WriteDocs(dir); err != nil {
			t.Fatal(err)
		}
		for name, wants := range map[string][]string{
			docsPage:                    {"before\n", "\nbetween\n", "\nafter\n", "mcache 2.00", "| [getput](benchmarks/getput-light.svg) | ", " | 1, 0, 1 |\n"},
			docsData + "/" + docsTimes:  {"\ngetput,mcache,slower,2.00,2.00,2.00,2.00,50.0,50.8,", "\ngetput,basin,,1.00,"},
			docsData + "/" + docsMemory: {"workload,subject,held KiB,"},
			docsReadme: {
				"first\n", "\nlast\n", "pointers, the fastest use of it | faster | 0.25 [0.15 0.35] |\n", "| `sync.Pool` of pointers | level | 1.00 [0.90 1.10] |\n",
				"a buffered channel | slower | 1.50 [1.40 1.60] |\n", "throughput is level", "95 % intervals of 3 separate runs, each of another layout",
			},
		} {
			for _, want := range wants {
				if !strings.Contains(read(name), want) {
					t.Errorf("no %q in\n%s", want, read(name))
				}
			}
			if strings.Contains(read(name), "stale prose") {
				t.Error("stale prose is still there")
			}
		}
		if text := read(docsPage) + read(docsReadme); last != "" && last != text {
			t.Error("written again it is not the same")
		} else {
			last = text
		}
	}
	for _, theme := range themes {
		svg, err := os.ReadFile(filepath.Join(dir, docsData, "getput-"+theme.name+".svg"))
		if err != nil || !bytes.HasPrefix(svg, []byte("<svg xmlns=")) || bytes.Contains(svg, []byte("NaN")) {
			t.Errorf("%v in %.100s", err, svg)
		}
	}
}

// TestReadmeRows: the workloads and subjects of README's table exist.
func TestReadmeRows(t *testing.T) {
	for _, row := range readme {
		b := Target{Workload: row.workload, Metric: metricTime, Against: row.subject}
		if err := b.check(); err != nil {
			t.Errorf("%s: %v", row.what, err)
		}
	}
}
