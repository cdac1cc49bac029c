package rewrite

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// around is the number of unchanged lines before and after the changed lines of a hunk.
const around = 3

// Diff returns the change of a file as git apply and patch read it, with a name
// relative to the directory in which they run.
func (f *File) Diff(name string) string {
	old, new := string(f.Old), string(f.New)
	if old == new {
		return ""
	}
	lines := strings.SplitAfter(old, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	// A change of the lines from start to end.
	type change struct {
		start, end int
		new        []string
	}
	var changes []change
	line, offset := 0, 0
	lineAt := func(to int) int {
		line += strings.Count(old[offset:to], "\n")
		offset = to
		if to == len(old) {
			return len(lines) // the last one may have no end
		}
		return line
	}
	for _, e := range udiff.Lines(old, new) {
		c := change{start: lineAt(e.Start), end: lineAt(e.End)}
		for l := range strings.Lines(e.New) {
			c.new = append(c.new, l)
		}
		changes = append(changes, c)
	}
	var out strings.Builder
	from := "a/" + name
	if f.Old == nil {
		from = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ b/%s\n", from, name)
	grown := 0 // lines, by the hunks so far
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].start-changes[n-1].end <= 2*around {
			n++
		}
		hunk := changes[:n]
		changes = changes[n:]
		first, last := max(hunk[0].start-around, 0), min(hunk[n-1].end+around, len(lines))
		more := 0
		for _, c := range hunk {
			more += len(c.new) - (c.end - c.start)
		}
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(first, last-first), span(first+grown, last-first+more))
		grown += more
		at := first
		for _, c := range hunk {
			diffLines(&out, ' ', lines[at:c.start])
			diffLines(&out, '-', lines[c.start:c.end])
			diffLines(&out, '+', c.new)
			at = c.end
		}
		diffLines(&out, ' ', lines[at:last])
	}
	return out.String()
}

// span writes the range of n lines that begins after others. An empty range has the
// number of the line before it.
func span(after, n int) string {
	if n > 0 {
		after++
	}
	return fmt.Sprintf("%d,%d", after, n)
}

func diffLines(out *strings.Builder, kind byte, lines []string) {
	for _, l := range lines {
		out.WriteByte(kind)
		out.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// OldLine returns the line before the edits of a line after them, or of one near it.
func (f *File) OldLine(line int) int {
	old := string(f.Old)
	moved := 0 // lines that edits above have added
	for _, e := range udiff.Lines(old, string(f.New)) {
		first := 1 + strings.Count(old[:e.Start], "\n")
		removed, added := strings.Count(old[e.Start:e.End], "\n"), strings.Count(e.New, "\n")
		switch {
		case line < first+moved:
			return line - moved
		case line < first+moved+added:
			return first + min(line-first-moved, max(removed-1, 0))
		}
		moved += added - removed
	}
	return line - moved
}
