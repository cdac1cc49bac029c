package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
	"github.com/basin-go/basin/lab/internal/work"
)

// The documentation is a page of prose with places for measurements: the text between <!--
// bench NAME --> and <!-- end --> is replaced. The page has one table, with a row for each
// chart; all figures are in two CSV files beside the charts.

const (
	docsPage   = "benchmarks.md"
	docsData   = "benchmarks" // directory of charts and of all figures
	docsTimes  = "times.csv"
	docsMemory = "memory.csv"
	docsReadme = "../README.md"
)

// docsPlaces are the places in each file.
var docsPlaces = []struct {
	file   string
	places []string
}{
	{docsPage, []string{"results", "losses"}},
	{docsReadme, []string{"readme"}},
}

// CheckDocs reports whether WriteDocs could write to the directory dir.
func CheckDocs(dir string) error {
	for _, d := range docsPlaces {
		page, err := os.ReadFile(filepath.Join(dir, d.file))
		if err != nil {
			return err
		}
		for _, place := range d.places {
			if _, err := FillIn(page, place, ""); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, d.file), err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, docsData), 0o777); err != nil {
		return err
	}
	for _, name := range []string{docsPage, docsReadme, filepath.Join(docsData, docsTimes), filepath.Join(docsData, "loops-light.svg")} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		f.Abandon()
	}
	return nil
}

// WriteDocs writes the results into the documentation in the directory dir, with charts and
// data beside it, and the table into the README above it. It refuses a report that is not of
// several runs on a quiet machine.
func (r *Report) WriteDocs(dir string) error {
	if err := r.publishable(); err != nil {
		return err
	}
	readme, err := r.readmeTable()
	if err != nil {
		return fmt.Errorf("README's table: %w", err)
	}
	for name, curves := range map[string]bool{docsTimes: false, docsMemory: true} {
		data, err := r.data(curves)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, docsData, name), data, 0o666); err != nil {
			return err
		}
	}
	for _, s := range r.sections() {
		for _, f := range s.Figures {
			for _, t := range themes {
				name := filepath.Join(dir, docsData, f.Name+"-"+t.name+".svg")
				if err := os.WriteFile(name, append(f.draw(t), '\n'), 0o666); err != nil {
					return err
				}
			}
		}
	}
	texts := map[string]string{"results": r.resultsTable(), "losses": r.lossesTable(), "readme": readme}
	for _, d := range docsPlaces {
		page, err := os.ReadFile(filepath.Join(dir, d.file))
		if err != nil {
			return err
		}
		for _, place := range d.places {
			if page, err = FillIn(page, place, texts[place]); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, d.file), err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, d.file), page, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// days lists the days of the runs.
func (r *Report) days() string {
	var days []string
	for _, run := range r.Runs {
		if day := run.day(); !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	return strings.Join(days, " and ")
}

// resultsTable returns the page's table: a row for each chart, with the number of comparisons
// of time by their verdict. Curves of memory have no verdicts.
func (r *Report) resultsTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s. Measured on %s.\n\n| workload | operation | faster, level, slower |\n| --- | --- | --- |\n", r.summary(), r.machine(), r.days())
	var failed []string
	for _, s := range r.sections() {
		for _, f := range s.Figures {
			counts := ""
			if n := count(f.works); n != [3]int{} {
				counts = fmt.Sprintf("%d, %d, %d", n[ahead], n[level], n[behind])
			}
			operation, _, more := strings.Cut(f.What, ". ") // charts and reports have the rest
			if more {
				operation += "."
			}
			fmt.Fprintf(&b, "| [%s](%s/%s-light.svg) | %s | %s |\n", f.Title, docsData, f.Name, operation, counts)
			for _, w := range f.works {
				for _, res := range w.Results {
					if res.Failed != "" {
						failed = append(failed, fmt.Sprintf("Failed: %s in %s: %s\n", res.Subject, w.Name, res.Failed))
					}
				}
			}
		}
	}
	for _, line := range failed {
		b.WriteString("\n" + line)
	}
	return b.String()
}

// lossesTable returns the table of rows in which basin is behind. Of more than four subjects it
// names three: the data have all.
func (r *Report) lossesTable() string {
	var b strings.Builder
	b.WriteString("| workload | where | why |\n| --- | --- | --- |\n")
	last := ""
	for _, l := range r.Losses() {
		because := cmp.Or(l.Why, "not known yet")
		if because == last {
			because = "the same"
		} else {
			last = because
		}
		if n := len(l.Rows); n > 4 {
			l.Rows = append(slices.Clone(l.Rows[:3]), fmt.Sprintf("and %d more", n-3))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.Workload, l, because)
	}
	return b.String()
}

// data returns the figures of all workloads as CSV: those of curves, or all others.
func (r *Report) data(curves bool) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header, row := timesHeader, (*Result).timesRecord
	if curves {
		header, row = memoryHeader, (*Result).memoryRecord
	}
	w.Write(append([]string{"workload", "subject"}, header...)) // Error reports failures
	for _, wr := range r.Workloads {
		if !wr.any() || wr.isCurve() != curves {
			continue
		}
		for _, res := range wr.Results {
			record := []string{wr.Name, res.Subject}
			switch {
			case res.measured():
				record = append(record, row(res)...)
			case res.Failed != "":
				record = append(record, "failed")
			case wr.Group == work.GroupLoops: // has only the subjects that a target names
				continue
			default:
				record = append(record, "cannot")
			}
			w.Write(append(record, make([]string, 2+len(header)-len(record))...))
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

var (
	timesHeader = []string{"basin is", "ratio of fastest rounds", "median ratio", "95 % from", "95 % to",
		"fastest ns", "median ns", "bytes/op", "allocs/op", "misses/op", "GCs/M ops", "peak KiB", "idle KiB"}
	memoryHeader = []string{"held KiB", "at once after", "after 2 s", "after 10 s", "at the end", "back to 10 % after s"}
)

// timesRecord returns the cells of timedRow for machines: without separators of thousands, and with
// the interval in columns of its own.
func (r *Result) timesRecord() []string {
	how := r.verdict().String()
	if r.Ratio == 0 || r.Subject == subjects.Reference {
		how = ""
	}
	median := r.RatioMedian
	record := []string{how, ratioString(r.Ratio), ratioString(median.Median), ratioString(median.Lo), ratioString(median.Hi)}
	return append(record, plain(timedRow(r)[3:])...)
}

// memoryRecord returns the cells of curveRow for machines.
func (r *Result) memoryRecord() []string { return plain(curveRow(r)[1:]) }

func plain(cells []any) (record []string) {
	for _, c := range cells {
		record = append(record, strings.ReplaceAll(fmt.Sprint(c), ",", ""))
	}
	return record
}

// FillIn replaces the text between the markers of a place.
func FillIn(page []byte, place, text string) ([]byte, error) {
	const end = "<!-- end -->"
	marker := "<!-- bench " + place + " -->\n"
	before, rest, ok := bytes.Cut(page, []byte(marker))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("it has no place between %q and %q", strings.TrimSpace(marker), end)
	}
	return bytes.Join([][]byte{before, []byte(marker), []byte("\n" + strings.TrimSpace(text) + "\n\n"), []byte(end), after}, nil), nil
}
