//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A function puts the parser that it uses, and its caller puts it again.
type parser struct{ depth int }

var parsers = &basin.Pool[*parser]{New: func() *parser { return new(parser) }}

func parseWith(p *parser) {
	defer parsers.Put(p)
	p.depth++
}

func valueBug() {
	p := parsers.Get()
	parseWith(p)
	parsers.Put(p) // want: double Put
}

func valueFixed() {
	p := parsers.Get()
	parseWith(p)
}

func init() { add("value_put_twice", valueBug, valueFixed) }
