//go:build go1.25

package memlimit

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"
)

// tree writes files below a new directory and returns the directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	v2     = "25 1 0:22 / / rw - ext4 /dev/sda1 rw\n30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	v1     = "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n33 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	v1None = "9223372036854771712\n"
)

func TestControlGroups(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  Limit
	}{
		{"nothing", nil, None},
		{"no groups", map[string]string{"proc/self/mountinfo": "25 1 0:22 / / rw - ext4 /dev/sda1 rw\n", "proc/self/cgroup": "0::/\n"}, None},
		{"nonsense", map[string]string{"proc/self/mountinfo": "a - b\n\n - \n1 2 3 4 5 - cgroup2 x y", "proc/self/cgroup": "0\n::\n:::\n"}, None},
		{"version 2", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "134217728\n", "sys/fs/cgroup/a/b/memory.high": "max\n",
		}, Limit{128 << 20, "/sys/fs/cgroup/a/b/memory.max"}},
		{"version 2, high", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "134217728\n", "sys/fs/cgroup/a/memory.high": "104857600\n",
		}, Limit{100 << 20, "/sys/fs/cgroup/a/memory.high"}},
		{"version 2, a parent", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a/b/c\n",
			"sys/fs/cgroup/a/b/c/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.max": "3000000\n", "sys/fs/cgroup/a/memory.high": "2000000\n",
		}, Limit{2000000, "/sys/fs/cgroup/a/memory.high"}},
		{"version 2, not a sibling", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "3000000", "sys/fs/cgroup/ab/memory.max": "1000000", "sys/fs/cgroup/a/below/memory.max": "1000000",
		}, Limit{3000000, "/sys/fs/cgroup/a/memory.max"}},
		{"version 2, in a namespace", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n",
		}, Limit{128 << 20, "/sys/fs/cgroup/memory.max"}},
		{"version 2, a group above the namespace", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/../../x\n", "sys/fs/cgroup/memory.max": "134217728\n", "memory.max": "1000000",
		}, Limit{128 << 20, "/sys/fs/cgroup/memory.max"}},
		{"version 2, a part is mounted", map[string]string{
			"proc/self/mountinfo": "30 25 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "0::/docker/1/b\n",
			"sys/fs/cgroup/b/memory.max": "2000000\n", "sys/fs/cgroup/memory.max": "1000000\n",
		}, Limit{1000000, "/sys/fs/cgroup/memory.max"}},
		{"version 2, another part is mounted", map[string]string{
			"proc/self/mountinfo": "30 25 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "0::/docker/12\n",
			"sys/fs/cgroup/memory.max": "1000000\n",
		}, Limit{1000000, "/sys/fs/cgroup/memory.max"}},
		{"version 2, a space in the path", map[string]string{
			"proc/self/mountinfo": `30 25 0:26 / /sys/c\040g rw - cgroup2 cgroup2 rw` + "\n", "proc/self/cgroup": "0::/a:b\n",
			"sys/c g/a:b/memory.max": "1000000\n",
		}, Limit{1000000, "/sys/c g/a:b/memory.max"}},
		{"version 1", map[string]string{
			"proc/self/mountinfo": v1, "proc/self/cgroup": "4:memory:/a/b\n3:cpu,cpuacct:/x\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": v1None, "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "5000000\n",
			"sys/fs/cgroup/cpu/x/memory.limit_in_bytes": "1000000\n",
		}, Limit{5000000, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes"}},
		{"version 1, none", map[string]string{
			"proc/self/mountinfo": v1, "proc/self/cgroup": "4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": v1None,
		}, None},
		{"both", map[string]string{
			"proc/self/mountinfo": v1 + "40 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "4:memory:/a\n0::/b\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "5000000\n", "sys/fs/cgroup/unified/b/memory.max": "4000000\n",
		}, Limit{4000000, "/sys/fs/cgroup/unified/b/memory.max"}},
		{"no numbers", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "", "sys/fs/cgroup/a/memory.high": "-5", "sys/fs/cgroup/memory.max": "0",
		}, None},
		{"beyond an int64", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999999999999999999999999999999",
		}, None},
		{"a directory in place of a file", map[string]string{
			"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max/x": "",
		}, None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := findGroups(tree(t, tt.files)).limit(); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestNow(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	root := tree(t, map[string]string{"proc/self/mountinfo": v2, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "3000000"})
	defer SetRoot(root)()
	expect := func(call string, got, want Limit) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", call, got, want)
		}
	}
	file := "/sys/fs/cgroup/a/memory.max"
	expect("at first", Now(), Limit{3000000, file})
	if err := os.WriteFile(filepath.Join(root, file), []byte("2000000"), 0o644); err != nil {
		t.Fatal(err)
	}
	ago := func(d time.Duration) { // makes the last read so long ago, however slow the test is
		mu.Lock()
		defer mu.Unlock()
		read = time.Now().Add(-d)
	}
	expect("Now", Now(), Limit{3000000, file})
	ago(-time.Hour)
	expect("Refresh within a second", Refresh(), Limit{3000000, file})
	ago(minAge)
	expect("Now, later", Now(), Limit{3000000, file})
	expect("Refresh, later", Refresh(), Limit{2000000, file})
	debug.SetMemoryLimit(5000000)
	expect("GOMEMLIMIT", Now(), Limit{5000000, GOMEMLIMIT})
	debug.SetMemoryLimit(math.MaxInt64)
	expect("without it", Now(), Limit{2000000, file})
	SetRoot(t.TempDir())
	expect("no groups", Now(), None)
}

// FuzzControlGroups: whatever the files contain, the result is a limit or none.
func FuzzControlGroups(f *testing.F) {
	f.Add(v2, "0::/a\n", "3000000")
	f.Add(v1, "4:memory:/a\n", "max")
	f.Add(`1 1 1 \0 \0400 - cgroup2 a b`, "0::../../..\n", "")
	f.Fuzz(func(t *testing.T, mountinfo, cgroup, number string) {
		root := tree(t, map[string]string{"proc/self/mountinfo": mountinfo, "proc/self/cgroup": cgroup, "sys/fs/cgroup/memory.max": number})
		if l := findGroups(root).limit(); l.Bytes <= 0 || (l.Source == "") != (l == None) {
			t.Errorf("%+v", l)
		}
	})
}

// TestReal reads the limits of this machine.
func TestReal(t *testing.T) {
	l := findGroups("/").limit()
	t.Logf("%+v", l)
	if l.Bytes <= 0 {
		t.Errorf("%+v", l)
	}
}

func BenchmarkRefresh(b *testing.B) {
	g := findGroups("/")
	for b.Loop() {
		g.limit()
	}
}
