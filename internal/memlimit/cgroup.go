//go:build go1.25

package memlimit

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// groups finds the memory limits of the process's control group and of all groups above it, as far
// as they are mounted. Limits that cannot be read or parsed count as none.
type groups struct {
	root   string
	mounts []mount
}

// A mount is a mounted part of a hierarchy of control groups.
type mount struct {
	controller string   // memory, or "" for version 2
	part       string   // the mounted part of the hierarchy
	at         string   // mount point
	files      []string // names of the files with a group's limits
}

// From unlimited on, values of version 1 mean no limit.
const unlimited = math.MaxInt64 - 1<<20

// findGroups reads the mounted hierarchies from /proc below root.
func findGroups(root string) *groups {
	g := &groups{root: root}
	for line := range g.lines("/proc/self/mountinfo") {
		// 36 35 98:0 /part /at options... - type source superoptions
		before, after, _ := strings.Cut(line, " - ")
		fields, rest := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(rest) < 3 {
			continue
		}
		m := mount{part: unescape(fields[3]), at: unescape(fields[4])}
		switch {
		case rest[0] == "cgroup2":
			m.files = []string{"memory.max", "memory.high"}
		case rest[0] == "cgroup" && slices.Contains(strings.Split(rest[2], ","), "memory"):
			m.controller = "memory"
			m.files = []string{"memory.limit_in_bytes"}
		default:
			continue
		}
		g.mounts = append(g.mounts, m)
	}
	return g
}

// limit returns the lowest limit.
func (g *groups) limit() Limit {
	least := None
	for line := range g.lines("/proc/self/cgroup") {
		// 0::/group or 5:cpu,memory:/group
		fields := strings.SplitN(line, ":", 3)
		if len(fields) < 3 {
			continue
		}
		for _, m := range g.mounts {
			if !slices.Contains(strings.Split(fields[1], ","), m.controller) {
				continue
			}
			for dir := m.dir(fields[2]); ; dir = path.Dir(dir) {
				for _, name := range m.files {
					file := path.Join(dir, name)
					if n := g.number(file); n < least.Bytes {
						least = Limit{n, file}
					}
				}
				if len(dir) <= len(m.at) || dir == "/" {
					break
				}
			}
		}
	}
	return least
}

// dir returns the directory of a group. If the group is not in the mounted part of the hierarchy,
// dir returns the directory of the topmost mounted group. That happens if a container sees its own
// group as the whole hierarchy.
func (m mount) dir(group string) string {
	part := strings.TrimSuffix(m.part, "/")
	if below, ok := strings.CutPrefix(group, part); ok && (below == "" || below[0] == '/') {
		if dir := path.Join(m.at, below); dir == m.at || strings.HasPrefix(dir, strings.TrimSuffix(m.at, "/")+"/") {
			return dir
		}
	}
	return path.Clean(m.at)
}

// number returns the number in the file, or math.MaxInt64 if there is none.
func (g *groups) number(file string) int64 {
	f, err := os.Open(filepath.Join(g.root, filepath.FromSlash(file)))
	if err != nil {
		return math.MaxInt64
	}
	defer f.Close()
	text := make([]byte, 32)
	k, _ := io.ReadFull(f, text) // a number is shorter
	n, err := strconv.ParseInt(string(bytes.TrimSpace(text[:k])), 10, 64)
	if err != nil || n <= 0 || n >= unlimited {
		return math.MaxInt64
	}
	return n
}

// lines yields the lines of a file that can be read.
func (g *groups) lines(file string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		f, err := os.Open(filepath.Join(g.root, filepath.FromSlash(file)))
		if err != nil {
			return
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if !yield(s.Text()) {
				return
			}
		}
	}
}

// unescape decodes octal escapes, such as \040 for a space, in paths of mountinfo.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
