//go:build go1.25

// Package memlimit finds the memory limit of the program: GOMEMLIMIT, or else the limit of the
// Linux control groups that it runs in, as in a container.
//
// Touch it for another source of limits. How pools share the limit is decided where Now is called.
package memlimit

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// minAge is the least time between two reads of the files.
const minAge = time.Second

var (
	mu    sync.Mutex // guards the variables below
	root  = "/"
	files *groups // of root, or nil
	group = None  // the latest limit from files
	read  time.Time
)

// Now returns the limit in force. Limits of control groups are as of the first call or the latest
// Refresh.
func Now() Limit { return now(false) }

// Refresh is Now, but reads the limits of control groups again, at most once a second. It is for
// callers that run once per garbage collection.
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

// SetRoot makes the package look for control groups below dir instead of /. undo reverts that. It
// is for tests.
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
