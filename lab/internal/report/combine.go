package report

import (
	"cmp"
	"fmt"
	"slices"
)

// needRuns is the number of separate runs, each of another layout of the linker, that must agree before the documentation
// says that basin is faster. A single run may be lucky: the order of functions, the layout of the processes' memory and
// the other work of the machine vary more between runs than within one. For the same reason the runs must be of two
// machines or two days.
const needRuns = 3

// Combine returns separate runs as one report. Of each comparison it has the median run, with
// an interval that includes the intervals of all runs, and the number of rounds of that run.
func Combine(runs []*Report) (*Report, error) {
	if len(runs) == 1 {
		return runs[0], nil
	}
	first := runs[0]
	all := *first
	all.Runs, all.Took, all.Workloads = nil, 0, nil
	for i, r := range runs {
		switch {
		case len(r.Runs) > 1:
			return nil, fmt.Errorf("run %d is several runs already", i+1)
		case r.CPUs != first.CPUs || r.GOMAXPROCS != first.GOMAXPROCS || r.GoVersion != first.GoVersion || r.Platform != first.Platform || r.Rounds != first.Rounds:
			return nil, fmt.Errorf("run %d is of another number of CPUs, platform, version of Go or number of rounds", i+1)
		}
		for j, other := range runs[:i] {
			if r.Time.Equal(other.Time) {
				return nil, fmt.Errorf("runs %d and %d are the same", j+1, i+1)
			}
		}
		all.Runs = append(all.Runs, r.run())
		all.Took += r.Took
		all.Noise.Spread = max(all.Noise.Spread, r.Noise.Spread)
		all.Noise.Noisy = all.Noise.Noisy || r.Noise.Noisy
		all.Interrupted = all.Interrupted || r.Interrupted
	}
	for _, w := range first.Workloads {
		combined := *w
		combined.Results = nil
		for _, res := range w.Results {
			of, err := sameResult(runs, w.Name, res.Subject)
			if err != nil {
				return nil, err
			}
			combined.Results = append(combined.Results, combine(of))
		}
		all.Workloads = append(all.Workloads, &combined)
	}
	return &all, nil
}

// sameResult returns the results of all runs for one workload of one subject.
func sameResult(runs []*Report, workload, subject string) (of []*Result, err error) {
	for i, r := range runs {
		w := r.Workload(workload)
		if w == nil || w.Result(subject) == nil {
			return nil, fmt.Errorf("run %d has no %s of %s", i+1, workload, subject)
		}
		of = append(of, w.Result(subject))
	}
	return of, nil
}

// combine returns several results for one workload of one subject as one.
func combine(of []*Result) *Result {
	for _, r := range of {
		if r.Failed != "" || r.Cannot {
			return r
		}
	}
	sorted := slices.SortedFunc(slices.Values(of), func(a, b *Result) int { return cmp.Compare(a.RatioMedian.Median, b.RatioMedian.Median) })
	middle := *sorted[len(sorted)/2]
	var ratios []float64
	for _, r := range of {
		ratios = append(ratios, r.Ratio)
		middle.Min = min(middle.Min, r.Min)
		middle.RatioMedian.Lo = min(middle.RatioMedian.Lo, r.RatioMedian.Lo)
		middle.RatioMedian.Hi = max(middle.RatioMedian.Hi, r.RatioMedian.Hi)
	}
	slices.Sort(ratios)
	middle.Ratio = ratios[len(ratios)/2]
	middle.RunRatios = ratios
	return &middle
}

// publishable returns an error with the reason why the documentation must not include r, or
// nil.
func (r *Report) publishable() error {
	switch {
	case r.Interrupted:
		return fmt.Errorf("a run was interrupted")
	case len(r.Runs) < needRuns || r.distinct(func(run Run) string { return run.Layout }) < needRuns:
		return fmt.Errorf("the documentation has only findings of %d separate runs of different layouts: run bench -json %[1]d times, built with -ldflags=-randlayout=1, 2 and so on, each into a file, and give all files to -from", needRuns)
	case r.distinct(Run.day) < 2 && r.distinct(Run.machine) < 2:
		return fmt.Errorf("all runs are of one day and one machine: give -from one more, of another")
	case r.Noise.Noisy:
		return fmt.Errorf("the machine was too noisy: the same arithmetic took %.0f %% longer at times, more than %.0f %%; run again while nothing else does", 100*r.Noise.Spread, 100*tooNoisy)
	}
	return nil
}

// distinct returns the number of different values that the runs have.
func (r *Report) distinct(of func(Run) string) int {
	values := map[string]bool{}
	for _, run := range r.Runs {
		values[of(run)] = true
	}
	return len(values)
}

func (run Run) day() string     { return run.Time.Format("2 January 2006") }
func (run Run) machine() string { return fmt.Sprint(run.CPU, ", ", run.CPUs, " CPUs") }
