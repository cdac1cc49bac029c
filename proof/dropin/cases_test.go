package dropin

// An original is a module that a module in compat stands in for.
type original struct {
	path   string // of the original
	compat string // the folder in compat

	// extra is Go code that the tests of the original need to compile: constants that
	// are not exported.
	extra string

	edits []edit

	// Names of tests that do not apply, and functions of theirs, with the reason; those of
	// checked only if all is checked.
	skip, checked map[string]string
}

// An edit replaces a text in the tests, wherever it occurs.
type edit struct{ old, new, reason string }

var originals = []original{
	{
		path:   "github.com/valyala/bytebufferpool",
		compat: "bytebufferpool",
		extra:  "const (steps = 20; calibrateCallsThreshold = 4200)",
		edits: []edit{
			{"3 * time.Second", "time.Minute", "machines are slow at times"},
			{"time.After(time.Second)", "time.After(time.Minute)", "machines are slow at times"},
		},
		skip: map[string]string{
			"TestIndex": "tests a function that is not exported: which of its own size classes a size is of",
			"testIndex": "a part of TestIndex",
		},
	},
	{
		path:   "github.com/oxtoacart/bpool",
		compat: "bpool",
		edits: []edit{
			{"close(bufPool.c)", "", "there is no channel"},
			{"len(bufPool.c)", "bufPool.NumPooled()", "there is no channel"},
			{"for buffer := range bufPool.c {", "for range size {\nbuffer := bufPool.Get()", "there is no channel"},
			{"bufPool.w", "width", "the field is not exported"},
			{"bufPool.a", "capacity", "the field is not exported"},
		},
	},
	{
		path:   "github.com/libp2p/go-buffer-pool",
		compat: "go-buffer-pool",
		edits: []edit{
			{"runtime.ReadMemStats(&m1)", "runtime.GC()\nruntime.ReadMemStats(&m1)", "counts what the tests before have left, and fails at times with the original too"},
		},
		skip: map[string]string{
			"TestRange": "tests how many pools the original has inside",
			"TestPool":  "wants a garbage collection to empty the pool, and slices of other origin back with their odd capacity",
		},
		checked: map[string]string{
			"TestAllocations": "wants slices to be reused, which full checks do not",
		},
	},
}

// A dependent is a program that uses an original.
type dependent struct {
	path, version string
	original      string
	checked       map[string]string // tests that do not apply if all is checked, with the reason
}

var dependents = []dependent{
	{"github.com/valyala/fasthttp", "v1.72.0", "github.com/valyala/bytebufferpool", map[string]string{
		"TestAllocationClient": "counts allocations",
	}},
	{"github.com/libp2p/go-msgio", "v0.3.0", "github.com/libp2p/go-buffer-pool", nil},
	{"github.com/libp2p/go-yamux/v5", "v5.1.0", "github.com/libp2p/go-buffer-pool", map[string]string{
		"TestSendData_VeryLarge": "has 20 seconds for gigabytes",
	}},
}
