package top

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/internal/figures"
)

// runScreen shows a view that refreshes itself on the terminal out.
func runScreen(ctx context.Context, source *remote.Source, c Config, out *os.File) error {
	first, failed := source.Read(ctx) // while an error is still a line of text
	if failed != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return failed
	}
	s := &screen{
		ctx: ctx, source: source, interval: c.Interval,
		order:   order{column: columnNamed(c.Sort)},
		reading: reading{now: first},
	}
	// Signals are the caller's: they end ctx, and that ends the program as q does, with
	// the terminal as it was.
	p := tea.NewProgram(s, tea.WithOutput(out), tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	switch {
	case err != nil:
		return err
	case s.interrupted || ctx.Err() != nil:
		return context.Canceled
	}
	return nil
}

// A screen is the model of the view.
type screen struct {
	ctx      context.Context
	source   *remote.Source
	interval time.Duration

	width, height int
	order         order
	reading       reading
	failure       string // of the last attempt to read
	paused        bool
	interrupted   bool

	round int // of readings; results of earlier rounds, begun before a pause, are ignored

	selected uint64 // ID of the selected pool; zero until the user selects one
	cursor   int    // its row, or the row that it had
	offset   int    // the first row on the screen
	classes  bool   // show the size classes of the selected pool
	sites    bool   // show the findings of checks
	help     bool   // show the help
	below    int    // the first class, or line of text, on the screen

	filter    string // only pools with this text in name or kind are shown
	filtering bool   // the user is typing the filter
}

// A result is the outcome of an attempt to read.
type result struct {
	round  int
	report *basinhttp.Report
	err    *remote.Error
}

// A tick says that it is time to read.
type tick struct{ round int }

func (s *screen) Init() tea.Cmd { return s.wait() }

func (s *screen) wait() tea.Cmd {
	round := s.round
	return tea.Tick(s.interval, func(time.Time) tea.Msg { return tick{round} })
}

func (s *screen) read() tea.Cmd {
	round := s.round
	return func() tea.Msg {
		r, err := s.source.Read(s.ctx)
		return result{round, r, err}
	}
}

func (s *screen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case tick:
		if m.round == s.round && !s.paused {
			return s, s.read()
		}
	case result:
		if m.round != s.round {
			break
		}
		if m.err == nil {
			s.reading, s.failure = s.reading.next(m.report), ""
		} else {
			s.failure = m.err.Reason
		}
		return s, s.wait()
	case tea.KeyPressMsg:
		if s.filtering && m.String() != "ctrl+c" && m.String() != "ctrl+z" {
			s.typed(m.Key())
			return s, nil
		}
		return s, s.press(m.String())
	case tea.PasteMsg:
		if s.filtering {
			s.filter += m.Content
		}
	}
	return s, nil
}

// typed handles a key while the user types the filter.
func (s *screen) typed(key tea.Key) {
	switch key.Code {
	case tea.KeyEnter:
		s.filtering = false
	case tea.KeyEscape:
		s.filtering, s.filter = false, ""
	case tea.KeyBackspace:
		if letters := []rune(s.filter); len(letters) > 0 {
			s.filter = string(letters[:len(letters)-1])
		}
	default:
		s.filter += key.Text
	}
}

func (s *screen) press(key string) tea.Cmd {
	switch key {
	case "?":
		s.help, s.below = !s.help, 0
	case "s":
		s.sites, s.help, s.classes, s.below = !s.sites, false, false, 0
	case "/":
		s.filtering, s.help, s.classes, s.sites = true, false, false, false
	case "ctrl+c":
		s.interrupted = true
		return tea.Quit
	case "q":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "p", "space":
		s.paused = !s.paused
		s.round++
		if !s.paused {
			return s.read()
		}
	case "enter":
		if rows := s.rows(); s.help {
			s.help = false
		} else if s.sites {
			s.sites = false
		} else if s.classes {
			s.classes = false
		} else if len(rows) > 0 {
			s.classes, s.below, s.selected = true, 0, rows[s.cursor].ID
		}
	case "esc":
		switch {
		case s.help:
			s.help = false
		case s.sites:
			s.sites = false
		case s.classes:
			s.classes = false
		default:
			s.filter = ""
		}
	case "r":
		s.order.reverse = !s.order.reverse
	case "left", "<":
		s.order = order{column: (s.order.column + len(columns) - 1) % len(columns)}
	case "right", ">":
		s.order = order{column: (s.order.column + 1) % len(columns)}
	case "up":
		s.move(-1)
	case "down":
		s.move(1)
	case "pgup":
		s.move(-s.page())
	case "pgdown":
		s.move(s.page())
	case "home":
		s.move(-1 << 30)
	case "end":
		s.move(1 << 30)
	default:
		if i := slices.IndexFunc(columns, func(c column) bool { return c.key == key }); i >= 0 {
			s.order = order{column: i, reverse: i == s.order.column && !s.order.reverse}
		}
	}
	return nil
}

// move moves the selection, or the classes, by n rows.
func (s *screen) move(n int) {
	if s.classes || s.sites || s.help {
		s.below = max(0, s.below+n) // View limits it to the number of lines
		return
	}
	rows := s.rows()
	if len(rows) > 0 {
		s.cursor = min(max(s.cursor+n, 0), len(rows)-1)
		s.selected = rows[s.cursor].ID
	}
}

// rows returns the rows that pass the filter, sorted, and moves the cursor to the selected one.
func (s *screen) rows() []row {
	rows := s.reading.rows()
	if wanted := strings.ToLower(s.filter); wanted != "" {
		rows = slices.DeleteFunc(rows, func(w row) bool {
			return !strings.Contains(strings.ToLower(name(w)+" "+w.Kind), wanted)
		})
	}
	s.order.sort(rows)
	s.cursor = min(s.cursor, max(0, len(rows)-1))
	if i := slices.IndexFunc(rows, func(w row) bool { return w.ID == s.selected }); i >= 0 {
		s.cursor = i
	}
	return rows
}

// otherLines is the number of lines besides the rows of a table: summary, state, an empty one,
// titles, keys.
const otherLines = 5

func (s *screen) page() int { return max(1, s.height-otherLines) }

var (
	faint = lipgloss.NewStyle().Faint(true)
	alarm = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red)
	bold  = lipgloss.NewStyle().Bold(true)
)

func (s *screen) View() tea.View {
	var v tea.View
	v.AltScreen = true
	v.WindowTitle = "basin top"
	if s.width == 0 {
		return v
	}
	rows := s.rows()
	lines := []string{bold.Render(cut(summary(s.reading), s.width)), s.state(len(rows)), ""}
	keys := hints
	switch {
	case s.help:
		lines = s.scrolled(help(), max(1, s.height-1))
		keys = []hint{{"?", "back", ""}, {"q", "quit", ""}, {"↑↓", "scroll", ""}}
	case s.sites:
		lines = append(lines, s.scrolled(sites(s.reading, 1<<10), max(1, s.height-len(lines)-1))...)
		keys = []hint{{"s", "back to the pools", ""}, {"?", "help", ""}, {"q", "quit", ""}, {"p", "pause", ""}, {"↑↓", "scroll", ""}}
	case s.classes:
		lines = append(lines, s.viewClasses(rows)...)
		keys = []hint{{"esc", "back to the pools", ""}, {"?", "help", ""}, {"q", "quit", ""}, {"p", "pause", ""}, {"↑↓", "scroll", ""}}
	default:
		lines = append(lines, s.viewPools(rows)...)
	}
	if s.filtering {
		keys = []hint{{"enter", "keep the filter", ""}, {"esc", "clear it", ""}}
	}
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(0, s.height-1)], faint.Render(cut(footer(s.width, keys), s.width)))
	v.SetContent(strings.Join(lines, "\n"))
	return v
}

// scrolled returns as many lines of text, from s.below on, as there is room for.
func (s *screen) scrolled(text []string, room int) (lines []string) {
	s.below = min(s.below, max(0, len(text)-room))
	for _, line := range text[s.below:min(len(text), s.below+room)] {
		lines = append(lines, cut(line, s.width))
	}
	return lines
}

// state returns a line about the connection, the filter or the alarms.
func (s *screen) state(shown int) string {
	switch {
	case s.paused:
		return alarm.Render(cut("paused; p resumes  "+s.source.String(), s.width))
	case s.failure != "":
		return alarm.Render(cut(fmt.Sprintf("trying again: %s  %v", s.failure, s.source), s.width))
	case s.filtering:
		return bold.Render(cut("filter: "+printable.Text(s.filter)+"█", s.width))
	case s.filter != "":
		return bold.Render(cut(fmt.Sprintf("%d of %d pools match %s  / changes the filter, esc clears it", shown, len(s.reading.now.Pools), printable.Text(s.filter)), s.width))
	}
	if reasons := s.reading.alarms(); reasons != "" {
		return alarm.Render(cut(reasons, s.width))
	}
	return faint.Render(cut(fmt.Sprintf("every %v  %v", s.interval, s.source), s.width))
}

func (s *screen) viewPools(rows []row) []string {
	switch {
	case len(rows) == 0 && s.filter != "":
		return []string{cut("no pool has this in its name or kind", s.width)}
	case len(rows) == 0:
		return []string{cut("no pool has been used yet", s.width)}
	}
	page := s.page()
	s.offset = min(max(s.offset, s.cursor-page+1), s.cursor, max(0, len(rows)-page))
	end := min(len(rows), s.offset+page)
	return strings.Split(draw(append(slices.Clip(columns), trendColumn), rows, layout{width: s.width, from: s.offset, to: end, sorted: s.order, selected: s.cursor, colours: true, named: true}), "\n")
}

func (s *screen) viewClasses(rows []row) []string {
	i := slices.IndexFunc(rows, func(w row) bool { return w.ID == s.selected })
	if i < 0 {
		return []string{cut("the pool is gone; esc goes back", s.width)}
	}
	lines := about(rows[i])
	for i := range lines {
		lines[i] = cut(lines[i], s.width)
	}
	classes := s.reading.classes(s.selected)
	if len(classes) == 0 {
		return append(lines, "", cut("this pool has no size classes", s.width))
	}
	page := max(1, s.page()-len(lines)-1)
	s.below = min(s.below, max(0, len(classes)-page))
	end := min(len(classes), s.below+page)
	return append(append(lines, ""), strings.Split(draw(classColumns, classes, layout{width: s.width, from: s.below, to: end, sorted: order{column: -1}, selected: -1, colours: true}), "\n")...)
}

// about returns lines with the figures that the table of pools leaves out.
func about(w row) []string {
	lines := []string{fmt.Sprintf("%s  %s #%d", name(w), printable.Text(w.Kind), w.ID)}
	if w.ofLimit() {
		lines = append(lines, fmt.Sprintf("in use %s, reserved %s%s, peak of both %s; lost %s; beyond %s",
			bytes(w.Bytes.InUse), bytes(w.Reserved), atMost("ceiling", w), bytes(w.PeakInUse.Bytes), count(w.lost()), count(w.Beyond)))
		return append(lines, waits(w)...)
	}
	lines = append(lines,
		fmt.Sprintf("gets %s: hits %s, misses %s, outside %s; puts %s; adopted %s; trimmed %s; lost %s", count(w.Gets), count(w.Hits), count(w.Misses), count(w.Outside), count(w.Puts), count(w.Adopted), count(w.Trimmed), count(w.lost())),
		fmt.Sprintf("in use %s%s, peak %s, idle %s%s", amount(w, w.Bytes.InUse, w.Items.InUse), atMost("ceiling", w), amount(w, w.PeakInUse.Bytes, w.PeakInUse.Items), amount(w, w.Bytes.Idle, w.Items.Idle), atMost("max-idle", w)),
	)
	var reasons, others []string
	for _, f := range figures.Pools {
		n, _ := f.Read(&w.Stats)
		switch {
		case n <= 0 || f.Kind != figures.Counter:
		case f.Key == figures.Reason:
			reasons = append(reasons, f.Value+" "+count(uint64(n)))
		case f.Series != "" && f.Unit != "By" && f.Key == "" && !strings.Contains(placed, " "+word(f.Series)+" "):
			others = append(others, word(f.Series)+" "+count(uint64(n)))
		}
	}
	if len(reasons) > 0 {
		lines = append(lines, "drops "+count(w.drops())+": "+strings.Join(reasons, ", "))
	}
	if w.misuse() > 0 || w.leaks() > 0 {
		lines = append(lines, fmt.Sprintf("found by checks: leaks %s, misuse %s", count(w.leaks()), count(w.misuse())))
	}
	if w.OutsideInUse.Items > 0 {
		lines = append(lines, fmt.Sprintf("in use and larger than MaxSize: %s in %s", bytes(w.OutsideInUse.Bytes), items(w.OutsideInUse.Items)))
	}
	if len(others) > 0 {
		lines = append(lines, strings.Join(others, ", "))
	}
	return append(lines, waits(w)...)
}

// placed are the counters that have a place in the lines of about; others follow by the words of their series.
const placed = " gets puts adopted trimmed lost leaks waited refused "

func word(series string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(series, "basin_"), "_total"), "_", " ")
}

// waits returns lines about requests that have waited or were refused, if there are any.
func waits(w row) []string {
	if w.Waited > 0 || w.Refused > 0 || w.Waiting > 0 {
		return []string{
			fmt.Sprintf("waiting %d, waited %s, refused %s; longest wait %v, recently %v", w.Waiting, count(w.Waited), count(w.Refused), short(w.LongestWait), short(w.RecentLongestWait)),
			"waits " + waitTimes(w.WaitTimes[:])}
	}
	return nil
}

// waitTimes lists waits by how long they took.
func waitTimes(counts []uint64) string {
	var all []string
	for i, n := range counts {
		name := figures.WaitTimes[i]
		if under, ok := strings.CutPrefix(name, "under_"); ok {
			name = "<" + under
		}
		all = append(all, name+" "+count(n))
	}
	return strings.Join(all, ", ")
}

// short rounds d to three digits.
func short(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}

// atMost returns the limit in a column, if the pool has one.
func atMost(column string, w row) string {
	if n := columns[columnNamed(column)].cell(w); n != unknown {
		return " of at most " + n
	}
	return ""
}
