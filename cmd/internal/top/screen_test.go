package top

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/remote"
)

// newScreen returns a screen of 80 columns and 12 lines, which has room for 7 rows.
func newScreen(pools ...basin.Stats) *screen {
	source, err := remote.NewSource("http://localhost/debug/basin/")
	if err != nil {
		panic(err)
	}
	s := &screen{source: source, interval: time.Second, reading: reading{now: reportOf(pools...)}}
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 12})
	return s
}

func reportOf(pools ...basin.Stats) *basinhttp.Report {
	return &basinhttp.Report{Time: time.Unix(1, 0), Started: time.Unix(0, 0), Pools: pools}
}

// abc has three pools, the first of which has the most bytes in use.
func abc() []basin.Stats {
	var pools []basin.Stats
	for i, name := range []string{"alpha", "beta", "gamma"} {
		pools = append(pools, basin.Stats{ID: uint64(i + 1), Kind: "BytePool", Name: name,
			Classes: []basin.ClassStats{{Size: 64 + i, Gets: 1}}, Bytes: basin.Holdings{InUse: int64(10 - i), Idle: int64(i)}})
	}
	return pools
}

// press has the user press keys, one after the other.
func press(s *screen, keys ...string) (last tea.Cmd) {
	named := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "backspace": tea.KeyBackspace}
	for _, k := range keys {
		key := tea.Key{Code: []rune(k)[0], Text: k}
		if code, ok := named[k]; ok {
			key = tea.Key{Code: code}
		} else if c, ok := strings.CutPrefix(k, "ctrl+"); ok {
			key = tea.Key{Code: rune(c[0]), Mod: tea.ModCtrl}
		}
		_, last = s.Update(tea.KeyPressMsg(key))
	}
	return last
}

// lines returns the lines of the screen, without colours, and the row that is marked.
func lines(t *testing.T, s *screen) (all []string, marked string) {
	t.Helper()
	content := s.View().Content
	for i, line := range strings.Split(content, "\n") {
		plain := ansi.Strip(line)
		if w := ansi.StringWidth(plain); w > s.width {
			t.Errorf("line %d takes %d columns of %d: %q", i, w, s.width, plain)
		}
		if strings.Contains(line, "\x1b[7m") {
			marked += strings.Fields(plain)[0]
		}
		all = append(all, plain)
	}
	if len(all) > s.height {
		t.Errorf("%d lines of %d", len(all), s.height)
	}
	return all, marked
}

// TestTroubleOfOne: of 300 pools the header names those in trouble, and says how much of the memory in use is garbage.
// A FixedPool of which all is in use is no trouble.
func TestTroubleOfOne(t *testing.T) {
	pools := []basin.Stats{{ID: 1, Kind: "FixedPool", Name: "workers", Bytes: basin.Holdings{InUse: 100, MaxInUse: 100}}}
	for i := range uint64(300) {
		pools = append(pools, basin.Stats{ID: i + 2, Kind: "BytePool", Name: fmt.Sprintf("tenant-%d", i), Gets: i})
	}
	pools[251].Waiting = 3
	pools[101].Bytes.InUse = 490 << 20
	s := newScreen(pools...)
	s.order = order{column: columnNamed("trouble")}
	r := s.reading.now
	r.Garbage, r.GarbageID, r.GarbageBytes = "Of the memory in use, some is garbage.", pools[101].ID, 486<<20
	r.Checking = &basinhttp.Checking{GuardBytes: 3 << 20}
	all, _ := lines(t, s)
	if want := "301 pools: 490 MiB in use (486 MiB garbage), 0 B idle"; !strings.Contains(all[0], want) {
		t.Errorf("the header is %q, want %q", all[0], want)
	}
	if want := "3 waiting in tenant-250  at least 486 MiB garbage in tenant-100 (key s)"; all[1] != want {
		t.Errorf("the troubles are %q, want %q", all[1], want)
	}
	if got := names(t, s); !strings.HasPrefix(got, "tenant-250 tenant-100 workers ") {
		t.Errorf("the rows are %s", got)
	}
	for _, name := range []string{"workers", "tenant-0"} {
		if line := all[slices.IndexFunc(all, func(l string) bool { return strings.HasPrefix(l, name+" ") })]; strings.Fields(line)[1] != "-" {
			t.Errorf("a healthy pool has a trouble: %s", line)
		}
	}
	s.width = 40
	if all, _ := lines(t, s); !strings.Contains(all[3], "TROUBLE") || !strings.Contains(all[4], "waiting") {
		t.Errorf("where room is short, the trouble is not in\n%s", strings.Join(all, "\n"))
	}
	s.width = 200
	if all, _ := lines(t, s); !strings.Contains(all[0], "guarded 3.0 MiB") {
		t.Errorf("guarded memory, which is not on the heap, is not in %q", all[0])
	}
	r.GarbageBytes = 0
	if all, _ := lines(t, s); !strings.Contains(all[1], "in use may be garbage in tenant-100 (key s)") {
		t.Errorf("the troubles are %q", all[1])
	}
	if got := names(t, s); !strings.HasPrefix(got, "tenant-250 tenant-100 workers ") {
		t.Errorf("the rows are %s", got)
	}
}

// names returns the first word of each row.
func names(t *testing.T, s *screen) string {
	t.Helper()
	all, _ := lines(t, s)
	var names []string
	for _, line := range all[min(4, len(all)):max(4, len(all)-1)] {
		if f := strings.Fields(line); len(f) > 0 {
			names = append(names, f[0])
		}
	}
	return strings.Join(names, " ")
}

func TestSortKeys(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"", "alpha beta gamma"},
		{"n", "gamma beta alpha"}, // it was by name already
		{"n n", "alpha beta gamma"},
		{"u", "alpha beta gamma"},
		{"u u", "gamma beta alpha"},
		{"u r", "gamma beta alpha"},
		{"i", "gamma beta alpha"},
		{"i n", "alpha beta gamma"},
		{"right right right right right r", "gamma beta alpha"}, // IN-USE
		{"left", "alpha beta gamma"},                            // REFUSED
		{"u z", "alpha beta gamma"},
	} {
		s := newScreen(abc()...)
		press(s, strings.Fields(tt.keys)...)
		if got := names(t, s); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.keys, got, tt.want)
		}
	}
	for _, c := range columns { // each has a key of its own, that nothing else has
		s := newScreen(abc()...)
		press(s, "u", "e", c.key)
		if c.title != "REFUSED" && columns[s.order.column].title != c.title {
			t.Errorf("%s sorts by %s", c.key, columns[s.order.column].title)
		}
	}
}

// TestSelection moves the mark, and has the pool under it move.
func TestSelection(t *testing.T) {
	s := newScreen(abc()...)
	check := func(what, want string) {
		t.Helper()
		if _, got := lines(t, s); got != want {
			t.Errorf("%s: %q is marked, want %q", what, got, want)
		}
	}
	check("at first", "alpha")
	press(s, "n")
	check("nothing chosen, sorted the other way", "gamma")
	press(s, "down")
	check("down", "beta")
	press(s, "down")
	check("down again", "alpha")
	press(s, "down")
	check("down at the end", "alpha")
	press(s, "n")
	check("sorted the other way", "alpha")
	press(s, "up")
	check("up at the begin", "alpha")
	press(s, "end")
	check("end", "gamma")
	press(s, "home", "down")
	check("home and down", "beta")
	s.Update(result{report: reportOf(abc()[1:]...)})
	check("the one above is gone", "beta")
	s.Update(result{report: reportOf(abc()[0], abc()[2])})
	check("it is gone", "alpha")
	s.Update(result{report: reportOf()})
	check("all are gone", "")
	press(s, "down", "up", "enter", "pgdown", "end", "home")
	check("nothing to choose", "")
	s.Update(result{report: reportOf(abc()...)})
	check("they are back", "beta")
}

func TestScrolling(t *testing.T) {
	var pools []basin.Stats
	for i := range 100 {
		pools = append(pools, basin.Stats{ID: uint64(i + 1), Name: fmt.Sprintf("p%02d", i)})
	}
	s := newScreen(pools...)
	for _, tt := range []struct{ key, want, marked string }{
		{"up", "p00 p01 p02 p03 p04 p05 p06", "p00"},
		{"pgdown", "p01 p02 p03 p04 p05 p06 p07", "p07"},
		{"up", "p01 p02 p03 p04 p05 p06 p07", "p06"},
		{"end", "p93 p94 p95 p96 p97 p98 p99", "p99"},
		{"pgup", "p92 p93 p94 p95 p96 p97 p98", "p92"},
		{"home", "p00 p01 p02 p03 p04 p05 p06", "p00"},
	} {
		press(s, tt.key)
		if _, marked := lines(t, s); names(t, s) != tt.want || marked != tt.marked {
			t.Errorf("%s: %s with %s marked, want %s with %s", tt.key, names(t, s), marked, tt.want, tt.marked)
		}
	}
}

// TestSizes has terminals of any size, with names of any kind.
func TestSizes(t *testing.T) {
	pools := abc()
	pools[0].Name = strings.Repeat("語", 5000)
	pools[1].Name = "\x1b[2J\n"
	for _, keys := range [][]string{{}, {"enter"}, {"p"}} {
		for _, width := range []int{0, 1, 2, 3, 10, 11, 12, 13, 20, 37, 80, 81, 200} {
			for _, height := range []int{0, 1, 2, 4, 5, 6, 50} {
				s := newScreen(pools...)
				s.failure = "\u8a9e" + strings.Repeat("x", 500)
				s.Update(tea.WindowSizeMsg{Width: width, Height: height})
				press(s, keys...)
				if width > 0 && height > 0 {
					lines(t, s)
				} else {
					s.View()
				}
			}
		}
	}
}

func TestClasses(t *testing.T) {
	pools := abc()
	for i := range 50 {
		pools[1].Classes = append(pools[1].Classes, basin.ClassStats{Size: 100 + i, Gets: uint64(i)})
	}
	s := newScreen(pools...)
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 20})
	text := func() string { all, _ := lines(t, s); return strings.Join(all, "\n") }
	press(s, "down", "enter")
	if got := text(); !strings.Contains(got, "beta  BytePool #2") || !strings.Contains(got, "\n 65 B ") || strings.Contains(got, "alpha") {
		t.Errorf("the classes are\n%s", got)
	}
	press(s, "end")
	if got := text(); !strings.Contains(got, "\n149 B ") || strings.Contains(got, "\n 65 B ") {
		t.Errorf("the last classes are\n%s", got)
	}
	press(s, "up")
	if got := text(); strings.Contains(got, "\n149 B ") || !strings.Contains(got, "\n148 B ") {
		t.Errorf("those before are\n%s", got)
	}
	s.Update(result{report: reportOf(pools[0], pools[2])})
	if got := text(); !strings.Contains(got, "the pool is gone") {
		t.Errorf("of a pool that is gone there is\n%s", got)
	}
	s.Update(result{report: reportOf(basin.Stats{ID: 2, Name: "beta"})})
	if got := text(); !strings.Contains(got, "no size classes") {
		t.Errorf("of a pool without classes there is\n%s", got)
	}
	press(s, "esc")
	if got := names(t, s); got != "beta" {
		t.Errorf("back there are %s", got)
	}
}

// TestPause: a request from before a pause is answered during it.
func TestPause(t *testing.T) {
	s := newScreen(abc()...)
	round := s.round
	if cmd := press(s, "p"); cmd != nil {
		t.Error("a pause asks for something")
	}
	if s.Update(result{round: round, report: reportOf()}); names(t, s) != "alpha beta gamma" {
		t.Errorf("paused, there are %s", names(t, s))
	}
	if _, cmd := s.Update(tick{round}); cmd != nil {
		t.Error("paused, it reads")
	}
	if all, _ := lines(t, s); !strings.Contains(all[1], "paused") {
		t.Errorf("it says %s", all[1])
	}
	if cmd := press(s, "space"); cmd == nil {
		t.Error("it does not read after the pause")
	}
	if _, cmd := s.Update(tick{round}); cmd != nil {
		t.Error("it reads twice")
	}
	if s.Update(result{round: s.round, report: reportOf()}); names(t, s) != "" {
		t.Errorf("after the pause there are %s", names(t, s))
	}
}

// TestFailure has the server go away and come back.
func TestFailure(t *testing.T) {
	s := newScreen(abc()...)
	_, next := s.Update(result{err: &remote.Error{Source: s.source, Reason: "no route to host"}})
	if all, _ := lines(t, s); !strings.Contains(all[1], "trying again: no route to host") || names(t, s) != "alpha beta gamma" {
		t.Errorf("it says %s, with %s", all[1], names(t, s))
	}
	if next == nil {
		t.Error("it does not try again")
	}
	s.Update(result{report: reportOf(abc()[0])})
	if all, _ := lines(t, s); strings.Contains(all[1], "again") || names(t, s) != "alpha" {
		t.Errorf("it says %s, with %s", all[1], names(t, s))
	}
}

func TestQuit(t *testing.T) {
	for key, interrupted := range map[string]bool{"q": false, "ctrl+c": true} {
		s := newScreen()
		cmd := press(s, key)
		if cmd == nil {
			t.Errorf("%s does nothing", key)
		} else if _, ok := cmd().(tea.QuitMsg); !ok || s.interrupted != interrupted {
			t.Errorf("%s: %T, interrupted %v", key, cmd(), s.interrupted)
		}
	}
}

// TestKeysAreSeen has terminals as wide as those usually are.
func TestKeysAreSeen(t *testing.T) {
	for _, tt := range []struct {
		width int
		want  string
	}{
		{80, "? help  q quit  / filter  enter classes  s sites  p pause  ←→ sort  ↑↓ select"},
		{60, "? help  q quit  / filter  enter classes  s sites  p pause"},
		{20, "? help  q quit"},
	} {
		s := newScreen(abc()...)
		s.Update(tea.WindowSizeMsg{Width: tt.width, Height: 24})
		all, _ := lines(t, s)
		if got := all[len(all)-1]; got != tt.want {
			t.Errorf("%d columns: %q, want %q", tt.width, got, tt.want)
		}
	}
}

// TestHelp has help say all keys, and as many lines as there is room for.
func TestHelp(t *testing.T) {
	s := newScreen(abc()...)
	press(s, "?")
	said := ""
	for range 40 {
		all, _ := lines(t, s)
		said += "\n" + strings.Join(all, "\n")
		press(s, "down")
	}
	for _, c := range columns {
		if !strings.Contains(said, fmt.Sprintf("  %-3s%-10s%s", c.key, strings.ToLower(c.title), c.means)) {
			t.Errorf("there is nothing about %s", c.title)
		}
	}
	for _, h := range hints {
		if !strings.Contains(said, h.does) {
			t.Errorf("there is nothing about %s", h.key)
		}
	}
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(s, "home")
	if all, _ := lines(t, s); !strings.Contains(all[0], hints[0].does) || !strings.Contains(all[22], columns[len(columns)-1].means) {
		t.Errorf("a terminal of 80 columns and 24 lines has not all of it:\n%s", strings.Join(all, "\n"))
	}
	for _, key := range []string{"?", "esc", "enter"} {
		s := newScreen(abc()...)
		press(s, "?", key)
		if got := names(t, s); got != "alpha beta gamma" {
			t.Errorf("after ? and %s there are %s", key, got)
		}
	}
}

func TestFilter(t *testing.T) {
	pools := abc()
	pools[2].Kind = "Pool[*beta.Request]"
	for _, tt := range []struct {
		name, keys, want, says string
	}{
		{"by name and kind", "/ B e T", "beta gamma", "filter: BeT"},
		{"q is a letter", "/ q", "gamma", "filter: q"},
		{"kept", "/ b e t enter", "beta gamma", "2 of 3 pools match bet"},
		{"sorted", "/ b e t enter u r", "gamma beta", "2 of 3 pools"},
		{"taken back", "/ b x backspace enter", "alpha beta gamma", "3 of 3 pools match b"},
		{"more taken back than there was", "/ b backspace backspace enter", "alpha beta gamma", "every"},
		{"taken away", "/ b e t esc", "alpha beta gamma", "every"},
		{"taken away later", "/ b e t enter esc", "alpha beta gamma", "every"},
		{"selected", "/ g a m enter enter esc", "gamma", "1 of 3"},
		{"hostile", "/ \u202e", "", `filter: \u202e`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(pools...)
			press(s, strings.Fields(tt.keys)...)
			all, _ := lines(t, s)
			got := names(t, s)
			if strings.HasPrefix(all[3], "no pool has this") {
				got = ""
			}
			if got != tt.want || !strings.Contains(all[1], tt.says) {
				t.Errorf("%s, and it says %s, want %s and %s", got, all[1], tt.want, tt.says)
			}
		})
	}
}

// TestNarrow has all that is vital on a terminal of 60 columns.
func TestNarrow(t *testing.T) {
	before := basin.Stats{ID: 1, Kind: "BytePool", Name: "a pool with a long name", Gets: 1000, Hits: 500}
	after := before
	after.Gets, after.Hits = 124_456, 124_000
	after.Bytes = basin.Holdings{InUse: 63 << 20, Idle: 1000 << 20, MaxInUse: 64 << 20}
	after.Waiting, after.Refused, after.Drops.Double = 12, 34567, 5
	s := newScreen(before)
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 10})
	later := reportOf(after)
	later.Time = later.Time.Add(time.Second)
	s.Update(result{report: later})
	all, _ := lines(t, s)
	text := strings.Join(all, "\n")
	for _, want := range []string{"a poo", "123,456", "100.0", "63 MiB", "1000 MiB", "12 waiting", "34,567/s refused", "5 dropped as double"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s:\n%s", want, text)
		}
	}
}

// TestSimilarNames has names that begin alike, that end alike, and both.
func TestSimilarNames(t *testing.T) {
	var pools []basin.Stats
	for i, name := range []string{
		"github.com/example/service/internal/gateway/bodies", "github.com/example/service/internal/gateway/headers",
		"eu/github.com/example/service/bodies", "us/github.com/example/service/bodies",
		strings.Repeat("a", 30) + "x" + strings.Repeat("a", 30), strings.Repeat("a", 30) + "y" + strings.Repeat("a", 30),
		"one name", "one name", // of two pools
	} {
		pools = append(pools, basin.Stats{ID: uint64(i + 1), Kind: "BytePool", Name: name})
	}
	for _, width := range []int{60, 80} {
		s := newScreen(pools...)
		s.Update(tea.WindowSizeMsg{Width: width, Height: 20})
		all, _ := lines(t, s)
		seen := map[string]bool{}
		for _, line := range all[4:12] {
			seen[line] = true
		}
		if len(seen) != 7 {
			t.Errorf("%d columns: of 7 names %d are different:\n%s", width, len(seen), strings.Join(all, "\n"))
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{nil, "     "},
		{[]float64{0, 0}, "   ▁▁"},
		{[]float64{1, 2, 4, 8, 0}, "▂▃▅█▁"},
		{[]float64{1e300}, "    █"},
	} {
		if got := sparkline(tt.values, 5); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.values, got, tt.want)
		}
	}
	r := reading{}
	for i := range 30 {
		report := reportOf(basin.Stats{ID: 1, Gets: uint64(i * i)})
		report.Time = report.Time.Add(time.Duration(i) * time.Second)
		r = r.next(report)
	}
	if got := r.rows()[0].trend; len(got) != trendLength || got[trendLength-1] != 2*29-1 {
		t.Errorf("the trend is %v", got)
	}
}
