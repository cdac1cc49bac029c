package top

import (
	"fmt"
	"strings"
)

// A hint is a key and its effect.
type hint struct{ key, short, does string }

// hints are the keys, except those of the columns. The last line of the screen has as many of the
// first ones as fit. does is empty if the help of another key says it.
var hints = []hint{
	{"?", "help", "this help, and back; q quits"},
	{"q", "quit", ""},
	{"/", "filter", "show only pools with a text in name or kind; esc clears it"},
	{"enter", "classes", "size classes of the selected pool, and back"},
	{"s", "sites", "leaks and items in use, by line of the program, and back"},
	{"p", "pause", "pause, and go on"},
	{"←→", "sort", "sort by the column to the left or right; r reverses the order"},
	{"↑↓", "select", "select or scroll; so do pgup, pgdown, home and end"},
}

// footer returns the last line: as many hints as fit.
func footer(width int, hints []hint) string {
	line := ""
	for _, h := range hints {
		next := line + "  " + h.key + " " + h.short
		if line == "" {
			next = h.key + " " + h.short
		}
		if len([]rune(next)) > width {
			break
		}
		line = next
	}
	return line
}

// helpHalf is half of the width of the help.
const helpHalf = 40

// help returns the lines of the help. They fit on a terminal of 24 lines.
func help() (lines []string) {
	for _, h := range hints {
		if h.does == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %-8s%s", h.key, h.does))
	}
	lines = append(lines, "Columns, and the keys that sort by them")
	short := "" // a line that leaves room for another one beside it
	for _, c := range columns {
		line := fmt.Sprintf("  %-3s%-10s%s", c.key, strings.ToLower(c.title), c.means)
		switch {
		case len(line) > helpHalf:
			lines, short = append(lines, line), ""
		case short != "":
			lines[len(lines)-1], short = fmt.Sprintf("%-*s%s", helpHalf, short, line), ""
		default:
			lines, short = append(lines, line), line
		}
	}
	return lines
}
