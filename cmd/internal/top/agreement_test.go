package top_test

import (
	"fmt"
	"net/http/httptest"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/top"
	"github.com/basin-go/basin/internal/figures"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestTopAgrees compares the table with Stats, in a program with leaks, misuse, waits and drops of all
// kinds.
func TestTopAgrees(t *testing.T) {
	pooltest.WaitForOtherPools()
	_, keep := pooltest.UseEveryKind(t)
	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled, Every: pooltest.LeakEvery, Handler: func(*basincheck.Report) {}})
	defer basincheck.Set(basincheck.Settings{})
	held := &basin.BytePool{Name: "held"}
	var all [][]byte
	for range 100 {
		all = append(all, held.Get(1000))
	}
	server := httptest.NewServer(basinhttp.Handler())
	defer server.Close()
	out, _, err := plain(t, top.Config{Count: 1, Sort: "name"}, server.URL+"/debug/basin/")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out, "\n")
	columns := strings.Fields(strings.ReplaceAll(lines[1], "▴", ""))
	table := map[string]map[string]string{}
	for _, line := range lines[2:] {
		if line == "" {
			break
		}
		cells := regexp.MustCompile(` {2,}`).Split(line, -1)
		if len(cells) != len(columns) {
			t.Fatalf("%d cells of %d columns: %q", len(cells), len(columns), cells)
		}
		table[cells[0]] = map[string]string{}
		for i, c := range cells {
			table[cells[0]][columns[i]] = c
		}
	}
	size := func(bytes, items int64) string {
		if bytes == basin.Unknown {
			return humanize.Comma(items) + " items"
		}
		return humanize.IBytes(uint64(bytes))
	}
	for _, s := range basinexport.Append(nil) {
		got := table[s.Name]
		for word, want := range map[string]string{
			"KIND":     s.Kind,
			"IN-USE":   size(s.Bytes.InUse, s.Items.InUse),
			"IDLE":     size(s.Bytes.Idle, s.Items.Idle),
			"DROPS":    humanize.Comma(int64(s.Drops.Total())),
			"LOST":     humanize.Comma(s.Lost.Items),
			"LEAKS":    humanize.Comma(int64(s.Misuse.Of(basincheck.Leak))),
			"MISUSE":   humanize.Comma(int64(s.Misuse.Total())),
			"WAITING":  fmt.Sprint(s.Waiting),
			"REFUSED":  humanize.Comma(int64(s.Refused)),
			"BEYOND":   humanize.Comma(int64(s.Beyond)),
			"RESERVED": "-",
		} {
			if basinexport.OfLimit(&s) && slices.Contains([]string{"IDLE", "DROPS", "LEAKS", "MISUSE"}, word) {
				want = "-"
			}
			if basinexport.OfLimit(&s) && word == "RESERVED" {
				want = size(s.Reserved, 0)
			}
			if got[word] != want {
				t.Errorf("%s of %s is %s, want %s", word, s.Name, got[word], want)
			}
		}
		about := regexp.MustCompile("[,;:\n]").ReplaceAllString(top.About(s), " ") + " "
		words := map[string]uint64{"drops": s.Drops.Total(), "leaks": s.Misuse.Of(basincheck.Leak), "misuse": s.Misuse.Total()}
		for _, f := range figures.Pools {
			if f.Kind == figures.Counter && f.Unit != "By" && f.Series != "" && f.Key != figures.Misuse {
				word := strings.TrimSuffix(strings.TrimPrefix(f.Series, "basin_"), "_total")
				if f.Key == figures.Reason {
					word = f.Value
				}
				if n, ok := f.Read(&s); ok {
					words[word] = uint64(n)
				}
			}
		}
		for word, want := range words {
			said := regexp.MustCompile(" " + word + " +([0-9,]+) ").FindStringSubmatch(strings.ReplaceAll(about, " ", "  "))
			switch {
			case said == nil && want > 0:
				t.Errorf("nothing about %s of %s in %q, want %d", word, s.Name, about, want)
			case said != nil && said[1] != humanize.Comma(int64(want)):
				t.Errorf("%s of %s is %s, want %d", word, s.Name, said[1], want)
			}
		}
		if s.Name == "leaky" && got["LEAKS"] == "0" || s.Name == "misused" && got["MISUSE"] == "0" {
			t.Errorf("%s has %v", s.Name, got)
		}
	}
	// Below it are the lines, with the figures that package basincheck has.
	said := strings.Join(strings.Fields(out), " ")
	line := func(m *basincheck.Report) string { return fmt.Sprintf("%v %s %v", m.Kind, m.Pool, m.Acquired.Line()) }
	counts := map[string]uint64{} // by line: an inlined Get has more than one stack of the same line
	for _, m := range basincheck.Found() {
		counts[line(m)] += m.Count
	}
	for _, m := range basincheck.Found()[:3] {
		if want := fmt.Sprintf("%s %v %s", humanize.Comma(int64(counts[line(m)])), m.Kind, m.Pool); !strings.Contains(said, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	for _, s := range basincheck.Outstanding() {
		if s.Pool != "held" {
			continue
		}
		f := s.Stack.Line()
		want := fmt.Sprintf("%d %d %d %d %s held %s %s:%d", s.Gets, s.Puts, s.Leaks, s.Items, humanize.IBytes(uint64(s.Bytes)), path.Base(f.Function), path.Base(f.File), f.Line)
		if !strings.Contains(said, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(out, "estimated: one in 4 is tracked") {
		t.Errorf("it does not say that figures are estimates:\n%s", out)
	}
	runtime.KeepAlive(keep)
	runtime.KeepAlive(all)
}

// TestSitesSayWhatIsInUse has "in use" and "nothing is in use" agree.
func TestSitesSayWhatIsInUse(t *testing.T) {
	used := pool(1, "a", 3, 0)
	used.Items.InUse, used.Bytes.InUse = 3, 386<<10
	for _, tt := range []struct {
		pool basin.Stats
		want string
	}{
		{used, "none of the 3 items in use is tracked"},
		{pool(1, "a", 3, 0), "nothing is in use"},
	} {
		r := report(0, tt.pool)
		r.Checking = &basinhttp.Checking{Level: "sampled", Every: 256}
		out, _, err := plain(t, top.Config{Count: 1}, serve(t, r))
		if err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("error %v, no %q in\n%s", err, tt.want, out)
		}
	}
}

// TestLineIsOneRow: a line that is reached by several call stacks is one row, of findings and of memory in use.
func TestLineIsOneRow(t *testing.T) {
	r := report(0, pool(1, "a", 3, 0))
	r.Checking = &basinhttp.Checking{Level: "full", Every: 1}
	for _, caller := range []string{"main.orders /src/main.go:19", "main.bills /src/main.go:33", "main.users /src/main.go:47"} {
		stack := []string{"main.read /src/main.go:7", caller}
		r.Checking.Sites = append(r.Checking.Sites, basinhttp.Site{Pool: "a", Gets: 100, Puts: 60, Leaks: 10, Items: 30, Bytes: 1 << 20, Line: stack[0], Stack: stack})
		r.Checking.Found = append(r.Checking.Found, basinhttp.Finding{Kind: "leak", Pool: "a", Count: 10, Line: stack[0], Acquired: stack})
	}
	r.Checking.Found = append(r.Checking.Found, basinhttp.Finding{Kind: "double Put", Pool: "a", Count: 1, Line: "main.read /src/main.go:7"})
	out, _, err := plain(t, top.Config{Count: 1}, serve(t, r))
	said := strings.Join(strings.Fields(out), " ")
	if err != nil || strings.Count(said, "main.read main.go:7") != 3 || !strings.Contains(said, "30 leak a main.read") || !strings.Contains(said, "300 180 30 90 3.0 MiB a main.read") {
		t.Errorf("error %v, not three rows in\n%s", err, out)
	}
}

// TestSitesSayWhatIsGarbage has lines below the standard library, from programs of this version and of
// an older one, and memory that may be garbage.
func TestSitesSayWhatIsGarbage(t *testing.T) {
	r := report(0, pool(1, "a", 3, 0))
	r.Garbage = "Of the 2 GiB in use, at least 1 GiB is garbage: slices. Checks list the lines."
	stack := []string{"encoding/json.(*Encoder).Encode /go/src/encoding/json/stream.go:233", "main.orders /src/main.go:19"}
	for _, tt := range []struct {
		checking *basinhttp.Checking
		want     []string
	}{
		{nil, []string{"Of the 2 GiB in use, at least 1 GiB is garbage: slices.\n", "Checks list the lines.\n"}},
		{&basinhttp.Checking{Level: "full", Every: 1, GuardBytes: 3 << 20, MaxGuardBytes: 64 << 20, Unguarded: 12, Sites: []basinhttp.Site{
			{Pool: "a", Unfreed: 1234, Line: stack[1], Stack: stack},
			{Pool: "a", Items: 1, Stack: stack}, // of an older version
		}, Found: []basinhttp.Finding{{Kind: "leak", Pool: "a", Count: 1, Line: stack[1], Acquired: stack}}}, []string{
			"main.orders main.go:19, 1,234 unfreed and garbage", "json.(*Encoder).Encode stream.go:233", "leak                a                main.orders main.go:19",
			"at least 1 GiB is garbage: slices.\n", "Guarded memory takes 3.0 MiB of at most 64 MiB; 12 tracked slices are not guarded.",
		}},
	} {
		r.Checking = tt.checking
		out, _, err := plain(t, top.Config{Count: 1}, serve(t, r))
		for _, want := range tt.want {
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("error %v, no %q in\n%s", err, want, out)
			}
		}
	}
}
