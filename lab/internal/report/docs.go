package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The documentation is a page of prose with places for measurements: the text between <!--
// bench NAME --> and <!-- end --> is replaced.

const (
	docsPage   = "benchmarks.md"
	docsCharts = "benchmarks" // directory
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
			if _, err := fillIn(page, place, ""); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, d.file), err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, docsCharts), 0o777); err != nil {
		return err
	}
	for _, name := range []string{docsPage, docsReadme, filepath.Join(docsCharts, "loops-light.svg")} {
		f, err := Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		f.Abandon()
	}
	return nil
}

// WriteDocs writes the results into the documentation in the directory dir, with charts beside
// it, and the table into the README above it. It refuses a report that is not of several runs
// on a quiet machine.
func (r *Report) WriteDocs(dir string) error {
	if err := r.publishable(); err != nil {
		return err
	}
	readme, err := r.readmeTable()
	if err != nil {
		return fmt.Errorf("README's table: %w", err)
	}
	var results strings.Builder
	fmt.Fprintf(&results, "%s\n\n%s. Measured on %s.\n", r.summary(), r.machine(), r.Time.Format("2 January 2006"))
	for _, s := range r.sections() {
		fmt.Fprintf(&results, "\n### %s\n", s.Title)
		for _, f := range s.Figures {
			for _, t := range themes {
				name := filepath.Join(dir, docsCharts, f.Name+"-"+t.name+".svg")
				if err := os.WriteFile(name, append(f.draw(t), '\n'), 0o666); err != nil {
					return err
				}
			}
			fmt.Fprintf(&results, "\n#### %s\n\n%s\n\n", f.Title, f.What)
			fmt.Fprintf(&results, "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"%s/%s-dark.svg\"><img alt=\"%s\" src=\"%[1]s/%[2]s-light.svg\" width=\"560\"></picture>\n\n", docsCharts, f.Name, f.Title)
			fmt.Fprintf(&results, "%s %s\n\n", f.Good, f.Loses)
			if f.Cannot != "" {
				fmt.Fprintf(&results, "Cannot do this: %s.\n\n", f.Cannot)
			}
			for _, w := range f.works {
				w.writeMarkdown(&results, len(f.works) > 1)
			}
		}
	}
	var losses strings.Builder
	losses.WriteString("| workload | where | why |\n| --- | --- | --- |\n")
	for _, l := range r.Losses() {
		because := l.Why
		if because == "" {
			because = "not known yet"
		}
		fmt.Fprintf(&losses, "| %s | %s | %s |\n", l.Workload, l, because)
	}
	texts := map[string]string{"results": results.String(), "losses": losses.String(), "readme": readme}
	for _, d := range docsPlaces {
		page, err := os.ReadFile(filepath.Join(dir, d.file))
		if err != nil {
			return err
		}
		for _, place := range d.places {
			if page, err = fillIn(page, place, texts[place]); err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, d.file), err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, d.file), page, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown writes the table of a workload, folded.
func (w *Workload) writeMarkdown(b *strings.Builder, named bool) {
	title := "All figures"
	if named {
		title += " of " + w.Name + ": " + w.What
	}
	fmt.Fprintf(b, "<details><summary>%s</summary>\n\n", title)
	header, row := timedHeader, timedRow
	if w.isCurve() {
		header, row = curveHeader, curveRow
	}
	line := func(cells []any) {
		for _, c := range cells {
			fmt.Fprintf(b, "| %s ", strings.ReplaceAll(strings.ReplaceAll(fmt.Sprint(c), "\n", " "), "|", "\\|"))
		}
		b.WriteString("|\n")
	}
	line(header)
	b.WriteString("| --- " + strings.Repeat("| ---: ", len(header)-1) + "|\n")
	for _, res := range w.Results {
		if res.measured() {
			line(row(res))
		}
	}
	for _, res := range w.Results {
		if res.Failed != "" {
			fmt.Fprintf(b, "\nFailed: %s: %s\n", res.Subject, res.Failed)
		}
	}
	b.WriteString("\n</details>\n\n")
}

// fillIn replaces the text between the markers of a place.
func fillIn(page []byte, place, text string) ([]byte, error) {
	const end = "<!-- end -->"
	marker := "<!-- bench " + place + " -->\n"
	before, rest, ok := bytes.Cut(page, []byte(marker))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("it has no place between %q and %q", strings.TrimSpace(marker), end)
	}
	return bytes.Join([][]byte{before, []byte(marker), []byte("\n" + strings.TrimSpace(text) + "\n\n"), []byte(end), after}, nil), nil
}
