package top

import (
	"fmt"
	"strings"
)

// A hint is a key and its effect.
type hint struct{ key, short, does string }

// hints are the keys but for those of the columns. Those that come first are on the last line
// of the screen for as long as there is room. The effect is empty if another key's line
// describes it.
var hints = []hint{
	{"?", "help", "this help, and back; q quits"},
	{"q", "quit", ""},
	{"/", "filter", "pools with a text in name or kind; esc ends that"},
	{"enter", "classes", "size classes of the selected pool, and back"},
	{"s", "sites", "leaks and items in use, by line of the program, and back"},
	{"p", "pause", "pause, and go on"},
	{"←→", "sort", "sort by the column to the left or right; r turns the order round"},
	{"↑↓", "select", "select or scroll; so do pgup, pgdown, home and end"},
}

// footer is the last line: as many hints as there is room for.
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

// help returns the lines of the help: as many as a terminal of 24 lines has room for.
func help() (lines []string) {
	for _, h := range hints {
		if h.does == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %-8s%s", h.key, h.does))
	}
	lines = append(lines, "Columns, and the keys that sort by them")
	for _, c := range columns {
		lines = append(lines, fmt.Sprintf("  %-3s%-10s%s", c.key, strings.ToLower(c.title), c.means))
	}
	return lines
}
