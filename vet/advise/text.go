package advise

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxShown is how much of a name from elsewhere is shown.
const maxShown = 200

// printable makes text from elsewhere safe for a terminal.
func printable(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxShown {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// printableLong is printable for a sentence: it cuts long words, not the sentence.
func printableLong(s string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(printable(word))
	}
	return b.String()
}

func percent(share float64) string {
	switch p := share * 100; {
	case p >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	case p >= 0.1:
		return fmt.Sprintf("%.1f %%", p)
	}
	return "<0.1 %"
}

func bytesText(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1024
		i++
	}
	switch {
	case n > 0 && n < 0.5 && i == 0:
		return "<1 B"
	case n >= 9.95 || i == 0:
		return fmt.Sprintf("%.0f %s", math.Round(n), units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

// countText is a number of objects.
func countText(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f k", n/1e3)
	case n >= 10:
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.2g", n)
}

func seconds(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case s >= 48*3600:
		return fmt.Sprintf("%.0fd", s/86400)
	case s >= 2*3600:
		return fmt.Sprintf("%.0fh", s/3600)
	case s >= 120:
		return fmt.Sprintf("%.0fm", s/60)
	case s >= 10:
		return fmt.Sprintf("%.0fs", s)
	case s >= 1:
		return fmt.Sprintf("%.1fs", s)
	case d >= time.Millisecond:
		return fmt.Sprintf("%.0fms", s*1e3)
	}
	return "<1ms"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// absolute returns the absolute name of a directory, without symbolic links, as the go command has it.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

func relative(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	return filepath.ToSlash(name)
}

// base is filepath.Base of a name from another system.
func base(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// commonEnd counts the elements that two names end with.
func commonEnd(a, b string) (n int) {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
	}
	x, y := split(a), split(b)
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// shortFunction leaves out the package.
func shortFunction(name string) string { return strings.TrimPrefix(name[packageEnd(name):], ".") }

// rangeBody matches the suffix in the name of the body of a range over a function.
var rangeBody = regexp.MustCompile(`-range\d+`)

// inWords lists names in their order.
func inWords(names []string) string {
	slices.Sort(names)
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// atMostTwo lists names, or counts them.
func atMostTwo(functions []string) string {
	if len(functions) > 2 {
		return plural(len(functions), "function")
	}
	return strings.Join(functions, " and ")
}
