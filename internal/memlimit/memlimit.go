// Package memlimit knows how much memory the program may use: by GOMEMLIMIT, or else
// by the control groups of Linux that it runs in, as in a container.
package memlimit

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A Limit is an amount of memory, in bytes, that the program should not exceed.
type Limit struct {
	Bytes  int64  // math.MaxInt64 if there is no limit
	Source string // GOMEMLIMIT, the path of a file, or "" if there is no limit
}

// None is the Limit of a program that has none.
var None = Limit{Bytes: math.MaxInt64}

// GOMEMLIMIT is the Source of a limit that was set by that variable, or by debug.SetMemoryLimit.
const GOMEMLIMIT = "GOMEMLIMIT"

// minAge is how long a limit that was read from files is taken for true.
const minAge = time.Second

var (
	mu    sync.Mutex // guards all that follows
	root  = "/"
	files *groups // of root, or nil
	group = None  // what files said
	read  time.Time
)

// Now returns the limit in force. What control groups say was read at the first call, or by
// Refresh.
func Now() Limit { return now(false) }

// Refresh is Now, but reads the limits of control groups again. It is for those who
// call once per garbage collection, and does not read more than once a second.
func Refresh() Limit { return now(true) }

func now(again bool) Limit {
	if n := debug.SetMemoryLimit(-1); n < math.MaxInt64 {
		return Limit{n, GOMEMLIMIT}
	}
	mu.Lock()
	defer mu.Unlock()
	if runtime.GOOS != "linux" && root == "/" {
		return None
	}
	if files == nil || again && time.Since(read) >= minAge {
		if files == nil {
			files = findGroups(root)
		}
		group = files.limit()
		read = time.Now()
	}
	return group
}

// SetRoot has control groups looked for below another directory than /, and returns a
// function that undoes it. It is for tests.
func SetRoot(dir string) (undo func()) {
	mu.Lock()
	defer mu.Unlock()
	before := root
	root, files, group = dir, nil, None
	return func() {
		mu.Lock()
		defer mu.Unlock()
		root, files, group = before, nil, None
	}
}
