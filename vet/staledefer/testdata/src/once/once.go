package once

import "github.com/basin-go/basin"

// What staledefer reports, with its mend, doubleput does not report as well.
func assigned(p []byte) int {
	b := basin.Get(8)
	defer basin.Put(b)
	b = basin.Append(b, p...)
	return len(b)
}

func other(p []byte) int {
	b := basin.Get(8)
	defer basin.Put(b) // want `double Put: basin.Append\(b, p...\) may already have put the memory that it outgrew`
	c := basin.Append(b, p...)
	n := len(c)
	basin.Put(c)
	return n
}
