//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A logger keeps its handle in a field after flush has put it.
type logger struct{ line *basin.Buffer }

func (l *logger) flush() { basin.PutBuffer(l.line) }

func loggerBug() {
	l := logger{basin.GetBuffer()}
	l.line.WriteString("started")
	l.flush()
	l.line.WriteString("stopped") // want: use after release
}

func loggerFixed() {
	l := logger{basin.GetBuffer()}
	l.line.WriteString("started")
	l.flush()
	l.line = basin.GetBuffer()
	l.line.WriteString("stopped")
	l.flush()
}

func init() { add("handle_used_after_put", loggerBug, loggerFixed) }
