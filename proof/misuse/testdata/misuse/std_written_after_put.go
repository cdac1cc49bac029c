//go:build go1.25

package misuse

import "github.com/basin-go/basin"

var reports basin.StdBufferPool

// report adds a line to a buffer that it has put.
func reportBug() {
	b := reports.Get()
	b.WriteString("first")
	reports.Put(b) // want: write after Put
	b.WriteString("second")
}

func reportFixed() {
	b := reports.Get()
	b.WriteString("first")
	b.WriteString("second")
	reports.Put(b)
}

func init() { add("std_written_after_put", reportBug, reportFixed) }
