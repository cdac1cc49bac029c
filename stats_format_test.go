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
)

const (
	maxUint = math.MaxUint64
	maxInt  = math.MaxInt64
)

var (
	hugeDrops = basin.Drops{Empty: 1 << 62, Small: 1 << 62, Large: 1 << 62, Foreign: 1, Misaligned: 2, Double: 3, Full: 4}
	hugeWaits = basin.Waits{Waiting: math.MaxInt32, Waited: maxUint, LongestWait: maxInt, Refused: maxUint}
	hugeStats = basin.Stats{
		Name: "huge", Gets: maxUint, Hits: maxUint, Oversize: maxUint, DropsBy: hugeDrops,
		InUseBytes: maxInt, IdleBytes: maxInt, MaxIdle: maxInt, MaxInUse: maxInt, Trimmed: maxUint,
		Waits: hugeWaits,
	}
	someStats = basin.Stats{
		Name: "uploads",
		Gets: 2000, Hits: 1999, Misses: 1,
		Puts: 1990, Drops: 5, DropsBy: basin.Drops{Foreign: 4, Double: 1},
		AskedBytes: 7_000_000, HandedOutBytes: 8_192_000,
		InUseBytes: 40960, IdleBytes: 1_000_000, MaxIdle: 64 << 20,
		Classes: []basin.ClassStats{
			{Size: 64, Gets: 10, Misses: 10},
			{Size: 4096, Gets: 1500, Hits: 1499, InUseBytes: 40960, IdleBytes: 819200},
			{Size: 5120, Gets: 500, Hits: 500, IdleBytes: 180_800},
		},
	}
)

func TestStatsString(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    fmt.Stringer
		want string
	}{
		{"zero Stats", basin.Stats{}, "unnamed pool: 0 gets; 0 B in use, 0 B idle"},
		{"zero PoolStats", basin.PoolStats{}, "unnamed pool: 0 gets; 0 in use, 0 idle"},
		{"zero FixedStats", basin.FixedStats{}, "unnamed pool: 0 gets; 0 in use, 0 idle"},
		{"zero Snapshot", basin.Snapshot{}, " 0 unnamed pool: 0 gets; 0 B in use, 0 B idle"},
		{"Stats", someStats, `"uploads": 2000 gets, 99.9% hits; 40 KiB in use, 976.5 KiB idle of at most 64 MiB; ` +
			`5 dropped: 4 foreign 1 double; most reused: 4 KiB (99.9% hits, 40 KiB in use, 800 KiB idle), 5 KiB (100.0% hits, 0 B in use, 176.5 KiB idle)`},
		{"Snapshot of bytes", basin.Snapshot{ID: 7, Kind: "BytePool", Stats: basin.Stats{Name: "a", Waits: basin.Waits{Waiting: 1, Waited: 2, LongestWait: 1500 * time.Millisecond, Refused: 3}, MaxInUse: 1 << 30}},
			`BytePool 7 "a": 0 gets; 0 B in use of at most 1 GiB, 0 B idle; 1 waiting, 2 waited, longest 1.5s, 3 refused`},
		{"Snapshot of values", basin.Snapshot{ID: 8, Kind: "Pool[int]", InUse: 3, Idle: 4, MaxIdleItems: 5, Stats: basin.Stats{Gets: 4, Hits: 1, Trimmed: 6, Drops: 2, DropsBy: basin.Drops{Full: 2}}},
			`Pool[int] 8 unnamed pool: 4 gets, 25.0% hits; 3 in use, 4 idle of at most 5, 6 trimmed; 2 dropped: 2 full`},
		{"PoolStats", basin.PoolStats{Name: "p", Gets: 3, Hits: 2, Drops: 1, InUse: 3, Idle: 4, MaxIdle: 5},
			`"p": 3 gets, 66.6% hits; 3 in use, 4 idle of at most 5; 1 dropped: 1 full`},
		{"FixedStats", basin.FixedStats{Name: "f", Gets: 3, InUse: 1, Idle: 2, DropsBy: basin.Drops{Misaligned: 1}, Waits: basin.Waits{Refused: 1}},
			`"f": 3 gets, 0.0% hits; 1 in use, 2 idle; 1 dropped: 1 misaligned; 0 waiting, 0 waited, longest 0s, 1 refused`},
		{"misuse", basin.PoolStats{Name: "p", Misuse: basin.Misuses{DoublePut: 2, UseAfterRelease: 1, Leak: 3}},
			`"p": 0 gets; 0 in use, 0 idle; misuse found: 2 double Put 1 use after release 3 leak`},
		{"huge Stats", hugeStats, `"huge": 18446744073709551615 gets, 100.0% hits, 18446744073709551615 oversize; ` +
			`8 EiB in use of at most 8 EiB, 8 EiB idle of at most 8 EiB, 18446744073709551615 trimmed; ` +
			`13835058055282163722 dropped: 4611686018427387904 empty 4611686018427387904 small 4611686018427387904 large 1 foreign 2 misaligned 3 double 4 full; ` +
			`2147483647 waiting, 18446744073709551615 waited, longest 2562047h47m16.854775807s, 18446744073709551615 refused`},
		{"a name of 10 KB", basin.PoolStats{Name: strings.Repeat("ä", 5000)}, `"` + strings.Repeat("ä", 32) + `…": 0 gets; 0 in use, 0 idle`},
		{"a name cut within a character", basin.PoolStats{Name: "x" + strings.Repeat("ä", 5000)}, `"x` + strings.Repeat("ä", 31) + `…": 0 gets; 0 in use, 0 idle`},
		{"a hostile name", basin.PoolStats{Name: "\x1b[31m\n\xff\"<b>"}, `"\x1b[31m\n\xff\"<b>": 0 gets; 0 in use, 0 idle`},
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

// TestSizes looks at sizes about where the unit changes.
func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "-1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB",
		1<<20 - 1: "1023.9 KiB", 1 << 20: "1 MiB", 1<<30 - 1: "1023.9 MiB", 1 << 40: "1 TiB", 1<<50 + 1: "1 PiB",
		math.MinInt64: "-9223372036854775808 B",
	} {
		got := basin.Stats{InUseBytes: n}.String()
		if want := "unnamed pool: 0 gets; " + want + " in use, 0 B idle"; got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestStatsLogValue reads back what a handler writes.
func TestStatsLogValue(t *testing.T) {
	type object = map[string]any
	number := func(n any) json.Number { return json.Number(fmt.Sprint(n)) }
	drops := func(d basin.Drops) object {
		return object{"empty": number(d.Empty), "small": number(d.Small), "large": number(d.Large), "foreign": number(d.Foreign),
			"misaligned": number(d.Misaligned), "double": number(d.Double), "full": number(d.Full)}
	}
	stats := func(s basin.Stats, more object) object {
		o := object{
			"name": s.Name, "gets": number(s.Gets), "hits": number(s.Hits), "misses": number(s.Misses), "oversize": number(s.Oversize),
			"puts": number(s.Puts), "drops": number(s.Drops), "drops_by": drops(s.DropsBy),
			"asked_bytes": number(s.AskedBytes), "handed_out_bytes": number(s.HandedOutBytes), "oversize_bytes": number(s.OversizeBytes),
			"in_use_bytes": number(s.InUseBytes), "idle_bytes": number(s.IdleBytes), "max_idle": number(s.MaxIdle), "max_in_use": number(s.MaxInUse),
			"trimmed": number(s.Trimmed), "waiting": number(s.Waiting), "waited": number(s.Waited), "longest_wait": number(int64(s.LongestWait)), "refused": number(s.Refused),
		}
		classes := object{}
		for _, c := range s.Classes {
			classes[fmt.Sprint(c.Size)] = object{"gets": number(c.Gets), "hits": number(c.Hits), "in_use_bytes": number(c.InUseBytes), "idle_bytes": number(c.IdleBytes)}
		}
		if len(classes) > 0 {
			o["classes"] = classes
		}
		for k, v := range more {
			o[k] = v
		}
		return o
	}
	fixed := func(s basin.FixedStats) object {
		return object{"name": s.Name, "gets": number(s.Gets), "hits": number(s.Hits), "misses": number(s.Misses), "puts": number(s.Puts),
			"drops": number(s.Drops), "drops_by": drops(s.DropsBy), "in_use": number(s.InUse), "idle": number(s.Idle),
			"waiting": number(s.Waiting), "waited": number(s.Waited), "longest_wait": number(int64(s.LongestWait)), "refused": number(s.Refused)}
	}
	pool := func(s basin.PoolStats) object {
		return object{"name": s.Name, "gets": number(s.Gets), "hits": number(s.Hits), "misses": number(s.Misses), "puts": number(s.Puts),
			"drops": number(s.Drops), "trimmed": number(s.Trimmed), "in_use": number(s.InUse), "idle": number(s.Idle), "max_idle": number(s.MaxIdle)}
	}
	snapshot := func(s basin.Snapshot) object {
		return stats(s.Stats, object{"id": number(s.ID), "kind": s.Kind, "in_use": number(s.InUse), "idle": number(s.Idle), "max_idle_items": number(s.MaxIdleItems)})
	}
	misused := basin.Stats{Misuse: basin.Misuses{DoublePut: maxUint, WrongPool: 7}}
	someFixed := basin.FixedStats{Name: "f", Gets: 1, Hits: 2, Misses: 3, Puts: 4, Drops: 5, DropsBy: hugeDrops, InUse: 6, Idle: 7, Waits: hugeWaits}
	somePool := basin.PoolStats{Name: "\x1b[31m\n\"<b>", Gets: maxUint, Hits: 2, Misses: 3, Puts: 4, Drops: 5, Trimmed: 6, InUse: 7, Idle: 8, MaxIdle: maxInt}
	someSnapshot := basin.Snapshot{ID: maxUint, Kind: "BytePool", Stats: someStats, InUse: 1, Idle: 2, MaxIdleItems: 3}
	for _, tt := range []struct {
		name string
		s    slog.LogValuer
		want object
	}{
		{"zero Stats", basin.Stats{}, stats(basin.Stats{}, nil)},
		{"zero PoolStats", basin.PoolStats{}, pool(basin.PoolStats{})},
		{"zero FixedStats", basin.FixedStats{}, fixed(basin.FixedStats{})},
		{"zero Snapshot", basin.Snapshot{}, snapshot(basin.Snapshot{})},
		{"Stats", someStats, stats(someStats, nil)},
		{"huge Stats", hugeStats, stats(hugeStats, nil)},
		{"misuse", misused, stats(misused, object{"misuse": object{"double_put": number(uint64(maxUint)), "wrong_pool": number(7)}})},
		{"PoolStats", somePool, pool(somePool)},
		{"FixedStats", someFixed, fixed(someFixed)},
		{"Snapshot", someSnapshot, snapshot(someSnapshot)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			slog.New(slog.NewJSONHandler(&b, nil)).Info("", "pool", tt.s)
			var got struct{ Pool object }
			d := json.NewDecoder(&b)
			d.UseNumber()
			if err := d.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if got, want := indent(t, got.Pool), indent(t, tt.want); got != want {
				t.Errorf("logged is\n%s\nwant\n%s", got, want)
			}
		})
	}
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
