//go:build go1.25

package basincheck_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/misuse"
)

// TestKinds compares the kinds with those of internal/check, which finds them.
func TestKinds(t *testing.T) {
	want := []struct {
		kind        basincheck.Kind
		found       misuse.Kind
		words, name string
	}{
		{basincheck.DoublePut, misuse.DoublePut, "double Put", "double_put"},
		{basincheck.WriteAfterPut, misuse.WriteAfterPut, "write after Put", "write_after_put"},
		{basincheck.ForeignPut, misuse.ForeignPut, "foreign Put", "foreign_put"},
		{basincheck.InteriorPut, misuse.InteriorPut, "interior Put", "interior_put"},
		{basincheck.ReslicedPut, misuse.ReslicedPut, "re-sliced Put", "resliced_put"},
		{basincheck.WrongPool, misuse.WrongPool, "Put into another pool", "wrong_pool"},
		{basincheck.UseAfterRelease, misuse.UseAfterRelease, "use after release", "use_after_release"},
		{basincheck.UseAfterPut, misuse.UseAfterPut, "use after Put", "use_after_put"},
		{basincheck.OutOfBounds, misuse.OutOfBounds, "use beyond the capacity", "out_of_bounds"},
		{basincheck.Leak, misuse.Leak, "leak", "leak"},
	}
	var kinds []basincheck.Kind
	for _, k := range want {
		kinds = append(kinds, k.kind)
		if basincheck.Kind(k.found) != k.kind {
			t.Errorf("%v is %d, and %d for those who find it", k.kind, k.kind, k.found)
		}
		if k.kind.String() != k.words || k.kind.Name() != k.name {
			t.Errorf("kind %d is called %q and %q, want %q and %q", k.kind, k.kind, k.kind.Name(), k.words, k.name)
		}
	}
	if got := basincheck.Kinds(); !slices.Equal(got, kinds) {
		t.Errorf("Kinds() = %v, want %v", got, kinds)
	}
	if n := len(basincheck.Counts{}); n < misuse.Kinds {
		t.Errorf("Counts has %d elements, want at least %d: the type of Counts is part of the API", n, misuse.Kinds)
	}
	for _, k := range []basincheck.Kind{0, basincheck.Leak + 1, 255} {
		if s, n := k.String(), k.Name(); s != fmt.Sprintf("Kind(%d)", uint8(k)) || n != fmt.Sprintf("kind_%d", uint8(k)) {
			t.Errorf("kind %d, which there is not, is called %q and %q", uint8(k), s, n)
		}
	}
}

func TestCounts(t *testing.T) {
	c := basincheck.Counts{basincheck.DoublePut: 2, basincheck.WrongPool: 3, basincheck.Leak: 4}
	if n := c.Total(); n != 5 {
		t.Errorf("Total() = %d, want 5", n)
	}
	for _, tt := range []struct {
		kind basincheck.Kind
		want uint64
	}{{basincheck.DoublePut, 2}, {basincheck.ForeignPut, 0}, {basincheck.Leak, 4}, {0, 0}, {basincheck.Leak + 1, 0}, {255, 0}} {
		if n := c.Of(tt.kind); n != tt.want {
			t.Errorf("Of(%v) = %d, want %d", tt.kind, n, tt.want)
		}
	}
	c.Add(basincheck.Counts{basincheck.DoublePut: 1, basincheck.ForeignPut: 7})
	if want := (basincheck.Counts{basincheck.DoublePut: 3, basincheck.ForeignPut: 7, basincheck.WrongPool: 3, basincheck.Leak: 4}); c != want {
		t.Errorf("after Add: %v, want %v", c, want)
	}
}

func TestCountsJSON(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts basincheck.Counts
		json   string
	}{
		{"nothing", basincheck.Counts{}, `{}`},
		{"one", basincheck.Counts{basincheck.Leak: 1}, `{"leak":1}`},
		{"some", basincheck.Counts{basincheck.DoublePut: 2, basincheck.UseAfterRelease: 1}, `{"double_put":2,"use_after_release":1}`},
		{"the most", basincheck.Counts{basincheck.ReslicedPut: math.MaxUint64}, `{"resliced_put":18446744073709551615}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := json.Marshal(struct{ Misuse basincheck.Counts }{tt.counts})
			if want := `{"Misuse":` + tt.json + `}`; err != nil || string(b) != want {
				t.Errorf("written as %s, %v, want %s", b, err, want)
			}
			got := basincheck.Counts{basincheck.WrongPool: 9} // to be overwritten
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil || got != tt.counts {
				t.Errorf("read as %v, %v, want %v", got, err, tt.counts)
			}
		})
	}
	for _, tt := range []struct {
		name, json string
		want       basincheck.Counts
		fails      bool
	}{
		{"null changes nothing", `null`, basincheck.Counts{basincheck.Leak: 5}, false},
		{"a kind of another version", `{"double_put":1,"telepathy":2}`, basincheck.Counts{basincheck.DoublePut: 1}, false},
		{"a negative number", `{"double_put":-1}`, basincheck.Counts{basincheck.Leak: 5}, true},
		{"a number that is too large", `{"leak":18446744073709551616}`, basincheck.Counts{basincheck.Leak: 5}, true},
		{"a list", `[1,2]`, basincheck.Counts{basincheck.Leak: 5}, true},
		{"a text", `"leak"`, basincheck.Counts{basincheck.Leak: 5}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := basincheck.Counts{basincheck.Leak: 5}
			if err := json.Unmarshal([]byte(tt.json), &got); (err != nil) != tt.fails || got != tt.want {
				t.Errorf("read as %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestCountsLog(t *testing.T) {
	for _, tt := range []struct {
		counts basincheck.Counts
		want   string
	}{
		{basincheck.Counts{}, "level=INFO msg=m\n"},
		{basincheck.Counts{basincheck.WrongPool: 3, basincheck.Leak: 1}, "level=INFO msg=m misuse.wrong_pool=3 misuse.leak=1\n"},
	} {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("m", "misuse", tt.counts)
		if _, got, _ := strings.Cut(b.String(), " "); got != tt.want { // without the time
			t.Errorf("%v is logged as %q, want %q", tt.counts, got, tt.want)
		}
	}
}
