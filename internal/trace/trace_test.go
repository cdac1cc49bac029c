//go:build go1.25

package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/trace"
)

var sample = trace.Trace{
	Header: trace.Header{Every: 3, Procs: 8},
	Pools:  []trace.Pool{{ID: 7, Name: "bodies", MaxIdle: 64 << 20}, {ID: 1 << 40}},
	Acquisitions: []trace.Acquisition{
		{Pool: 7, Size: 1, Start: 500, Lifetime: 0, GetP: 1, PutP: 7},
		{Pool: 1 << 40, Size: 1 << 40, Start: 100, Lifetime: int64(time.Hour), GetP: 0, PutP: 3, Outside: true},
		{Pool: 7, Size: 4096, Start: 0, Lifetime: -1, GetP: 2},
		{Pool: 7, Size: 5 << 20, Start: int64(time.Minute), Lifetime: -1, Outside: true},
	},
	Cycles:   []int64{0, 30, 30, int64(time.Minute)},
	Duration: 61 * time.Second,
	Lost:     12,
	Complete: true,
}

func write(t *testing.T, s trace.Trace) []byte {
	var b bytes.Buffer
	w := trace.NewWriter(&b, s.Header)
	for _, p := range s.Pools {
		w.Pool(p)
	}
	for _, c := range s.Cycles {
		w.GC(time.Duration(c))
	}
	for _, a := range s.Acquisitions {
		w.Acquisition(a)
	}
	if err := w.End(s.Duration, s.Lost); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	got, err := trace.Read(bytes.NewReader(write(t, sample)))
	if err != nil || !reflect.DeepEqual(*got, sample) {
		t.Errorf("the sample comes back as\n%+v, want\n%+v, error %v", got, sample, err)
	}
}

// TestCutOff cuts a trace at each byte: between two entries it is incomplete, within one it is
// an error.
func TestCutOff(t *testing.T) {
	whole := write(t, sample)
	incomplete := 0
	for n := range whole {
		got, err := trace.Read(bytes.NewReader(whole[:n]))
		if err != nil {
			continue
		}
		incomplete++
		if got.Complete {
			t.Errorf("%d of %d bytes are complete", n, len(whole))
		}
	}
	if entries := 1 + len(sample.Pools) + len(sample.Cycles) + len(sample.Acquisitions); incomplete != entries {
		t.Errorf("the trace can end at %d places, want after each of %d entries", incomplete, entries)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{strings.Repeat("x", 1000), strings.Repeat("x", 200)},
		{strings.Repeat("x", 199) + "é", strings.Repeat("x", 199)},
		{"\xff", "�"},
	} {
		got, err := trace.Read(bytes.NewReader(write(t, trace.Trace{Header: sample.Header, Pools: []trace.Pool{{Name: tt.name}}})))
		if err != nil || got.Pools[0].Name != tt.want {
			t.Errorf("%q comes back as %+v, error %v", tt.name, got, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestWriteError(t *testing.T) {
	w := trace.NewWriter(broken{}, sample.Header)
	if err := w.End(0, 0); err == nil {
		t.Error("End returns no error")
	}
}

func TestHostile(t *testing.T) {
	const begin = "basin trace 1\n"
	const huge = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
	const most = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "not a trace"},
		{"something else", "<html><body>hello</body></html>", "not a trace"},
		{"another version", "basin trace 2\n", "not a trace"},
		{"no header", begin + "G\x00", "no header"},
		{"two headers", begin + "H\x01\x01H\x01\x01", "no header, or two"},
		{"one in zero", begin + "H\x00\x01", "0 is not from 1"},
		{"a number of eleven bytes", begin + "H" + strings.Repeat("\xff", 11), "overflows"},
		{"an unknown entry", begin + "H\x01\x01?", "unknown kind"},
		{"an acquisition of no pool", begin + "H\x01\x01a\x01\x01\x01\x00\x01\x01", "not in it"},
		{"a size of zero", begin + "H\x01\x01P\x01\x00\x00a\x01\x00\x01\x01\x01\x01", "0 is not from 1"},
		{"a size beyond all", begin + "H\x01\x01P\x01\x00\x00a\x01" + huge, "is not from 1"},
		{"a P beyond all", begin + "H\x01\x01P\x01\x00\x00a\x01\x01" + huge, "is not from 0"},
		{"before the beginning", begin + "H\x01\x01P\x01\x00\x00a\x01\x01\x01\x01\x01\x01", "out of bounds"},
		{"years later", begin + "H\x01\x01P\x01\x00\x00a\x01\x01\x01" + most, "out of bounds"},
		{"a lifetime of years", begin + "H\x01\x01P\x01\x00\x00a\x01\x01\x01\x00\x01" + huge, "is not from 0"},
		{"a name without end", begin + "H\x01\x01P\x01\x00" + huge, "is not from 0"},
		{"a name that breaks off", begin + "H\x01\x01P\x01\x00\x05ab", "breaks off"},
		{"collections that go back", begin + "H\x01\x01G\x05G\x04", "go back in time"},
		{"more after the end", begin + "H\x01\x01E\x00\x00E", "goes on"},
		{"pools without end", begin + "H\x01\x01" + strings.Repeat("P\x01\x00\x00", 20_000), "more than 16384 pools"},
		{"collections without end", begin + "H\x01\x01" + strings.Repeat("G\x00", 2<<20), "more than 1048576 garbage collections"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := trace.Read(strings.NewReader(tt.data))
			if err == nil || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// FuzzRead reads arbitrary input. An accepted trace must read the same after it is written
// again.
func FuzzRead(f *testing.F) {
	f.Add([]byte("basin trace 1\nH\x01\x01P\x01\x00\x00a\x01\x01\x01\x00\x01\x01E\x05\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := trace.Read(bytes.NewReader(data))
		if err != nil || !first.Complete {
			return
		}
		second, err := trace.Read(bytes.NewReader(write(t, *first)))
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v comes back as %+v, error %v", first, second, err)
		}
	})
}

// TestHalfFull writes until the trace is half full.
func TestHalfFull(t *testing.T) {
	for _, tt := range []struct {
		name string
		a    trace.Acquisition
	}{
		{"short", trace.Acquisition{Size: 1, Lifetime: -1}},
		{"long", trace.Acquisition{Size: 1 << 39, Lifetime: int64(time.Hour), GetP: 1000, PutP: 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := trace.NewWriter(io.Discard, sample.Header)
			n := 0
			for ; !w.HalfFull(); n++ {
				w.Acquisition(tt.a)
			}
			if n < trace.MaxAcquisitions/8 || n > trace.MaxAcquisitions/2+1 {
				t.Errorf("%d acquisitions have room", n)
			}
		})
	}
}
