package work

import "github.com/basin-go/basin/lab/internal/subjects"

// Workloads that subjects implement themselves, in loops_*.go, as a program without an
// interface would. So inlining counts. Most of the project's targets are about these. Only
// subjects that a target compares with have them.

func init() {
	for _, l := range []struct {
		name, what, op string
		parallel       bool // run it also with one goroutine for each P
	}{
		{"getput", "Get of 4096 bytes and Put.", "one Get and Put", true},
		{"getput-default", "The same with the functions of the package basin: the default pool.", "one Get and Put", true},
		{"sizes-uniform", "Get and Put of 1 byte to 1 MiB, uniformly distributed, a million of them before the first round. The sync.Pool has one size.", "one Get and Put", true},
		{"sizes-log", "Get and Put of 1 byte to 1 MiB, as many of each power of two, a million of them before the first round. The sync.Pool has one size.", "one Get and Put", true},
		{"pool-slices", "Pool[[]byte]: Get and Put of a slice of 4096 bytes.", "one Get and Put", true},
		{"pool-pointers", "Pool[*[4096]byte]: Get and Put.", "one Get and Put", true},
		{"pool-structs", "Pool of structs of 128 bytes, by value. The sync.Pool holds pointers.", "one Get and Put", true},
		{"fixed", "A pool of 64 buffers of 4096 bytes: Get and Put.", "one Get and Put", true},
		{"writebyte", "64 times WriteByte to a buffer that has room.", "64 calls", false},
		{"write8", "64 times Write of 8 bytes to a buffer that has room.", "64 calls", false},
		{"writestring8", "64 times WriteString of 8 bytes to a buffer that has room.", "64 calls", false},
		{"smallbuffer", "A local buffer, Write of 0, 5 and 64 bytes, and String.", "three buffers", false},
		{"smallbuffer-empty", "A local buffer to which nothing is written, and String.", "one buffer", false},
		{"build-1MiB", "1 MiB in writes of 1 KiB to a new buffer, and back.", "1 MiB", false},
		{"readall-1MiB", "ReadAll of 1 MiB, and back.", "1 MiB", false},
		{"handle", "A pooled buffer, Write of 100 bytes, and back.", "one buffer", false},
		{"handle-writer", "The same with the buffer used as an io.Writer.", "one buffer", false},
		{"shared", "Shared: Retain and Release, next to two atomic additions.", "one pair", false},
		{"ceiling", "GetContext of 4096 bytes under a ceiling with room, and Put, next to a semaphore around Get and Put.", "one Get and Put", false},
	} {
		w := Workload{
			Name: LoopPrefix + l.name, Group: GroupLoops, Goroutines: 1, What: l.what, Op: l.op,
			Can: func(s *subjects.Subject) bool { return loops[s.Name][l.name] != nil },
			New: func(s *subjects.Subject, _ Env) *Unit { return &Unit{Run: loops[s.Name][l.name]()} },
		}
		add(&w)
		if l.parallel {
			all := w
			all.Name += "-parallel"
			all.Goroutines = 0
			all.What += " One goroutine for each P."
			add(&all)
		}
	}
}

const LoopPrefix = "loop-"

// loops has the loops by the names of subject and workload.
var loops = map[string]map[string]func() Loop{
	subjects.Reference:         basinLoops,
	"bytes.Buffer":             stdLoops,
	"sync.Pool of pointers":    syncPointerLoops,
	"sync.Pool, fresh pointer": syncFreshLoops,
	"sync.Pool of *byte":       syncRawLoops,
	"bytebufferpool":           byteBuffersLoops,
	"two sync.Pools":           twoPoolsLoops,
	"channel":                  channelLoops,
	"two atomic adds":          {"shared": atomicAdds},
	"semaphore":                {"ceiling": semaphoreAround},
}
