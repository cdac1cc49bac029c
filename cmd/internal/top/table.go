package top

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
)

// Widths of the first column.
const (
	minFirst = 12 // before other columns are left out
	maxFirst = 40 // where the terminal has no end
)

// cut shortens s to the given number of cells of a terminal.
func cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// A look is how a table is drawn.
type look struct {
	width    int   // of the terminal; zero is without end
	from, to int   // rows that are drawn; the others count for the widths, so that these stay
	sorted   order // whose column is marked; it may be -1
	selected int   // row that is marked, or -1
	colours  bool
}

// draw returns rows as a table with a line for the titles.
func draw(columns []column, rows []row, l look) string {
	cells := make([][]string, len(rows))
	titles := make([]string, len(columns))
	widths := make([]int, len(columns))
	for i, c := range columns {
		titles[i] = c.title
		if i == l.sorted.column {
			titles[i] += l.sorted.mark()
		}
		widths[i] = ansi.StringWidth(titles[i])
	}
	for r, w := range rows {
		for i, c := range columns {
			cell := c.cell(w)
			cells[r] = append(cells[r], cell)
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	shown := fit(columns, widths, l.width)
	first := min(widths[0], maxFirst)
	if l.width > 0 {
		rest := 0
		for _, i := range shown[1:] {
			rest += gap + widths[i]
		}
		first = min(widths[0], max(l.width-rest, 1))
	}
	pick := func(all []string) (some []string) {
		for _, i := range shown {
			some = append(some, all[i])
		}
		some[0] = cut(some[0], first)
		return some
	}
	t := table.New().Headers(pick(titles)...).Wrap(false).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := lipgloss.NewStyle()
			if c > 0 {
				s = s.PaddingLeft(gap)
			}
			if !columns[shown[c]].text {
				s = s.Align(lipgloss.Right)
			}
			if !l.colours {
				return s
			}
			switch {
			case r == table.HeaderRow:
				s = s.Bold(true)
			case l.from+r == l.selected:
				s = s.Reverse(true)
			}
			return s
		})
	for _, c := range cells[l.from:l.to] {
		t.Row(pick(c)...)
	}
	return t.Render()
}

// gap is between two columns.
const gap = 2

// fit returns which columns there is room for: those to keep the longest.
func fit(columns []column, widths []int, width int) []int {
	shown := make([]int, len(columns))
	for i := range columns {
		shown[i] = i
	}
	if width <= 0 {
		return shown
	}
	for len(shown) > 1 {
		total := min(widths[0], minFirst)
		for _, i := range shown[1:] {
			total += gap + widths[i]
		}
		if total <= width {
			break
		}
		least := slices.MinFunc(shown[1:], func(a, b int) int { return columns[a].keep - columns[b].keep })
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == least })
	}
	return shown
}

// plainText is s without spaces at the ends of lines.
func plainText(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
