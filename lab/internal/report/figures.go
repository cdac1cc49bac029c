package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// A Figure is a chart with its captions.
type Figure struct {
	Name  string // for the name of a file
	Title string
	What  string // the operation, as a sentence
	Good  string // the better direction
	Loses string // where basin loses

	Cannot string // names of the subjects without the operation
	draw   func(theme) []byte
	works  []*Workload
}

// section is a group of figures.
type section struct {
	Title   string
	Figures []*Figure
}

// sections returns the charts of a report.
func (r *Report) sections() (all []section) {
	for _, group := range work.Groups {
		s := section{Title: group}
		var works []*Workload
		for _, w := range r.Workloads {
			if w.Group == group && w.any() {
				works = append(works, w)
			}
		}
		if len(works) == 0 {
			continue
		}
		switch group {
		case work.GroupScaling:
			s.Figures = append(s.Figures, scalingFigure(works))
		case work.GroupLoops:
			s.Figures = append(s.Figures, loopsFigure(works))
		default:
			for _, w := range works {
				if w.isCurve() {
					s.Figures = append(s.Figures, curveFigure(w))
				} else {
					s.Figures = append(s.Figures, ratioFigure(w))
				}
			}
		}
		for _, f := range s.Figures {
			f.Loses = loses(f.works)
			f.Cannot = cannot(f.works)
		}
		all = append(all, s)
	}
	return all
}

const goodRatio = "Left of the line: basin is faster. Right, orange: it is slower. Grey: level. Bar: fastest round over fastest round; a gap means that it is cut. Dot: the median of the ratios round by round, with its 95 % interval."

// loses returns a sentence with the rows in which basin is behind.
func loses(works []*Workload) string {
	var rows []string
	measured := false
	for _, w := range works {
		for _, l := range w.losses() {
			row := l.String()
			if len(works) > 1 {
				row = "at " + w.Name + " " + row
			}
			rows = append(rows, row)
		}
		ref := w.Result(subjects.Reference)
		measured = measured || ref != nil && ref.measured()
	}
	switch {
	case !measured:
		return "basin was not measured."
	case len(rows) == 0:
		return "basin loses to none of them."
	}
	return "basin loses " + strings.Join(rows, "; ") + "."
}

// cannot returns the names of the subjects that cannot run the workload, if there is only one.
// Loops are excluded: only subjects that a target names have them.
func cannot(works []*Workload) string {
	if works[0].Group == work.GroupLoops {
		return ""
	}
	var names []string
	for _, res := range works[0].Results {
		if res.Cannot {
			names = append(names, res.Subject)
		}
	}
	return strings.Join(names, "; ")
}

func barOf(label string, res *Result) ratioBar {
	b := ratioBar{label: label, ratio: res.Ratio, median: res.RatioMedian, how: res.verdict()}
	switch {
	case res.Failed != "":
		b.note = "failed"
	case res.Ratio == 0:
		b.note = "nothing to compare with"
	}
	if res.Subject == subjects.Reference {
		b.median = Estimate{}
	}
	return b
}

func ratioFigure(w *Workload) *Figure {
	var bars []ratioBar
	for _, res := range w.Results {
		if !res.Cannot {
			bars = append(bars, barOf(res.Subject, res))
		}
	}
	// Subjects without a ratio, which is 0, come last.
	slices.SortStableFunc(bars, func(a, b ratioBar) int { return cmp.Compare(b.ratio, a.ratio) })
	return &Figure{
		Name: w.Name, Title: w.Name, What: w.What, Good: goodRatio, works: []*Workload{w},
		draw: func(t theme) []byte { return t.ratioBars("Time of basin over that of others: "+w.Name, bars) },
	}
}

func loopsFigure(works []*Workload) *Figure {
	var bars []ratioBar
	for _, w := range works {
		for _, res := range w.Results {
			if !res.Cannot && res.Subject != subjects.Reference {
				bars = append(bars, barOf(strings.TrimPrefix(w.Name, work.LoopPrefix)+" / "+short(res.Subject), res))
			}
		}
	}
	return &Figure{
		Name: "loops", Title: "Written out", works: works,
		What: "Get and Put, or writes to a buffer, as a program writes them, without an interface in between. The subjects are those that the targets of the project name.",
		Good: goodRatio,
		draw: func(t theme) []byte { return t.ratioBars("Time of basin over that of others, written out", bars) },
	}
}

// short abbreviates the names of subjects for labels that begin with another name.
func short(subject string) string {
	return strings.NewReplacer("sync.Pool of *byte", "*byte", "sync.Pool of pointers", "sync.Pool", "sync.Pool, fresh pointer", "fresh pointer").Replace(subject)
}

// panelsOf returns a panel for each subject but basin.
func panelsOf(results []*Result, xy func(*Result) plotter.XYs) (all []panel) {
	var ref plotter.XYs
	for _, res := range results {
		if res.Subject == subjects.Reference && res.measured() {
			ref = xy(res)
		}
	}
	for _, res := range results {
		if res.measured() && (res.Subject != subjects.Reference || len(results) == 1) {
			all = append(all, panel{res.Subject, xy(res), ref})
		}
	}
	return all
}

func curveFigure(w *Workload) *Figure {
	panels := panelsOf(w.Results, func(res *Result) (xy plotter.XYs) {
		for _, p := range res.Curve {
			xy = append(xy, plotter.XY{X: p.Seconds, Y: float64(max(0, p.Bytes)) / (1 << 20)})
		}
		return xy
	})
	return &Figure{
		Name: w.Name, Title: w.Name, What: w.What, works: []*Workload{w},
		Good: "Lower is less memory held, and sooner down is sooner given back. Dashed: basin; solid: the subject.",
		draw: func(t theme) []byte {
			return t.panels("Idle memory over time: "+w.Name, "s", "MiB", panels, ticksTo(max(1, math.Floor(maxOf(panels, true)))), ticksTo(maxOf(panels, false)))
		},
	}
}

func maxOf(panels []panel, ofX bool) (most float64) {
	for _, p := range panels {
		for _, line := range []plotter.XYs{p.line, p.basin} {
			for _, at := range line {
				if ofX {
					most = max(most, at.X)
				} else {
					most = max(most, at.Y)
				}
			}
		}
	}
	return most
}

// ticksTo returns a few round numbers from 0 to at least most.
func ticksTo(most float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10(max(most, 1e-9))))
	for _, f := range []float64{5, 2, 1, 0.5} {
		if most/(step*f) >= 2 {
			step *= f
			break
		}
	}
	for x := 0.0; ; x += step {
		ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprintf("%g", x)})
		if x >= most*0.99 {
			return ticks
		}
	}
}

// scalingFigure shows the operations per second of all goroutines together, by GOMAXPROCS.
func scalingFigure(works []*Workload) *Figure {
	var merged []*Result // one for each subject, only for its name
	points := map[string]plotter.XYs{}
	most := 1
	for _, w := range works {
		most = max(most, w.Procs)
		for _, res := range w.Results {
			if res.Rounds == 0 {
				continue
			}
			if points[res.Subject] == nil {
				merged = append(merged, res)
			}
			rate := float64(w.Procs) / res.Min * 1e3 // million per second
			points[res.Subject] = append(points[res.Subject], plotter.XY{X: float64(w.Procs), Y: rate})
		}
	}
	panels := panelsOf(merged, func(res *Result) plotter.XYs { return points[res.Subject] })
	var xTicks []plot.Tick
	for _, w := range works {
		xTicks = append(xTicks, plot.Tick{Value: float64(w.Procs), Label: fmt.Sprint(w.Procs)})
	}
	if len(xTicks) == 1 {
		xTicks = append(xTicks, plot.Tick{Value: float64(most) + 1})
	}
	return &Figure{
		Name: "scaling", Title: "Scaling over GOMAXPROCS", works: works,
		What: "Get of 4096 bytes and Put on one goroutine for each P. The chart has millions of pairs per second, all together, in the fastest round.",
		Good: "Higher is more, and a line that rises scales. Dashed: basin; solid: the subject.",
		draw: func(t theme) []byte {
			return t.panels("Pairs of Get and Put per second over GOMAXPROCS", "GOMAXPROCS", "M/s", panels, xTicks, ticksTo(maxOf(panels, false)))
		},
	}
}
