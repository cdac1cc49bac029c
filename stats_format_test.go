//go:build go1.25

package basin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

const (
	maxUint = math.MaxUint64
	maxInt  = math.MaxInt64
)

var (
	hugeDrops = basin.Drops{Empty: 1 << 62, Small: 1 << 62, Large: 1 << 62, Foreign: 1, Misaligned: 2, Double: 3, Full: 4}
	hugeStats = basin.Stats{
		Name: "huge", Gets: maxUint, Hits: maxUint, Outside: maxUint, Drops: hugeDrops, Trimmed: maxUint,
		Waiting: math.MaxInt32, Waited: maxUint, LongestWait: maxInt, Refused: maxUint, Bytes: basin.Holdings{InUse: maxInt, Idle: maxInt, MaxIdle: maxInt, MaxInUse: maxInt},
	}
	unknown   = basin.Holdings{InUse: basin.Unknown, Idle: basin.Unknown}
	someStats = basin.Stats{
		Name: "uploads",
		Gets: 2000, Hits: 1999, Misses: 1,
		Puts: 1990, Drops: basin.Drops{Foreign: 4, Double: 1},
		AskedBytes: 7_000_000, HandedOutBytes: 8_192_000,
		Classes: []basin.ClassStats{
			{Size: 64, Gets: 10, Misses: 10},
			{Size: 4096, Gets: 1500, Hits: 1499, Items: basin.Holdings{InUse: 10, Idle: 200}, Bytes: basin.Holdings{InUse: 40960, Idle: 819200}},
			{Size: 5120, Gets: 500, Hits: 500, Bytes: basin.Holdings{Idle: 180_800}},
		}, Bytes: basin.Holdings{InUse: 40960, Idle: 1_000_000, MaxIdle: 64 << 20},
	}
)

func TestStatsString(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    fmt.Stringer
		want string
	}{
		{"zero Stats", basin.Stats{}, "unnamed pool: 0 gets; 0 B in use, 0 B idle"},
		{"Stats", someStats, `"uploads": 2000 gets, 99.9% hits; 40 KiB in use, 976.5 KiB idle of at most 64 MiB; ` +
			`5 dropped: 4 foreign 1 double; most reused: 4 KiB (99.9% hits, 40 KiB in use, 800 KiB idle), 5 KiB (100.0% hits, 0 B in use, 176.5 KiB idle)`},
		{"of bytes, with waits", basin.Stats{ID: 7, Kind: "BytePool", Name: "a", Waiting: 1, Waited: 2, LongestWait: 1500 * time.Millisecond, Refused: 3, Bytes: basin.Holdings{MaxInUse: 1 << 30}},
			`BytePool 7 "a": 0 gets; 0 B in use of at most 1 GiB, 0 B idle; 1 waiting, 2 waited, longest 1.5s, 3 refused`},
		{"of values", basin.Stats{ID: 8, Kind: "Pool[int]", Gets: 4, Hits: 1, Trimmed: 6, Drops: basin.Drops{Full: 2}, Items: basin.Holdings{InUse: 3, Idle: 4, MaxIdle: 5}, Bytes: unknown},
			`Pool[int] 8 unnamed pool: 4 gets, 25.0% hits; 3 in use, 4 idle of at most 5, 6 trimmed; 2 dropped: 2 full`},
		{"of values without an ID", basin.Stats{Kind: "Pool[int]", Name: "p", Gets: 3, Hits: 2, Items: basin.Holdings{InUse: 3, Idle: 4, MaxIdle: 5}, Bytes: unknown, Drops: basin.Drops{Full: 1}},
			`Pool[int] "p": 3 gets, 66.6% hits; 3 in use, 4 idle of at most 5; 1 dropped: 1 full`},
		{"in use of unknown size", basin.Stats{Name: "s", Items: basin.Holdings{InUse: 3, Idle: 4}, Bytes: basin.Holdings{InUse: basin.Unknown, Idle: 4096, MaxIdle: 8192},
			Classes: []basin.ClassStats{{Size: 1024, Gets: 1, Hits: 1, Items: basin.Holdings{InUse: basin.Unknown, Idle: 4}, Bytes: basin.Holdings{InUse: basin.Unknown, Idle: 4096}}}},
			`"s": 0 gets; 3 in use, 4 KiB idle of at most 8 KiB; most reused: 1 KiB (100.0% hits, 4 KiB idle)`},
		{"of fixed buffers", basin.Stats{Kind: "FixedPool", Name: "f", Gets: 3, Items: basin.Holdings{InUse: 1, Idle: 2, MaxIdle: 3, MaxInUse: 3}, Bytes: basin.Holdings{InUse: 10, Idle: 20, MaxIdle: 30, MaxInUse: 30}, Drops: basin.Drops{Misaligned: 1}, Refused: 1},
			`FixedPool "f": 3 gets, 0.0% hits; 10 B in use of at most 30 B, 20 B idle of at most 30 B; 1 dropped: 1 misaligned; 0 waiting, 0 waited, longest 0s, 1 refused`},
		{"misuse", basin.Stats{Name: "p", Misuse: basincheck.Counts{basincheck.DoublePut: 2, basincheck.UseAfterRelease: 1, basincheck.Leak: 3}},
			`"p": 0 gets; 0 B in use, 0 B idle; misuse found: 2 double Put 1 use after release; 3 leaked`},
		{"huge Stats", hugeStats, `"huge": 18446744073709551615 gets, 100.0% hits, 18446744073709551615 outside; ` +
			`8 EiB in use of at most 8 EiB, 8 EiB idle of at most 8 EiB, 18446744073709551615 trimmed; ` +
			`13835058055282163722 dropped: 4611686018427387904 empty 4611686018427387904 small 4611686018427387904 large 1 foreign 2 misaligned 3 double 4 full; ` +
			`2147483647 waiting, 18446744073709551615 waited, longest 2562047h47m16.854775807s, 18446744073709551615 refused`},
		{"a name of 10 KB", basin.Stats{Name: strings.Repeat("ä", 5000)}, `"` + strings.Repeat("ä", 32) + `…": 0 gets; 0 B in use, 0 B idle`},
		{"a name cut within a character", basin.Stats{Name: "x" + strings.Repeat("ä", 5000)}, `"x` + strings.Repeat("ä", 31) + `…": 0 gets; 0 B in use, 0 B idle`},
		{"a hostile name", basin.Stats{Name: "\x1b[31m\n\xff\"<b>"}, `"\x1b[31m\n\xff\"<b>": 0 gets; 0 B in use, 0 B idle`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.String(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if got := fmt.Sprint(tt.s); got != tt.want {
				t.Errorf("printed it is %s", got)
			}
		})
	}
}

// TestSizes formats sizes near the limits of units.
func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{
		1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB",
		1<<20 - 1: "1023.9 KiB", 1 << 20: "1 MiB", 1<<30 - 1: "1023.9 MiB", 1 << 40: "1 TiB", 1<<50 + 1: "1 PiB",
		math.MinInt64: "-9223372036854775808 B",
	} {
		got := basin.Stats{Bytes: basin.Holdings{InUse: n}}.String()
		if want := "unnamed pool: 0 gets; " + want + " in use, 0 B idle"; got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestStatsLogValue parses the output of a handler. It must equal the output of package json,
// except for misuse that was not found and for details of size classes, which are omitted.
func TestStatsLogValue(t *testing.T) {
	type object = map[string]any
	decode := func(b *bytes.Buffer, to any) {
		t.Helper()
		d := json.NewDecoder(b)
		d.UseNumber()
		if err := d.Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		s    basin.Stats
	}{
		{"zero", basin.Stats{}},
		{"of bytes", someStats},
		{"huge", hugeStats},
		{"misuse", basin.Stats{Misuse: basincheck.Counts{basincheck.DoublePut: maxUint, basincheck.WrongPool: 7}}},
		{"of values", basin.Stats{ID: maxUint, Kind: "Pool[int]", Name: "\x1b[31m\n\"<b>", Gets: maxUint, Items: basin.Holdings{InUse: 7, Idle: 8, MaxIdle: maxInt}, Bytes: unknown}},
		{"of fixed buffers", basin.Stats{ID: 1, Kind: "FixedPool", Name: "f", Drops: hugeDrops, Waiting: math.MaxInt32, Waited: maxUint, LongestWait: maxInt, Refused: maxUint}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log, marshalled bytes.Buffer
			slog.New(slog.NewJSONHandler(&log, nil)).Info("", "pool", tt.s)
			var got struct{ Pool object }
			decode(&log, &got)
			if err := json.NewEncoder(&marshalled).Encode(tt.s); err != nil {
				t.Fatal(err)
			}
			var want object
			decode(&marshalled, &want)
			delete(want, "misuse")
			for kind, n := range misuseOf(got.Pool) {
				if n == json.Number("0") {
					t.Errorf("misuse has %s, which was not found", kind)
				}
			}
			if _, ok := got.Pool["misuse"]; ok == (tt.s.Misuse == basincheck.Counts{}) {
				t.Errorf("misuse is %v", got.Pool["misuse"])
			}
			delete(got.Pool, "misuse")
			classes := object{}
			for _, c := range tt.s.Classes {
				classes[fmt.Sprint(c.Size)] = object{"gets": json.Number(fmt.Sprint(c.Gets)), "hits": json.Number(fmt.Sprint(c.Hits)),
					"in_use": json.Number(fmt.Sprint(c.Items.InUse)), "idle": json.Number(fmt.Sprint(c.Items.Idle))}
			}
			want["classes"] = classes
			if len(classes) == 0 {
				delete(want, "classes") // handlers omit an empty group
			}
			if got, want := indent(t, got.Pool), indent(t, want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func misuseOf(pool map[string]any) map[string]any {
	m, _ := pool["misuse"].(map[string]any)
	return m
}

// indent returns v as JSON with its keys in order.
func indent(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
