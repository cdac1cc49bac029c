package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A group is a control group with a memory limit.
type group struct{ dir string }

// hierarchies are the places of control groups, with the names of the limits: of version 2, of version 1, and
// of both together.
var hierarchies = []struct{ dir, limit string }{
	{"/sys/fs/cgroup", "memory.max"},
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	{"/sys/fs/cgroup/unified", "memory.max"},
}

// newGroup makes a group with so many bytes.
func newGroup(limit int64) (*group, error) {
	var first error
	for _, h := range hierarchies {
		g := &group{filepath.Join(h.dir, fmt.Sprintf("basin-lab-%d-%d", os.Getpid(), time.Now().UnixNano()))}
		err := os.Mkdir(g.dir, 0o755)
		if err == nil {
			// A file that does not exist is not made: only the kernel has them.
			var f *os.File
			if f, err = os.OpenFile(filepath.Join(g.dir, h.limit), os.O_WRONLY, 0); err == nil {
				_, err = f.WriteString(strconv.FormatInt(limit, 10))
				f.Close()
			}
			if err == nil {
				return g, nil
			}
			os.Remove(g.dir)
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("no control group with a memory limit can be made here: %w", first)
}

// enter returns the beginning of a command that runs the rest of it in the group.
func (g *group) enter() []string {
	return []string{"/bin/sh", "-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs")}
}

// remove removes the group, whose processes must have ended.
func (g *group) remove() {
	for range 100 { // the kernel is not always done with the last process
		if os.Remove(g.dir) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
