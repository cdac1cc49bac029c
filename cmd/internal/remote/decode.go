package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// Limits of a report. A report beyond one of the first group is an error.
const (
	maxBytes = 64 << 20 // of the JSON

	maxPools       = 16384
	maxClasses     = 128     // per pool; a real pool has no more
	maxAllClasses  = 1 << 17 // of all pools
	maxPoolBytes   = 1 << 20 // JSON of one pool, or of another value that is decoded at a time
	maxPoolCommas  = 8192    // commas and opening brackets of such a value, which bound its elements
	maxNesting     = 64
	maxStringBytes = 64 << 10 // including escape sequences
	maxNumberBytes = 64

	maxAhead = 4 << 10 // bytes that are read ahead; they count for the value that is decoded at that time

	maxText  = 512 // bytes of a name; longer ones are cut
	maxSites = 256 // per list of checks; the rest is omitted, as are calls beyond maxCalls in a stack
	maxCalls = 8
)

// decode decodes the JSON report in r.
func decode(r io.Reader) (*basinhttp.Report, error) {
	g := &guard{r: r}
	d := decoder{g, json.NewDecoder(g)}
	var report basinhttp.Report
	if err := d.open('{', "it"); err != nil {
		return nil, err
	}
	for d.more() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "time":
			err = d.value(&report.Time)
		case "started":
			err = d.value(&report.Started)
		case "program":
			err = d.value(&report.Program)
		case "can_trim":
			err = d.value(&report.CanTrim)
		case "go":
			err = d.value(&report.Go)
		case "pools":
			report.Pools, err = d.pools(report.Pools)
		case "garbage":
			err = d.value(&report.Garbage)
		case "garbage_id":
			err = d.value(&report.GarbageID)
		case "garbage_bytes":
			err = d.value(&report.GarbageBytes)
		case "checking":
			report.Checking, err = d.checking()
		default:
			err = d.skip()
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil { // the end
		return nil, err
	}
	if report.Time.IsZero() || report.Started.IsZero() {
		return nil, errors.New("its JSON says nothing about pools")
	}
	shorten(&report.Program)
	shorten(&report.Go.Version)
	shorten(&report.Garbage)
	return &report, nil
}

// A decoder decodes one small value after the other.
type decoder struct {
	guard *guard
	*json.Decoder
}

func (d decoder) more() bool {
	d.guard.begin()
	return d.More()
}

func (d decoder) value(v any) error {
	d.guard.begin()
	return d.Decode(v)
}

// open reads the opening bracket of the named value. For null it returns errNull.
func (d decoder) open(bracket json.Delim, name string) error {
	d.guard.begin()
	switch t, err := d.Token(); {
	case err != nil:
		return err
	case t == nil:
		return errNull
	case t != bracket:
		return fmt.Errorf("%s does not begin with %v", name, bracket)
	}
	return nil
}

var errNull = errors.New("it is null")

// pools appends the decoded pools to the given ones.
func (d decoder) pools(pools []basin.Stats) ([]basin.Stats, error) {
	switch err := d.open('[', "the list of pools"); {
	case err == errNull:
		return pools, nil
	case err != nil:
		return nil, err
	}
	classes := 0
	for i := range pools {
		classes += len(pools[i].Classes)
	}
	for d.more() {
		if len(pools) == maxPools {
			return nil, fmt.Errorf("it has more than %d pools", maxPools)
		}
		var s basin.Stats
		if err := d.value(&s); err != nil {
			return nil, err
		}
		if classes += len(s.Classes); len(s.Classes) > maxClasses || classes > maxAllClasses {
			return nil, fmt.Errorf("it has more than %d size classes of a pool, or %d in all", maxClasses, maxAllClasses)
		}
		shorten(&s.Name)
		shorten(&s.Kind)
		pools = append(pools, s)
	}
	_, err := d.Token() // the end
	return pools, err
}

// checking decodes the part about checks. It returns nil if they are off.
func (d decoder) checking() (*basinhttp.Checking, error) {
	switch err := d.open('{', "the findings of checks"); {
	case err == errNull:
		return nil, nil
	case err != nil:
		return nil, err
	}
	c := new(basinhttp.Checking)
	for d.more() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "level":
			err = d.value(&c.Level)
		case "every":
			err = d.value(&c.Every)
		case "guard_bytes":
			err = d.value(&c.GuardBytes)
		case "max_guard_bytes":
			err = d.value(&c.MaxGuardBytes)
		case "unguarded":
			err = d.value(&c.Unguarded)
		case "sites":
			c.Sites, err = some(d, func(s *basinhttp.Site) {
				shorten(&s.Pool)
				shorten(&s.Line)
				shorten(&s.PutLine)
				s.Stack, s.LastPut = calls(s.Stack), calls(s.LastPut)
			})
		case "found":
			c.Found, err = some(d, func(f *basinhttp.Finding) {
				shorten(&f.Kind)
				shorten(&f.Pool)
				shorten(&f.Line)
				shorten(&f.Suspect)
				f.Acquired, f.FirstPut, f.Here, f.Trail = calls(f.Acquired), calls(f.FirstPut), calls(f.Here), calls(f.Trail)
			})
		default:
			err = d.skip()
		}
		if err != nil {
			return nil, err
		}
	}
	_, err := d.Token() // the end
	shorten(&c.Level)
	return c, err
}

// some decodes a list and returns its first maxSites elements. small shortens each of them.
func some[T any](d decoder, small func(*T)) (list []T, err error) {
	switch err := d.open('[', "a list of findings"); {
	case err == errNull:
		return nil, nil
	case err != nil:
		return nil, err
	}
	for d.more() {
		if len(list) == maxSites {
			if err := d.skip(); err != nil {
				return nil, err
			}
			continue
		}
		var x T
		if err := d.value(&x); err != nil {
			return nil, err
		}
		small(&x)
		list = append(list, x)
	}
	_, err = d.Token() // the end
	return list, err
}

// calls returns the innermost calls of a stack.
func calls(stack []string) []string {
	stack = slices.Clone(stack[:min(len(stack), maxCalls)])
	for i := range stack {
		shorten(&stack[i])
	}
	return stack
}

// skip skips a value token by token, because it may be large.
func (d decoder) skip() error {
	for depth := 0; ; {
		d.guard.begin()
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// shorten cuts s to maxText bytes. The cut text does not keep the whole alive.
func shorten(s *string) {
	if len(*s) > maxText {
		*s = strings.ToValidUTF8(strings.Clone((*s)[:maxText]), "") + "…"
	}
}

// A guard passes JSON on to a decoder, and ends it at values for which the decoder would need
// much memory. It recognizes only strings, numbers and brackets; the decoder reports syntax
// errors.
type guard struct {
	r        io.Reader
	bytes    int // total
	part     int // bytes since begin
	commas   int // and brackets, since begin
	depth    int
	inString bool
	escaped  bool
	length   int // of the current string or number
}

// begin starts a new value. The decoder has freed the previous one.
func (g *guard) begin() { g.part, g.commas = 0, 0 }

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p[:min(len(p), maxAhead)])
	if g.bytes += n; g.bytes > maxBytes {
		return 0, fmt.Errorf("it answers with more than %d MiB", maxBytes>>20)
	}
	for _, c := range p[:n] {
		if err := g.pass(c); err != nil {
			return 0, err
		}
	}
	if g.part += n; g.part > maxPoolBytes || g.commas > maxPoolCommas {
		return 0, errors.New("there is too much in one value of its JSON")
	}
	return n, err
}

// pass checks the next byte.
func (g *guard) pass(c byte) error {
	switch {
	case g.inString && g.escaped:
		g.escaped = false
	case g.inString && c == '\\':
		g.escaped = true
	case c == '"':
		g.inString = !g.inString
		g.length = 0
		return nil
	case g.inString:
	case c == '{' || c == '[':
		g.depth++
		g.commas++
		g.length = 0
	case c == '}' || c == ']':
		g.depth--
		g.length = 0
	case c == ',':
		g.commas++
		g.length = 0
	case c == ':' || c == ' ' || c == '\t' || c == '\r' || c == '\n':
		g.length = 0
		return nil
	}
	g.length++
	switch {
	case g.inString && g.length > maxStringBytes:
		return fmt.Errorf("a string in its JSON is too long, longer than %d bytes", maxStringBytes)
	case !g.inString && g.length > maxNumberBytes:
		return fmt.Errorf("a number in its JSON is too long, longer than %d bytes", maxNumberBytes)
	case g.depth > maxNesting:
		return fmt.Errorf("its JSON is nested more than %d times", maxNesting)
	}
	return nil
}
