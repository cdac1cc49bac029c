// The pointer that holds the slice is put, not the slice that grew.
package loki20978

import (
	"runtime"
	"sync"
)

var pool = sync.Pool{New: func() any { return []string{} }}

func BugBuffer(each func(func(string))) int {
	names := pool.Get().([]string)[:0]
	defer pool.Put(names) // BUG
	each(func(s string) { names = append(names, s) })
	return len(names)
}

func BugConditional(in []string, more bool) int {
	names := pool.Get().([]string)
	defer pool.Put(names) // BUG
	if more {
		names = append(names[:0], in...)
	}
	return len(names)
}

type counters struct{ pcs []uintptr }

var frames = sync.Pool{New: func() any { return &counters{make([]uintptr, 64)} }}

func BugLonger() int {
	c := frames.Get().(*counters)
	defer frames.Put(c) // BUG
	for {
		n := runtime.Callers(1, c.pcs)
		if n < len(c.pcs) {
			return n
		}
		c = &counters{make([]uintptr, 2*len(c.pcs))}
	}
}

func LegalLonger() int {
	c := frames.Get().(*counters)
	defer func() { frames.Put(c) }()
	for {
		n := runtime.Callers(1, c.pcs)
		if n < len(c.pcs) {
			return n
		}
		c = &counters{make([]uintptr, 2*len(c.pcs))}
	}
}

var pointers = sync.Pool{New: func() any { return new([]string) }}

func LegalPointer(in []string) int {
	names := pointers.Get().(*[]string)
	defer pointers.Put(names)
	*names = append((*names)[:0], in...)
	return len(*names)
}

func LegalStoredBack(in []string) int {
	p := pointers.Get().(*[]string)
	names := (*p)[:0]
	defer func() {
		*p = names
		pointers.Put(p)
	}()
	for _, s := range in {
		names = append(names, s)
	}
	return len(names)
}

func LegalOtherVariable(in []string) []string {
	names := pool.Get().([]string)
	defer pool.Put(names)
	var out []string
	out = append(out, in...)
	return out
}
