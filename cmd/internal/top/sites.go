package top

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
)

// sites returns the findings of checks by line of the program: leaks and misuse first, then the
// items in use. Each list has at most the given number of lines.
func sites(r reading, most int) (lines []string) {
	c := r.now.Checking
	off := []string{"Checks are off, so leaks and most misuse go unnoticed.", "BASIN_CHECK=sampled in the environment of the program switches them on."}
	if c == nil {
		return append(garbage(r), off...)
	}
	estimated, leaks := "", ""
	if c.Every > 1 {
		estimated = fmt.Sprintf("estimated: one in %d is tracked", c.Every)
		estimated, leaks = ", "+estimated, "; leaks are "+estimated
	}
	under := ""
	if c.Level == "off" {
		lines = append(off, "")
		under = ", of pools with a MaxInUse"
	}
	lines = append(lines, "Leaks and misuse, by the line that took the memory"+leaks)
	if len(c.Found) == 0 {
		lines = append(lines, "  nothing was found")
	}
	found := byLine(c.Found, func(sum, f *basinhttp.Finding) { sum.Count += f.Count }, func(f *basinhttp.Finding) string {
		f.Line = cmp.Or(call(f.Line), call(first(f.Acquired)), call(first(f.Here)), "unknown")
		return f.Kind + "\x00" + f.Pool + "\x00" + f.Line
	})
	for _, f := range found[:min(len(found), most)] {
		lines = append(lines, fmt.Sprintf("  %8s  %-19s %-16s %s", count(f.Count), printable.Text(f.Kind), pool(f.Pool), f.Line))
	}
	lines = append(lines, "", "In use, by the line that took the memory"+under+estimated)
	lines = append(lines, fmt.Sprintf("  %9s %9s %9s %9s %11s  %-16s", "GETS", "PUTS", "LEAKS", "IN-USE", "BYTES", "POOL"))
	held := byLine(c.Sites, addSite, func(s *basinhttp.Site) string {
		s.Line = call(cmp.Or(s.Line, first(s.Stack)))
		return s.Pool + "\x00" + s.Line
	})
	held = slices.DeleteFunc(held, func(s basinhttp.Site) bool { return s.Items <= 0 && s.Leaks == 0 && s.Unfreed == 0 })
	for _, s := range held[:min(len(held), most)] {
		at, name := s.Line, pool(s.Pool)
		if at == "" {
			at, name = "all other lines", ""
		}
		if s.Unfreed > 0 {
			at += fmt.Sprintf(", %s unfreed and garbage", count(s.Unfreed))
		}
		if put := call(cmp.Or(s.PutLine, first(s.LastPut))); put != "" {
			at += ", last put by " + put
		}
		lines = append(lines, fmt.Sprintf("  %9s %9s %9s %9s %11s  %-16s %s", count(s.Gets), count(s.Puts), count(s.Leaks), count(uint64(max(0, s.Items))), bytes(s.Bytes), name, at))
	}
	if c.MaxGuardBytes > 0 {
		lines = append(lines, fmt.Sprintf("  Guarded memory takes %s of at most %s; %s tracked slices are not guarded.", bytes(c.GuardBytes), bytes(c.MaxGuardBytes), count(c.Unguarded)))
	}
	lines = append(lines, garbage(r)...)
	if n := inUse(r); len(held) == 0 && n > 0 {
		lines = append(lines, fmt.Sprintf("  none of the %s in use is tracked", items(n)))
	} else if len(held) == 0 {
		lines = append(lines, "  nothing is in use")
	}
	return lines
}

// byLine adds up the rows of one key, which the program has by call stack: a line is one row, at the place of its first.
func byLine[T any](rows []T, add func(sum, row *T), key func(*T) string) (sums []T) {
	at := map[string]int{}
	for _, row := range rows {
		k := key(&row)
		if i, ok := at[k]; ok {
			add(&sums[i], &row)
			continue
		}
		at[k] = len(sums)
		sums = append(sums, row)
	}
	return sums
}

func addSite(sum, s *basinhttp.Site) {
	sum.Gets += s.Gets
	sum.Puts += s.Puts
	sum.Leaks += s.Leaks
	sum.Items += s.Items
	sum.Bytes += s.Bytes
	sum.Unfreed += s.Unfreed
}

// garbage returns the program's sentences about memory in use that may be garbage, one a line.
func garbage(r reading) (lines []string) {
	for sentence := range strings.SplitAfterSeq(r.now.Garbage, ". ") {
		if sentence != "" {
			lines = append(lines, strings.TrimSpace(printable.Text(sentence)))
		}
	}
	return lines
}

// inUse returns how many items all pools have in use.
func inUse(r reading) (n int64) {
	for _, s := range r.now.Pools {
		n += max(0, s.Items.InUse)
	}
	return n
}

// pool returns a short name for a pool.
func pool(name string) string { return cutMiddle(cmp.Or(printable.Text(name), "unnamed"), 16) }

// first returns the innermost call of a stack, or "". Programs with an older basin report no lines.
func first(stack []string) string {
	if len(stack) == 0 {
		return ""
	}
	return stack[0]
}

// call returns a line without the directories of its file and its package, or "".
func call(line string) string {
	line, starts := strings.CutPrefix(line, "go ") // a goroutine begins there
	function, file, _ := strings.Cut(line, " ")
	if function == "" {
		return ""
	}
	text := strings.TrimSpace(path.Base(function) + " " + path.Base(file))
	if starts {
		text = "go " + text
	}
	return printable.Text(text)
}
