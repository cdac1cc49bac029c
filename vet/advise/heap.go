package advise

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"
)

// A place is a line of the program that allocates, by itself or by a function of the
// standard library that it calls.
type place struct {
	function, file string
	line           int64
	calls          string // the function of the standard library, or empty
	kind           kind
}

// A tally counts the allocations of a place, or of all places.
type tally struct {
	bytes, objects         int64 // since the program began
	liveBytes, liveObjects int64
	samples, liveSamples   float64 // as recorded, before they were scaled up
	sizes                  map[int64]amount
	callers                map[string]int64 // bytes
	stacks                 map[string]int64 // bytes
	makers                 map[string]int64 // bytes by the innermost functions of the standard library
	start                  int64            // line of the function, or 0
	started                int64            // objects of these that were made before main began
	once                   lasting          // of these
}

type amount struct{ bytes, objects int64 }

// A heap is a heap profile by places.
type heap struct {
	places   map[place]*tally
	total    tally
	taken    time.Time
	duration time.Duration // that it covers, or 0 for all of the program's life
	program  string
	rate     int64
	profiler int64 // bytes that it allocates itself, which no place has
}

// Bounds of the memory that a hostile profile takes.
const (
	maxPlaces  = 1 << 18
	maxSizes   = 128
	maxCallers = 16
)

// readHeap sums the samples of a heap profile.
func readHeap(ctx context.Context, p *profile) (*heap, error) {
	columns := [4]int{p.column("alloc_objects"), p.column("alloc_space"), p.column("inuse_objects"), p.column("inuse_space")}
	for _, c := range columns {
		if c < 0 {
			return nil, fmt.Errorf("%s is a profile of %s; advise needs a heap profile: take one from /debug/pprof/allocs", p.name, p.subject())
		}
	}
	h := &heap{places: map[place]*tally{}, taken: p.taken, duration: p.duration, program: p.program, rate: p.period}
	stacks := stackSet{}
	err := p.samples(ctx, func(s *sample) {
		v := func(i int) int64 { return max(s.values[columns[i]], 0) }
		if v(0) == 0 && v(2) == 0 {
			return
		}
		marks := p.marks(s.locations)
		if marks&ofProfiler != 0 {
			h.profiler += v(1)
			return
		}
		at, start, maker, caller := p.place(s.locations)
		t := h.places[at]
		if t == nil {
			if len(h.places) >= maxPlaces {
				at = place{}
			}
			if t = h.places[at]; t == nil {
				t = &tally{sizes: map[int64]amount{}, callers: map[string]int64{}, stacks: map[string]int64{}, makers: map[string]int64{}, start: start}
				h.places[at] = t
			}
		}
		t.add(v(0), v(1), v(2), v(3), p.period)
		h.total.add(v(0), v(1), v(2), v(3), p.period)
		t.noteMarks(marks, v(0), v(2), v(3), p.period)
		t.detail(v(0), v(1), s.size)
		addBytes(t.callers, caller, v(1))
		addBytes(t.makers, maker, v(1))
		addStack(t.stacks, stacks.text(p.stack(s.locations, at.function, at.line)), v(1))
	})
	switch {
	case err != nil:
		return nil, err
	case h.total.objects == 0 && p.period == 0:
		return nil, fmt.Errorf("%s has no samples, because the program sets runtime.MemProfileRate to 0; leave that variable alone", p.name)
	case h.total.objects == 0:
		return nil, fmt.Errorf("%s has no samples; let the program work longer before you take a profile", p.name)
	}
	return h, nil
}

func (p *profile) subject() string {
	switch {
	case p.column("cpu") >= 0:
		return "the CPU"
	case p.column("alloc_space") >= 0:
		return "the heap"
	}
	var names []string
	for _, t := range p.types {
		names = append(names, p.string(t))
	}
	if len(names) == 0 {
		return "nothing"
	}
	return printable(strings.Join(names, ", "))
}

func (t *tally) add(objects, bytes, liveObjects, liveBytes, rate int64) {
	t.objects += objects
	t.bytes += bytes
	t.liveObjects += liveObjects
	t.liveBytes += liveBytes
	t.samples += recorded(objects, bytes, rate)
	t.liveSamples += recorded(liveObjects, liveBytes, rate)
}

// detail adds to the histogram. Without a size it takes the mean, which is inexact: both counts are rounded.
func (t *tally) detail(objects, bytes, size int64) {
	if objects > 0 {
		if size <= 0 {
			size = bytes / objects
		}
		if _, ok := t.sizes[size]; !ok && len(t.sizes) >= maxSizes {
			size = 1 << int(math.Ceil(math.Log2(float64(max(size, 1)))))
		}
		a := t.sizes[size]
		t.sizes[size] = amount{a.bytes + bytes, a.objects + objects}
	}
}

// addBytes adds bytes to those of a function, if there is one.
func addBytes(bytes map[string]int64, function string, n int64) {
	if _, ok := bytes[function]; function != "" && (ok || len(bytes) < maxCallers) {
		bytes[function] += n
	}
}

// recorded undoes the scaling of runtime/pprof, which tells how many samples there were.
func recorded(objects, bytes, rate int64) float64 {
	if objects == 0 || rate <= 1 {
		return float64(objects)
	}
	return float64(objects) * -math.Expm1(-float64(bytes)/float64(objects)/float64(rate))
}

// place finds the innermost function outside the standard library and the codecs, the function of theirs that it calls,
// the innermost of these, and its caller. A stack without such a function counts for the codec, if it has one.
func (p *profile) place(locations []uint64) (at place, start int64, maker, caller string) {
	var std []string // from the innermost
	var lowest place // of a codec
	var lowestStart int64
	for _, id := range locations {
		for _, l := range p.locations[id] {
			f := p.functions[l.function]
			name := plain(p.string(f.name))
			own := place{function: name, file: p.string(f.file), line: l.line}
			isCodec := codec.MatchString(name)
			function := cgoName(name)
			switch {
			case at.function != "":
				return at, start, innermost(std), fmt.Sprintf("%s:%d", name, l.line)
			case function != "":
				std = append(std, function)
			case isCodec && lowest.function == "":
				lowest, lowestStart = own.by(std), f.start
				fallthrough
			case isCodec || isStandard(name, own.file) || isLiteral(name) && p.isOfGo(own.file):
				std = append(std, name)
			default:
				at, start = own.by(std), f.start
			}
		}
	}
	if at.function == "" {
		return lowest, lowestStart, innermost(std), ""
	}
	return at, start, innermost(std), ""
}

// cgoName returns the name in the source of a function of package C, for which cgo makes one of the program. It returns nothing
// for others.
func cgoName(function string) string {
	if of, ok := strings.CutPrefix(unqualified(function), "_Cfunc_"); ok {
		return "C." + strings.TrimPrefix(of, "_C")
	}
	return ""
}

// isOfGo reports whether a file is of the standard library, by the folder of the runtime's files.
func (p *profile) isOfGo(file string) bool {
	if p.root == "" {
		p.root = "?"
		for _, f := range p.functions {
			if root, _, ok := strings.Cut(p.string(f.file), "/src/runtime/"); ok && strings.HasPrefix(p.string(f.name), "runtime.") {
				p.root = root + "/src/"
			}
		}
	}
	return strings.HasPrefix(file, p.root)
}

func innermost(std []string) string {
	if len(std) > 0 {
		return std[0]
	}
	return ""
}

// by adds the standard functions that a place calls, from the innermost.
func (at place) by(std []string) place {
	if len(std) > 0 {
		at.calls = std[len(std)-1]
	}
	at.kind = kindOf(std)
	return at
}

// between returns the allocations after the first of two profiles. Live memory is the
// mean of both.
func between(a, b *heap) (*heap, error) {
	if b.taken.Before(a.taken) {
		a, b = b, a
	}
	elapsed := b.taken.Sub(a.taken)
	switch {
	case a.program != "" && b.program != "" && a.program != b.program:
		return nil, fmt.Errorf("the profiles are of different programs, %s and %s; take both from one process", printable(a.program), printable(b.program))
	case a.rate != b.rate:
		return nil, errors.New("the profiles were taken with different values of runtime.MemProfileRate; take both from one process")
	case elapsed <= 0:
		return nil, errors.New("the profiles were taken at the same time; take the second some 30 seconds later")
	}
	d := &heap{places: map[place]*tally{}, taken: b.taken, duration: elapsed, program: b.program, rate: b.rate, profiler: max(b.profiler-a.profiler, 0)}
	for at, t := range a.places {
		if after := b.places[at]; after == nil || after.objects < t.objects {
			return nil, errors.New("the second profile has fewer allocations than the first, so the program was restarted between them, or they are of different programs; take both from one process")
		}
	}
	for at, t := range b.places {
		d.places[at] = t.minus(a.places[at])
	}
	d.total = *b.total.minus(&a.total)
	if d.total.objects == 0 {
		return nil, errors.New("the program allocated nothing between the two profiles; take them while it works")
	}
	return d, nil
}

// plus adds the allocations of another place.
func (t *tally) plus(o *tally) *tally {
	d := *t
	d.bytes += o.bytes
	d.objects += o.objects
	d.samples += o.samples
	d.liveBytes += o.liveBytes
	d.liveObjects += o.liveObjects
	d.liveSamples += o.liveSamples
	d.started += o.started
	d.once = t.once.plus(o.once)
	d.sizes, d.callers, d.makers = maps.Clone(t.sizes), maps.Clone(t.callers), maps.Clone(t.makers)
	d.stacks = maps.Clone(t.stacks)
	for size, a := range o.sizes {
		d.sizes[size] = amount{d.sizes[size].bytes + a.bytes, d.sizes[size].objects + a.objects}
	}
	for c, n := range o.callers {
		d.callers[c] += n
	}
	for stack, n := range o.stacks {
		d.stacks[stack] += n
	}
	for m, n := range o.makers {
		d.makers[m] += n
	}
	return &d
}

func (t *tally) minus(o *tally) *tally {
	if o == nil {
		o = &tally{}
	}
	d := *t
	d.bytes -= o.bytes
	d.objects -= o.objects
	d.samples -= o.samples
	d.liveBytes = (t.liveBytes + o.liveBytes) / 2
	d.liveObjects = (t.liveObjects + o.liveObjects) / 2
	d.liveSamples = (t.liveSamples + o.liveSamples) / 2
	d.started -= o.started
	d.withoutOnce(t, o)
	d.sizes = map[int64]amount{}
	for size, a := range t.sizes {
		b := o.sizes[size]
		if a.objects > b.objects {
			d.sizes[size] = amount{a.bytes - b.bytes, a.objects - b.objects}
		}
	}
	d.callers, d.stacks, d.makers = less(t.callers, o.callers), less(t.stacks, o.stacks), less(t.makers, o.makers)
	return &d
}

// less has the bytes of t that are not in o.
func less(t, o map[string]int64) map[string]int64 {
	d := map[string]int64{}
	for name, n := range t {
		if n > o[name] {
			d[name] = n - o[name]
		}
	}
	return d
}

// noteMarks counts memory by its marks.
func (t *tally) noteMarks(m mark, objects, liveObjects, liveBytes, rate int64) {
	if m&ofStart != 0 {
		t.started += objects
	}
	if m&(ofStart|ofOnce) != 0 {
		t.once = t.once.plus(lasting{objects, liveObjects, liveBytes, recorded(liveObjects, liveBytes, rate)})
	}
}

// A lasting counts memory of a line that code makes which may run once, such as a table that is filled at its first use.
type lasting struct {
	objects, liveObjects, liveBytes int64
	liveSamples                     float64
}

func (l lasting) plus(o lasting) lasting {
	return lasting{l.objects + o.objects, l.liveObjects + o.liveObjects, l.liveBytes + o.liveBytes, l.liveSamples + o.liveSamples}
}

// withoutOnce takes out of the live memory of two profiles all that was made once before them: it says nothing of the age of
// the memory that was made between them.
func (d *tally) withoutOnce(t, o *tally) {
	if d.once.objects = t.once.objects - o.once.objects; d.once.objects != 0 {
		return
	}
	both := t.once.plus(o.once)
	d.liveBytes -= both.liveBytes / 2
	d.liveObjects -= both.liveObjects / 2
	d.liveSamples -= both.liveSamples / 2
}
