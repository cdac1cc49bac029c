package top_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/remote"
	"github.com/basin-go/basin/cmd/internal/top"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// report returns a report of some seconds after the program was started.
func report(seconds int, pools ...basin.Stats) *basinhttp.Report {
	return &basinhttp.Report{Time: began.Add(time.Duration(seconds) * time.Second), Started: began, Program: "server", Pools: pools}
}

func pool(id uint64, name string, gets, hits uint64) basin.Stats {
	return basin.Stats{ID: id, Kind: "BytePool", Name: name, Gets: gets, Hits: hits}
}

func TestMain(m *testing.M) {
	remote.Timeout = time.Hour // a slow machine is no failure
	os.Exit(m.Run())
}

// serve answers with one report after the other, and nil is a failure. The last is repeated.
func serve(t *testing.T, reports ...*basinhttp.Report) string {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("format") != "json" {
			t.Errorf("asked for %v", r.URL)
		}
		i := min(int(n.Add(1)), len(reports)) - 1
		if reports[i] == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(reports[i])
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// plain runs top without a terminal.
func plain(t *testing.T, c top.Config, url string) (stdout, stderr string, err error) {
	t.Helper()
	source, err := remote.NewSource(url)
	if err != nil {
		t.Fatal(err)
	}
	if c.Interval == 0 {
		c.Interval = time.Millisecond
	}
	if c.Sort == "" {
		c.Sort = "gets/s"
	}
	var out, errs strings.Builder
	err = top.Run(t.Context(), source, c, &out, &errs)
	return out.String(), errs.String(), err
}

// fields returns the lines of the table that begin after the nth line of titles, by words.
func fields(out string, n int) (rows [][]string) {
	table := strings.Split(out, "NAME")[n]
	for _, line := range strings.Split(table, "\n")[1:] {
		if line == "" {
			break
		}
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

func TestRates(t *testing.T) {
	again := report(2, pool(1, "a", 10, 10))
	again.Started = began.Add(time.Second)
	later := *again
	later.Time = later.Time.Add(time.Second)
	later.Pools = []basin.Stats{pool(1, "a", 30, 10), pool(2, "b", 4, 4)}
	for _, tt := range []struct {
		name    string
		reports []*basinhttp.Report
		want    string // gets per second and hit rate in the last table
	}{
		{"at first", []*basinhttp.Report{report(0, pool(1, "a", 1000, 999))}, "- 99.9"},
		{"never used", []*basinhttp.Report{report(0, pool(1, "a", 0, 0))}, "- -"},
		{"used in between", []*basinhttp.Report{report(0, pool(1, "a", 1000, 1000)), report(2, pool(1, "a", 5000, 2000))}, "2,000 25.0"},
		{"idle in between", []*basinhttp.Report{report(0, pool(1, "a", 1000, 500)), report(2, pool(1, "a", 1000, 500))}, "0 50.0"},
		{"a new pool", []*basinhttp.Report{report(0, pool(1, "a", 1000, 500)), report(2, pool(2, "a", 20, 5))}, "10 25.0"},
		{"started anew", []*basinhttp.Report{report(0, pool(1, "a", 1000, 500)), again}, "- 100.0"},
		{"after that", []*basinhttp.Report{report(0, pool(1, "a", 1000, 500)), again, &later}, "20 0.0"},
		{"the clock stands still", []*basinhttp.Report{report(0, pool(1, "a", 1000, 500)), report(0, pool(1, "a", 1010, 500))}, "- 49.5"},
		{"the clock goes back", []*basinhttp.Report{report(5, pool(1, "a", 1000, 500)), report(0, pool(1, "a", 1010, 500))}, "- 49.5"},
		{"huge", []*basinhttp.Report{report(0, pool(1, "a", math.MaxUint64, math.MaxUint64))}, "- 100.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := max(1, len(tt.reports)-1) // the first is only compared with
			out, errs, err := plain(t, top.Config{Count: n}, serve(t, tt.reports...))
			if err != nil || errs != "" {
				t.Fatalf("error %v, %s", err, errs)
			}
			if got := strings.Join(fields(out, n)[0][3:5], " "); got != tt.want {
				t.Errorf("it says %s, want %s:\n%s", got, tt.want, out)
			}
		})
	}
}

func TestCells(t *testing.T) {
	out, _, err := plain(t, top.Config{Count: 1, Sort: "name"}, serve(t, report(0,
		basin.Stats{ID: 1, Kind: "BytePool", Name: "a", Gets: 1, Drops: basin.Drops{Foreign: 1, Misaligned: 2, Double: 3, Full: 1228}, Lost: basin.Amount{Items: 6}, Misuse: basincheck.Counts{basincheck.DoublePut: 2, basincheck.Leak: 7}, PeakInUse: basin.Amount{Bytes: 3 << 20}, Waiting: 4, Waited: 4, LongestWait: 1234567890, Refused: 5, Beyond: 6, Bytes: basin.Holdings{InUse: 1536, Idle: 64 << 20, MaxIdle: 1 << 30, MaxInUse: 2 << 20}},
		basin.Stats{ID: 2, Kind: "Pool[int]", Name: "b", PeakInUse: basin.Amount{Items: 99, Bytes: basin.Unknown}, Items: basin.Holdings{InUse: 12, Idle: 3456, MaxIdle: 4096}, Bytes: basin.Holdings{InUse: basin.Unknown, Idle: basin.Unknown}},
		basin.Stats{ID: 3, Kind: "StdBufferPool", Name: "c", Items: basin.Holdings{InUse: 7}, Bytes: basin.Holdings{InUse: basin.Unknown, MaxIdle: 1024}},
		basin.Stats{ID: 4, Kind: "BytePool", Name: "d", Waiting: -1, Drops: basin.Drops{Full: math.MaxUint64}, Lost: basin.Amount{Items: -1}, Items: basin.Holdings{InUse: -1, Idle: -1}, Bytes: basin.Holdings{InUse: -2, Idle: math.MinInt64, MaxIdle: math.MaxInt64}},
		basin.Stats{ID: 5, Kind: "BytePool"},
		basin.Stats{ID: 6, Kind: "Limit", Name: "e", Reserved: 1 << 20, Lost: basin.Amount{Items: 1}, PeakInUse: basin.Amount{Items: basin.Unknown, Bytes: 3 << 20}, Waiting: 2, Waited: 9, LongestWait: 3 * time.Second, Refused: 4, Beyond: 5, Items: basin.Holdings{InUse: basin.Unknown}, Bytes: basin.Holdings{InUse: 2 << 20, MaxInUse: 4 << 20}},
	)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"#5 - BytePool - - 0 B - 0 B - 0 B - 0 0 0 0 0 - 0 0", // no name comes first
		"a waiting BytePool - 0.0 1.5 KiB - 3.0 MiB 2.0 MiB 64 MiB 1.0 GiB 1,234 6 7 2 4 1.23s 5 6",
		"b - Pool[int] - - 12 items - 99 items - 3,456 items 4,096 items 0 0 0 0 0 - 0 0",
		"c - StdBufferPool - - 7 items - 0 B - 0 B 1.0 KiB 0 0 0 0 0 - 0 0",
		"d - BytePool - - 0 B - 0 B - 0 B 8.0 EiB 18446744073709551615 0 0 0 0 - 0 0",
		"e waiting Limit - - 2.0 MiB 1.0 MiB 3.0 MiB 4.0 MiB - - - 1 - - 2 3s 4 5",
	} {
		if got := strings.Join(fields(out, 1)[i], " "); got != want {
			t.Errorf("row %d is %s, want %s", i, got, want)
		}
	}
}

// TestLimitIsNoPool: the memory under a Limit is that of pools, so the summary counts it once.
func TestLimitIsNoPool(t *testing.T) {
	limit := basin.Stats{ID: 1, Kind: "Limit", Name: "all", Items: basin.Holdings{InUse: basin.Unknown}, Bytes: basin.Holdings{InUse: 3 << 20}}
	drawn := basin.Stats{ID: 2, Kind: "BytePool", Name: "a", Bytes: basin.Holdings{InUse: 3 << 20}}
	out, _, err := plain(t, top.Config{Count: 1, Sort: "name"}, serve(t, report(0, limit, drawn)))
	if err != nil || !strings.Contains(out, "1 pool: 3.0 MiB in use, 0 B idle") {
		t.Errorf("error %v, and a summary of\n%s", err, out)
	}
}

// TestSort sorts by each column, with one pool that has the most of all.
func TestSort(t *testing.T) {
	most := basin.Stats{ID: 2, Kind: "Z", Name: "z", Gets: 100, Hits: 100, Drops: basin.Drops{Foreign: 9}, Lost: basin.Amount{Items: 9}, Misuse: basincheck.Counts{basincheck.DoublePut: 9, basincheck.Leak: 9}, PeakInUse: basin.Amount{Bytes: 9}, Waiting: 9, Waited: 9, LongestWait: 9, Refused: 9, Beyond: 9, Reserved: 9, Items: basin.Holdings{InUse: 9, Idle: 9, MaxIdle: 9}, Bytes: basin.Holdings{InUse: 9, Idle: 9, MaxIdle: 9, MaxInUse: 9}}
	least := pool(1, "A", 1, 0)
	middle := pool(3, "a", 2, 1)
	for _, name := range top.ColumnNames() {
		t.Run(name, func(t *testing.T) {
			url := serve(t, report(0, pool(1, "", 0, 0), pool(2, "", 0, 0), pool(3, "", 0, 0)), report(1, least, most, middle))
			out, _, err := plain(t, top.Config{Count: 1, Sort: strings.ToUpper(name)}, url)
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, f := range fields(out, 1) {
				order = append(order, f[0])
			}
			want := "z A a" // equal rows are in the order of IDs
			switch name {
			case "name", "kind":
				want = "A a z"
			case "gets/s", "hit%", "trouble":
				want = "z a A"
			}
			if got := strings.Join(order, " "); got != want {
				t.Errorf("the order is %s, want %s:\n%s", got, want, out)
			}
			mark := strings.ToUpper(name) + "▾"
			if strings.HasPrefix(want, "A") || name == "trouble" { // the worst is first
				mark = strings.ToUpper(name) + "▴"
			}
			if !strings.Contains(out, mark) {
				t.Errorf("there is no %s:\n%s", mark, out)
			}
		})
	}
}

// TestHostileNames: no name changes other parts of the output.
func TestHostileNames(t *testing.T) {
	for _, tt := range []struct{ name, pool, want string }{
		{"escape sequences", "\x1b[31m\x1b[2J\x1b]0;title\x07", `\x1b[31m\x1b[2J\x1b]0;title\a`},
		{"C1 control characters", "\u009b31m", `\u009b31m`},
		{"lines", "a\nb\r\vc", `a\nb\r\vc`},
		{"right to left", "a\u202eb", `a\u202eb`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"not UTF-8", "a\xffb", "a\ufffdb"}, // as package json has it
		{"wide characters", "日本語", "日本語"},
		{"10 KB", strings.Repeat("x", 10<<10), strings.Repeat("x", 20) + "…" + strings.Repeat("x", 18) + "…"},
		{"10 KB, wide", strings.Repeat("語", 5<<10), strings.Repeat("語", 10) + "…" + strings.Repeat("語", 9) + "…"},
		{"10 KB of escape sequences", strings.Repeat("\x1b", 10<<10), strings.Repeat(`\x1b`, 5) + `…1b` + strings.Repeat(`\x1b`, 4) + "…"},
		{"HTML", "<b>", "<b>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := pool(1, tt.pool, 1, 1)
			s.Kind = tt.pool
			r := report(0, s, pool(2, "other", 1, 1))
			r.Program = tt.pool
			out, _, err := plain(t, top.Config{Count: 1}, serve(t, r))
			if err != nil {
				t.Fatal(err)
			}
			rows := fields(out, 1)
			if len(rows) != 2 || rows[0][0] != tt.want || rows[1][0] != "other" {
				t.Errorf("it prints %q, want the name %s", rows, tt.want)
			}
			for _, c := range out {
				if c != '\n' && !unicode.IsPrint(c) {
					t.Errorf("it prints %q in %q", c, out)
				}
			}
		})
	}
}

// TestInterval: tables name the interval of their rates.
func TestInterval(t *testing.T) {
	out, _, err := plain(t, top.Config{Count: 1}, serve(t, report(0, pool(1, "a", 1000, 1000)), report(5, pool(1, "a", 2000, 1500))))
	if err != nil || !strings.Contains(out, "  rates over 5 s\n") || strings.Join(fields(out, 1)[0][3:5], " ") != "200 50.0" {
		t.Errorf("error %v, %s", err, out)
	}
}

func TestThousandPools(t *testing.T) {
	var pools []basin.Stats
	for i := range 1000 {
		pools = append(pools, pool(uint64(i+1), fmt.Sprint("pool", i), uint64(i), 0))
	}
	out, _, err := plain(t, top.Config{Count: 1}, serve(t, report(0, pools...)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(fields(out, 1)); n != 1000 {
		t.Errorf("%d rows", n)
	}
}

// TestPage reads the page of this program.
func TestPage(t *testing.T) {
	p := &basin.BytePool{Name: t.Name()}
	p.Put(p.Get(4096))
	s := httptest.NewServer(basinhttp.Handler())
	defer s.Close()
	out, _, err := plain(t, top.Config{Count: 1}, s.URL+"/anywhere")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range fields(out, 1) {
		found = found || strings.Join(f[:12], " ") == t.Name()+" - BytePool 0 0.0 0 B - 0 B - 4.0"
	}
	if !found {
		t.Errorf("the pool is not there:\n%s", out)
	}
	runtime.KeepAlive(p)
}

func TestNoPools(t *testing.T) {
	out, _, err := plain(t, top.Config{Count: 1}, serve(t, report(0)))
	if err != nil || !strings.Contains(out, "0 pools") {
		t.Errorf("error %v, %q", err, out)
	}
}

// TestGoneAndBack has the server not answer for some time.
func TestGoneAndBack(t *testing.T) {
	one := report(0, pool(1, "a", 1, 0))
	for _, tt := range []struct {
		name    string
		reports []*basinhttp.Report
		tables  int
		says    string // on standard error
		fails   bool
	}{
		{"not there at first", []*basinhttp.Report{nil, one, one}, 0, "", true},
		{"gone in between", []*basinhttp.Report{one, nil, nil, one}, 1, "503 Service Unavailable", false},
		{"gone at the end", []*basinhttp.Report{one, one, nil}, 1, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, errs, err := plain(t, top.Config{Count: len(tt.reports) - 1}, serve(t, tt.reports...))
			if n := strings.Count(out, "NAME"); n != tt.tables || (err != nil) != tt.fails || !strings.Contains(errs, tt.says) {
				t.Errorf("%d tables, error %v, standard error %q", n, err, errs)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	source, err := remote.NewSource(serve(t, report(0)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out := writer(func([]byte) { cancel() })
	if err := top.Run(ctx, source, top.Config{Interval: time.Hour, Sort: "name"}, out, out); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

// TestClosedPipe has the reader of the tables go away.
func TestClosedPipe(t *testing.T) {
	source, err := remote.NewSource(serve(t, report(0)))
	if err != nil {
		t.Fatal(err)
	}
	if err := top.Run(t.Context(), source, top.Config{Interval: time.Hour, Sort: "name"}, closed{}, closed{}); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
}

type closed struct{}

var errClosed = errors.New("closed")

func (closed) Write([]byte) (int, error) { return 0, errClosed }

// TestWrongServers has servers answer that are not basin's page.
func TestWrongServers(t *testing.T) {
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			w.Write([]byte(body))
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"nothing there", http.NotFound, "basin's page is not there; it is usually at /debug/basin/"},
		{"not allowed", answer(401, "application/json", "{}"), "401 Unauthorized"},
		{"broken", answer(500, "text/plain", ""), "500 Internal Server Error"},
		{"a status of its own", answer(599, "text/plain", ""), "599"},
		{"another page", answer(200, "text/html", "<html>"), `not basin's page: it answers with "text/html"`},
		{"a hostile kind", answer(200, "text/\x1b[31m", ""), "malformed"},
		{"not JSON", answer(200, "application/json", "<html>"), "not basin's page: invalid character '<'"},
		{"cut off", answer(200, "application/json", `{"time":"2026-`), "not basin's page: unexpected EOF"},
		{"other JSON", answer(200, "application/json", `{"a":1}`), "says nothing about pools"},
		{"an array", answer(200, "application/json", `[]`), "not basin's page"},
		{"wrong types", answer(200, "application/json", `{"time":"\u001b[31m"}`), "not basin's page"},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		{"to elsewhere, for ever", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }, "stopped after 10 redirects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			out, _, err := plain(t, top.Config{}, s.URL)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), s.URL+"/debug/basin/: ") {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") || out != "" {
				t.Errorf("error %q, printed %q", err, out)
			}
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		s := httptest.NewServer(nil)
		s.Close()
		if _, _, err := plain(t, top.Config{}, s.URL); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("error %v", err)
		}
	})
}

func TestBadConfig(t *testing.T) {
	good := top.Config{Interval: time.Second, Sort: "Hit%", Count: 1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*top.Config){
		"-interval is 0s":    func(c *top.Config) { c.Interval = 0 },
		"-interval is -1s":   func(c *top.Config) { c.Interval = -time.Second },
		"-n is -1":           func(c *top.Config) { c.Count = -1 },
		`-sort is "waffles"`: func(c *top.Config) { c.Sort = "waffles" },
		`-sort is ""`:        func(c *top.Config) { c.Sort = "" },
	} {
		c := good
		change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestSameID has pools that claim to be the same one.
func TestSameID(t *testing.T) {
	pools := make([]basin.Stats, 100)
	for i := range pools {
		pools[i] = pool(7, strings.Repeat("語", 100), 1, 1)
	}
	out, _, err := plain(t, top.Config{Count: 1, Sort: "name"}, serve(t, report(0, pools...), report(1, pools...)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(fields(out, 1)); n != len(pools) {
		t.Errorf("%d rows", n)
	}
}

// TestStuck: nobody reads the output.
func TestStuck(t *testing.T) {
	for _, tt := range []struct {
		name           string
		reports        []*basinhttp.Report
		stdout, stderr func(stuck func([]byte)) io.Writer
	}{
		{"standard output", []*basinhttp.Report{report(0)}, func(f func([]byte)) io.Writer { return writer(f) }, func(func([]byte)) io.Writer { return io.Discard }},
		{"standard error", []*basinhttp.Report{report(0), nil}, func(func([]byte)) io.Writer { return io.Discard }, func(f func([]byte)) io.Writer { return writer(f) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source, err := remote.NewSource(serve(t, tt.reports...))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			leave := make(chan struct{})
			defer close(leave)
			stuck := func([]byte) {
				cancel()
				<-leave
			}
			if err := top.Run(ctx, source, top.Config{Interval: time.Millisecond, Sort: "name"}, tt.stdout(stuck), tt.stderr(stuck)); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestTroubleFirst: pools with troubles come first, the worst above the others, and the header names them.
func TestTroubleFirst(t *testing.T) {
	var before, after []basin.Stats
	for i := range uint64(16) { // healthy, and much used
		before = append(before, pool(i+1, "healthy", 0, 0))
		after = append(after, pool(i+1, "healthy", 1000*(i+1), 0))
	}
	for i, s := range []basin.Stats{
		{Name: "was refused", Refused: 787},
		{Name: "lost", Lost: basin.Amount{Items: 2}},
		{Name: "full", Bytes: basin.Holdings{InUse: 96, MaxInUse: 100}},
		{Name: "waits", Waiting: 3},
		{Name: "waits less", Waiting: 1},
		{Name: "twice", Drops: basin.Drops{Double: 1}},
	} {
		s.ID, s.Kind, s.Gets = uint64(100+i), "BytePool", 1
		before = append(before, s)
		after = append(after, s)
	}
	limit := basin.Stats{ID: 200, Kind: "Limit", Name: "a limit", Waiting: 4}
	before, after = append(before, limit), append(after, limit)
	out, _, err := plain(t, top.Config{Count: 1, Sort: "trouble"}, serve(t, report(0, before...), report(1, after...)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(out, "\n")[2:11] {
		got = append(got, strings.Join(strings.Fields(line)[:2], " "))
	}
	want := []string{"waits waiting", "waits less", "a limit", "twice put", "lost lost", "full at", "was refused", "healthy -", "healthy -"}
	if !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q:\n%s", got, want, out)
	}
}
