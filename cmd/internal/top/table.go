package top

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"
)

// Widths of the first column.
const (
	minFirst = 12 // before other columns are left out
	maxFirst = 40 // if the width is unlimited
)

// cut shortens s to the given number of cells of a terminal.
func cut(s string, width int) string { return ansi.Truncate(s, max(width, 0), "…") }

// cutMiddle shortens s to the given number of cells. It cuts the middle out, because names of
// related pools begin alike.
func cutMiddle(s string, width int) string {
	all := ansi.StringWidth(s)
	if all <= width || width < 5 {
		return cut(s, width)
	}
	tail := (width - 1) / 2
	return cut(s, width-tail) + ansi.TruncateLeft(s, all-tail, "")
}

// cutNames shortens the names in the first cells of rows. If different names would look the same,
// it appends IDs.
func cutNames(cells [][]string, rows []row, width int) {
	names := map[string]string{} // by shortened name
	same := map[string]bool{}    // shortened names that stand for several
	short := make([]string, len(cells))
	for i, c := range cells {
		short[i] = cutMiddle(c[0], width)
		if other, ok := names[short[i]]; ok && other != c[0] {
			same[short[i]] = true
		}
		names[short[i]] = c[0]
	}
	for i := range cells {
		if same[short[i]] {
			id := "#" + strconv.FormatUint(rows[i].ID, 10)
			short[i] = cut(cut(cells[i][0], width-len(id))+id, width)
		}
		cells[i][0] = short[i]
	}
}

// A layout says how draw draws a table.
type layout struct {
	width    int   // of the terminal; zero is unlimited
	from, to int   // rows that are drawn; all rows count for the widths, so that scrolling does not change these
	sorted   order // whose column is marked; it may be -1
	selected int   // row that is marked, or -1
	colours  bool
	named    bool // the first column has names
}

// draw returns rows as a table with a line for the titles.
func draw(columns []column, rows []row, l layout) string {
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
	fitting := fit(columns, widths, l.width)
	first := min(widths[0], maxFirst)
	if l.width > 0 {
		rest := 0
		for _, i := range fitting[1:] {
			rest += gap + widths[i]
		}
		first = min(widths[0], max(l.width-rest, 1))
	}
	pick := func(all []string) (some []string) {
		for _, i := range fitting {
			some = append(some, all[i])
		}
		some[0] = cut(some[0], first)
		return some
	}
	if l.named {
		cutNames(cells, rows, first)
	}
	t := table.New().Headers(pick(titles)...).Wrap(false).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(r, c int) lipgloss.Style {
			s := lipgloss.NewStyle()
			if c > 0 {
				s = s.PaddingLeft(gap)
			}
			if !columns[fitting[c]].text {
				s = s.Align(lipgloss.Right)
			}
			if !l.colours {
				return s
			}
			switch {
			case r == table.HeaderRow:
				s = s.Bold(true)
			case columns[fitting[c]].alarm != nil && columns[fitting[c]].alarm(rows[l.from+r]):
				s = s.Bold(true).Foreground(lipgloss.Red).Reverse(l.from+r == l.selected)
			case l.from+r == l.selected:
				s = s.Reverse(true)
			case columns[fitting[c]].title == trendColumn.title:
				s = s.Foreground(lipgloss.Cyan)
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

// fit returns the indices of the columns that fit into width. It leaves out those of the lowest
// priority.
func fit(columns []column, widths []int, width int) []int {
	fitting := make([]int, len(columns))
	for i := range columns {
		fitting[i] = i
	}
	if width <= 0 {
		return fitting
	}
	for len(fitting) > 1 {
		total := min(widths[0], minFirst)
		for _, i := range fitting[1:] {
			total += gap + widths[i]
		}
		if total <= width {
			break
		}
		least := slices.MinFunc(fitting[1:], func(a, b int) int { return columns[a].priority - columns[b].priority })
		fitting = slices.DeleteFunc(fitting, func(i int) bool { return i == least })
	}
	return fitting
}

// plainText returns s without spaces at the ends of lines.
func plainText(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
