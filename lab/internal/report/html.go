package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/basin-go/basin/lab/internal/subjects"
)

//go:embed report.html.tmpl
var pageSource string

var page = template.Must(template.New("report").Parse(pageSource))

// WriteHTML writes the report as a single page without external resources.
func (r *Report) WriteHTML(w io.Writer) error {
	type chart struct {
		Theme string
		SVG   template.HTML
	}
	type pageTable struct {
		Title  string
		Header []string
		Rows   [][]string
		Failed []string
	}
	type pageFigure struct {
		*Figure
		Charts []chart
		Tables []pageTable
	}
	type pageSection struct {
		Title   string
		Figures []pageFigure
	}
	data := struct {
		*Report
		Machine  string
		Warning  string
		Sections []pageSection
		Losses   []Loss
		Subjects []*subjects.Subject
		Ahead    string
	}{Report: r, Machine: r.machine(), Losses: r.Losses(), Subjects: subjects.All(), Ahead: r.summary()}
	if r.Noise.Noisy {
		data.Warning = r.Noise.Warning()
	}
	for _, s := range r.sections() {
		ps := pageSection{Title: s.Title}
		for _, f := range s.Figures {
			pf := pageFigure{Figure: f}
			for _, t := range themes {
				// Charts are generated here, and their text is already escaped.
				pf.Charts = append(pf.Charts, chart{t.name, template.HTML(f.draw(t))})
			}
			for _, wr := range f.works {
				t := pageTable{Title: wr.Name + ": " + wr.What}
				header, row := timedHeader, timedRow
				if wr.isCurve() {
					header, row = curveHeader, curveRow
				}
				for _, h := range header {
					t.Header = append(t.Header, strings.ReplaceAll(fmt.Sprint(h), "\n", " "))
				}
				for _, res := range wr.Results {
					if res.Failed != "" {
						t.Failed = append(t.Failed, res.Subject+": "+res.Failed)
					}
					if !res.measured() {
						continue
					}
					var cells []string
					for _, c := range row(res) {
						cells = append(cells, fmt.Sprint(c))
					}
					t.Rows = append(t.Rows, cells)
				}
				pf.Tables = append(pf.Tables, t)
			}
			ps.Figures = append(ps.Figures, pf)
		}
		data.Sections = append(data.Sections, ps)
	}
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// summary counts the rows by verdict.
func (r *Report) summary() string {
	n := count(r.Workloads)
	return fmt.Sprintf("Of %d comparisons of time basin is ahead in %d, level in %d (within %.0f %%, or not told apart), behind in %d.",
		n[ahead]+n[level]+n[behind], n[ahead], n[level], 100*margin, n[behind])
}

// count returns the number of comparisons of time, by verdict.
func count(works []*Workload) (n [3]int) {
	for _, w := range works {
		for _, res := range w.Results {
			if res.Ratio > 0 && res.Subject != subjects.Reference {
				n[res.verdict()]++
			}
		}
	}
	return n
}
