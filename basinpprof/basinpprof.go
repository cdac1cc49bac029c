// Package basinpprof writes the outstanding items of all pools, by acquisition site, as
// a profile for go tool pprof and other readers of its format:
//
//	basinpprof.Register(http.DefaultServeMux)
//	basincheck.Set(basincheck.Settings{Level: basincheck.Sampled}) // or BASIN_CHECK=sampled
//
//	go tool pprof http://localhost:6060/debug/pprof/basin_inuse
//
// A site that grows from one profile to the next (-diff_base) may be a leak. The profile has the items
// of [basincheck.Outstanding], by call stack: none while checking is off, and an estimate while it is sampled.
package basinpprof

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/basin-go/basin/basincheck"
	"github.com/google/pprof/profile"
)

// Name is the name of the profile.
const Name = "basin_inuse"

// current returns the current profile.
func current() *profile.Profile {
	checking := basincheck.Now()
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		DefaultSampleType: "inuse_space",
		PeriodType:        &profile.ValueType{Type: "objects", Unit: "count"},
		Period:            int64(max(checking.Every, 1)),
		TimeNanos:         time.Now().UnixNano(),
		Comments:          []string{"basin: checking is " + checking.Level.String()},
	}
	b := builder{profile: p, functions: make(map[functionKey]*profile.Function), locations: make(map[runtime.Frame]*profile.Location)}
	for _, s := range outstanding() {
		b.add(s)
	}
	if n := basincheck.Stats().Untracked; n > 0 {
		p.Comments = append(p.Comments, fmt.Sprintf("basin: %d acquisitions were not tracked for want of memory: the figures are too small", n))
	}
	return p
}

// outstanding returns the call stacks with outstanding items, most bytes first.
func outstanding() []basincheck.Site {
	return slices.DeleteFunc(basincheck.Stacks(), func(s basincheck.Site) bool { return s.Items <= 0 })
}

// A builder adds sites to a profile, with each function and each location once.
type builder struct {
	profile   *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[runtime.Frame]*profile.Location
}

type functionKey struct{ name, file string }

func (b *builder) add(s basincheck.Site) {
	sample := &profile.Sample{
		Value: []int64{s.Items, s.Bytes},
		Label: map[string][]string{"pool": {cmp.Or(s.Pool, "unnamed")}},
	}
	for _, f := range s.Stack.Frames() {
		sample.Location = append(sample.Location, b.location(f))
	}
	b.profile.Sample = append(b.profile.Sample, sample)
}

// location returns the location of f. Inlined frames are locations of their own, because
// stacks lack the frames of basin.
func (b *builder) location(f runtime.Frame) *profile.Location {
	key := runtime.Frame{PC: f.PC, Function: f.Function, File: f.File, Line: f.Line}
	if l := b.locations[key]; l != nil {
		return l
	}
	l := &profile.Location{
		ID:      uint64(len(b.profile.Location) + 1),
		Address: uint64(f.PC),
		Line:    []profile.Line{{Function: b.function(f), Line: int64(f.Line)}},
	}
	b.locations[key] = l
	b.profile.Location = append(b.profile.Location, l)
	return l
}

func (b *builder) function(f runtime.Frame) *profile.Function {
	key := functionKey{f.Function, f.File}
	if fn := b.functions[key]; fn != nil {
		return fn
	}
	fn := &profile.Function{
		ID:         uint64(len(b.profile.Function) + 1),
		Name:       f.Function,
		SystemName: f.Function,
		Filename:   f.File,
	}
	b.functions[key] = fn
	b.profile.Function = append(b.profile.Function, fn)
	return fn
}

// Write writes the current profile to w, compressed as pprof files are. The profile has the items and
// bytes in use, by the stack that acquired them. The label "pool" is the name of the pool. Write returns
// the error of w.
func Write(w io.Writer) error { return current().Write(w) }

// Handler returns a handler that answers with the profile. If the parameter debug is
// given and not zero, it answers with a readable text.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if d := r.FormValue("debug"); d != "" && d != "0" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			writeText(w)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="`+Name+`"`)
		Write(w)
	})
}

func writeText(w io.Writer) {
	sites := outstanding()
	items, bytes := int64(0), int64(0)
	for _, s := range sites {
		items += s.Items
		bytes += s.Bytes
	}
	checking := basincheck.Now()
	fmt.Fprintf(w, "%s: %d items, %d bytes in use (checking: %v", Name, items, bytes, checking.Level)
	if checking.Level == basincheck.Sampled {
		fmt.Fprintf(w, ", an estimate from one in %d", checking.Every)
	}
	fmt.Fprintln(w, ")")
	if n := basincheck.Stats().Untracked; n > 0 {
		fmt.Fprintf(w, "%d acquisitions were not tracked for want of memory: the figures are too small\n", n)
	}
	for _, s := range sites {
		fmt.Fprintf(w, "\n%d items, %d bytes of pool %q:\n%v\n", s.Items, s.Bytes, s.Pool, s.Stack)
	}
}

// Register makes mux serve the profile at /debug/pprof/basin_inuse, beside those of
// net/http/pprof. It panics, as mux does, if something else is there already.
func Register(mux *http.ServeMux) { mux.Handle("GET /debug/pprof/"+Name, Handler()) }
