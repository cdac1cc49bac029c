package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// Limits of a report: what is beyond is an error.
const (
	maxBytes = 64 << 20 // of the JSON

	maxPools       = 16384
	maxClasses     = 128     // of a pool, which has no more
	maxAllClasses  = 1 << 17 // of all pools
	maxPoolBytes   = 1 << 20 // of the JSON of a pool, or of what else is decoded at a time
	maxPoolCommas  = 8192    // and brackets: the elements and keys of the same
	maxNesting     = 64
	maxStringBytes = 64 << 10 // escape sequences as they are written
	maxNumberBytes = 64

	maxAhead = 4 << 10 // bytes read before they are needed, which count for what is decoded then

	maxText = 512 // bytes of names, which are cut
)

// decode returns the report that r has as JSON. What the report says of checks is left out.
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
	return &report, nil
}

// A decoder decodes one value after the other, each small.
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

// open reads the bracket that begins what is called by the given name, but reports
// errNull for null.
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

// pools appends the pools that come to those of before.
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
			return nil, fmt.Errorf("it has more size classes than %d of a pool or %d in all", maxClasses, maxAllClasses)
		}
		shorten(&s.Name)
		shorten(&s.Kind)
		pools = append(pools, s)
	}
	_, err := d.Token() // the end
	return pools, err
}

// skip passes over a value, token by token: it may be large.
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

// shorten cuts a text, so that no more of it is kept.
func shorten(s *string) {
	if len(*s) > maxText {
		*s = strings.ToValidUTF8(strings.Clone((*s)[:maxText]), "") + "…"
	}
}

// A guard passes on JSON, of which it ends what a decoder would take much memory for.
// It knows strings, numbers and brackets, and takes no offence at what is no JSON: the
// decoder does.
type guard struct {
	r        io.Reader
	bytes    int // all so far
	part     int // bytes since begin
	commas   int // and brackets, since begin
	depth    int
	inString bool
	escaped  bool
	length   int // of the string or number so far
}

// begin says that the decoder has done with what it has read, and begins another value.
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
		return 0, errors.New("it says too much about a single pool")
	}
	return n, err
}

// pass looks at the next byte.
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
