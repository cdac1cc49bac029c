package advise

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A Report has the verdicts on all sites of a profile.
type Report struct {
	Summary []string `json:"summary"`
	Seconds float64  `json:"seconds,omitempty"` // that the profile covers, if it is known
	// Of the whole program: per second if Seconds is known, or else since it began.
	Bytes       float64  `json:"bytes"`
	Objects     float64  `json:"objects"`
	Elsewhere   float64  `json:"elsewhere_share,omitempty"` // of goroutines that have no line of the program
	Collections float64  `json:"collections,omitempty"`     // in Seconds
	GCShare     *float64 `json:"gc_cpu_share,omitempty"`    // of the CPU time, if a CPU profile says so
	Gain        Gain     `json:"gain"`
	Unowned     Unowned  `json:"unowned"`
	Unseen      float64  `json:"unseen_share,omitempty"` // that could be pooled, if the source showed that nothing keeps it
	Sites       []*Site  `json:"sites"`
	Pools       []*Pool  `json:"pools,omitempty"` // that the program has already
	Notes       []string `json:"notes,omitempty"`

	heap  *heap
	tried bool    // to make a patch
	left  float64 // share of the bytes that are left when the advice is followed
}

// A Gain is the most that pooling could save, as shares, and the memory that it would
// keep.
type Gain struct {
	Sites     int      `json:"sites"`
	Elsewhere int      `json:"sites_elsewhere,omitempty"`  // of these, in other modules, and so without a patch
	Generated int      `json:"sites_generated,omitempty"`  // of these, in generated files, and so without a patch
	Refused   int      `json:"sites_refused,omitempty"`    // of these, without a patch for another reason
	Bytes     float64  `json:"bytes_share"`                // and so of the collections
	Left      float64  `json:"collections_left,omitempty"` // of Report.Collections
	CPU       *float64 `json:"cpu_share,omitempty"`
	IdleBytes float64  `json:"idle_bytes"`
}

// Unowned is the memory that needs an owner before it can be pooled, as shares of all bytes.
type Unowned struct {
	Bytes float64   `json:"bytes_share"`
	To    []Leaving `json:"to,omitempty"` // the largest first
}

// A Leaving is how memory leaves functions: "is stored in field Encoder.buf".
type Leaving struct {
	How   string  `json:"how"`
	Bytes float64 `json:"bytes_share"`
}

// A Site is a line that allocates.
type Site struct {
	Function string   `json:"function"`
	File     string   `json:"file"`
	Line     int64    `json:"line"`
	Lines    []string `json:"lines,omitempty"`  // where it grows, if Line is where it is made
	First    []string `json:"first,omitempty"`  // where the first array of a Buffer is made, if that is elsewhere
	Copies   int      `json:"copies,omitempty"` // functions into which the line is compiled, if it is of a literal and they are several
	Calls    string   `json:"calls,omitempty"`  // of the standard library, which allocates there
	Kind     string   `json:"kind"`
	Share    float64  `json:"share"`
	Bytes    float64  `json:"bytes"`
	Objects  float64  `json:"objects"`
	Samples  int      `json:"samples"`
	Sizes    []Size   `json:"sizes"`
	Age      *Age     `json:"age,omitempty"`
	Callers  []Caller `json:"callers,omitempty"`
	Module   string   `json:"module,omitempty"` // of the line, if that is another's
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason"`
	Escape   string   `json:"escape,omitempty"` // why the compiler has it on the heap
	Call     string   `json:"call,omitempty"`   // of basin that fits
	Patch    bool     `json:"patch,omitempty"`  // there is one
	Diff     string   `json:"diff,omitempty"`   // of this site alone

	kind      kind
	place     place
	tally     *tally
	found     *allocation // in the source
	missing   string      // why it is not found
	pkg       string      // that has the line, not one into which it is inlined
	elsewhere bool        // in another module, even without its source
	ambiguous bool        // another package has a function or file of the same name
	generated bool        // a tool has made its file
	unseen    bool        // whether something keeps its memory is not known
	liveBytes float64
	alive     float64 // share of all that was allocated
	start     int64
	exact     int64 // the mean size from which on almost each piece has a sample
}

// A Size is one row of a histogram.
type Size struct {
	Size    int64   `json:"size"`
	Bytes   float64 `json:"bytes"`
	Objects float64 `json:"objects"`
}

// A Caller is where a site's function is called.
type Caller struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the site
}

// An Age is how long the values of a site live, in seconds: with 95 % confidence between
// Min and Max. It comes from values that outlived a collection. If there is none of them, Max is
// the only thing known.
type Age struct {
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Samples int     `json:"samples"` // of values that are live
}

// fewSamples is how many a site needs for its figures to mean something.
const fewSamples = 30

// newReport makes the sites of a profile, the largest first.
func newReport(h *heap) *Report {
	per := h.per()
	r := &Report{Seconds: h.duration.Seconds(), Bytes: float64(h.total.bytes) * per, Objects: float64(h.total.objects) * per, heap: h}
	if t := h.places[place{}]; t != nil {
		r.Elsewhere = float64(t.bytes) / float64(h.total.bytes)
	}
	copies := map[place][]place{} // of a literal, by its line alone
	for at, t := range h.places {
		if at.function == "" || t.objects == 0 {
			continue
		}
		line := at
		if strings.Contains(at.function, ".func") {
			line.function = ""
		}
		copies[line] = append(copies[line], at)
	}
	for _, all := range copies {
		r.Sites = append(r.Sites, h.siteOf(all))
	}
	r.sort()
	return r
}

// siteOf makes one site of the same line in several functions: where a literal is inlined, it has another name. The
// shortest is that of the literal itself.
func (h *heap) siteOf(copies []place) *Site {
	slices.SortFunc(copies, func(a, b place) int {
		return cmp.Or(cmp.Compare(len(a.function), len(b.function)), strings.Compare(a.function, b.function))
	})
	t := h.places[copies[0]]
	for _, at := range copies[1:] {
		t = t.plus(h.places[at])
	}
	s := newSite(copies[0], t, h)
	if len(copies) > 1 {
		s.Copies = len(copies)
	}
	return s
}

func (h *heap) per() float64 {
	if h.duration > 0 {
		return 1 / h.duration.Seconds()
	}
	return 1
}

// newSite makes the site of a place.
func newSite(at place, t *tally, h *heap) *Site {
	per := h.per()
	s := &Site{
		Function: at.function, File: at.file, Line: at.line, Calls: at.calls, Kind: string(at.kind), kind: at.kind,
		Share:   float64(t.bytes) / float64(h.total.bytes),
		Bytes:   float64(t.bytes) * per,
		Objects: float64(t.objects) * per,
		Samples: int(math.Round(t.samples)), start: t.start,
		liveBytes: float64(t.liveBytes), alive: float64(t.liveObjects) / float64(t.objects),
		place: at, tally: t, pkg: packageOf(at.function), exact: 4 * max(h.rate, 1),
	}
	for _, size := range slices.Sorted(maps.Keys(t.sizes)) {
		a := t.sizes[size]
		s.Sizes = append(s.Sizes, Size{size, float64(a.bytes) * per, float64(a.objects) * per})
	}
	for name, bytes := range t.callers {
		s.Callers = append(s.Callers, Caller{name, float64(bytes) / float64(max(t.bytes, 1))})
	}
	slices.SortFunc(s.Callers, func(a, b Caller) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), strings.Compare(a.Name, b.Name))
	})
	if h.duration > 0 {
		s.Age = ageOf(t, h.duration)
	}
	return s
}

// sort puts the largest sites first.
func (r *Report) sort() {
	slices.SortFunc(r.Sites, func(a, b *Site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Calls, b.Calls),
			strings.Compare(a.Function, b.Function), strings.Compare(string(a.place.kind), string(b.place.kind)))
	})
}

// ageOf is Little's law: the mean age is how many are live, divided by how many come each
// second. The number of live samples is a Poisson variable, which gives the interval.
func ageOf(t *tally, d time.Duration) *Age {
	rate := float64(t.objects) / d.Seconds()
	scale := float64(t.objects) / max(t.samples, 1) // objects that stand behind one sample
	if t.liveSamples > 0 {
		scale = float64(t.liveObjects) / t.liveSamples
	}
	lo, hi := poisson(t.liveSamples)
	return &Age{lo * scale / rate, hi * scale / rate, int(math.Round(t.liveSamples))}
}

// poisson returns the 95 % confidence interval for the mean of a Poisson variable that was
// seen to be n (Byar's approximation).
func poisson(n float64) (lo, hi float64) {
	const z = 1.96
	if n >= 1 {
		lo = n * math.Pow(1-1/(9*n)-z/(3*math.Sqrt(n)), 3)
	}
	n++
	return max(lo, 0), n * math.Pow(1-1/(9*n)+z/(3*math.Sqrt(n)), 3)
}

// pieceSize is the size of a site's pieces: the median by bytes. The mean of a large buffer and the small struct around it is the
// size of neither.
func (s *Site) pieceSize() float64 {
	left := s.Bytes / 2
	for _, size := range s.Sizes {
		if left -= size.Bytes; left <= 0 {
			return float64(size.Size)
		}
	}
	return s.Bytes / max(s.Objects, 1e-9)
}

// isTest reports whether a line is of a test, or of the file that go test makes.
func (s *Site) isTest() bool {
	return strings.HasSuffix(s.File, "_test.go") || base(s.File) == "_testmain.go"
}

// A Verdict is one of these words.
type Verdict string

const (
	PoolIt      Verdict = "pool it"
	Reuse       Verdict = "reuse a variable"
	Preallocate Verdict = "preallocate"
	Stack       Verdict = "could stay on the stack"
	NeedsOwner  Verdict = "needs an owner"
	LongLived   Verdict = "long-lived"
	TooSmall    Verdict = "too small"
	TooRare     Verdict = "too rare"
	RuntimeFree Verdict = "the runtime will free it"
	DoNotPool   Verdict = "do not pool"
	NotJudged   Verdict = "not judged"
)

// Limits of the verdicts, which docs/advise.md explains.
const (
	rareShare    = 0.005    // of the bytes that are left when the advice is followed
	leastLeft    = 0.05     // of all bytes: fewer are not counted on
	rareBytes    = 64 << 10 // a second
	smallSize    = 128
	leastSamples = 10
	leastExact   = 3
	oldAge       = 10.0 // seconds
	freeSize     = 32 << 10
	stackSize    = 64 << 10
)

// short names the function for a reader: the body of a loop is a part of it.
func (s *Site) short() string { return rangeBody.ReplaceAllString(shortFunction(s.Function), "") }

// A Pool is a pool that the program has already: basin's, known by its figures, or a sync.Pool, known by its source.
type Pool struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Gets    uint64   `json:"gets,omitempty"` // of basin
	Hits    uint64   `json:"hits,omitempty"`
	Verdict Verdict  `json:"verdict"`
	Reasons []string `json:"reasons"`
	Places  []string `json:"places,omitempty"` // of misuse, or of Gets without a Put
}

// say adds a reason. The first tells the verdict.
func (p *Pool) say(v Verdict, format string, args ...any) {
	if p.Verdict == "" {
		p.Verdict = v
	}
	p.Reasons = append(p.Reasons, fmt.Sprintf(format, args...))
}

func (s *Site) say(v Verdict, format string, args ...any) {
	s.Verdict, s.Reason = v, fmt.Sprintf(format, args...)
}

func (r *Report) perSecond() string {
	if r.Seconds > 0 {
		return "/s"
	}
	return ""
}

// isLarge reports whether a site allocates enough to be worth reading more for.
func (s *Site) isLarge() bool { return !s.isSparse() && s.hasShare() }

// hasShare does so by the share alone.
func (s *Site) hasShare() bool { return s.Share >= rareShare*leastLeft }

// isSparse reports whether a site has too few samples. If its pieces are so large that each of them is one, a few tell all.
func (s *Site) isSparse() bool {
	if s.tally != nil && s.tally.objects > 0 && s.tally.bytes/s.tally.objects >= s.exact {
		return s.Samples < leastExact
	}
	return s.Samples < leastSamples
}

// isMostlyOf reports whether a function of the standard library makes most of the bytes itself.
func (s *Site) isMostlyOf(maker string) bool {
	return s.tally != nil && 2*s.tally.makers[maker] > s.tally.bytes
}
