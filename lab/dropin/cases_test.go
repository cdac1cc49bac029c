package dropin

// An original is a module that a module in compat replaces.
type original struct {
	path    string // of the original
	version string // if the module of lab does not require it
	compat  string // the folder in compat

	// extra is Go code that the tests of the original need to compile: unexported constants.
	extra string

	// buffer is extra for the tests in the folder buffer, or "" if there is none.
	buffer string

	edits []edit

	// Names of tests that do not apply, and of their functions, with the reason; those in
	// checked apply only without full checks.
	skip, checked map[string]string
}

// An edit replaces all occurrences of a text in the tests.
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
			{"for buffer := range bufPool.c {", "for i := 0; i < size; i++ {\nbuffer := bufPool.Get()", "there is no channel"},
			{"bufPool.w", "width", "the field is not exported"},
			{"bufPool.a", "capacity", "the field is not exported"},
		},
	},
	{
		path:   "github.com/libp2p/go-buffer-pool",
		compat: "go-buffer-pool",
		edits: []edit{
			{"runtime.ReadMemStats(&m1)", "runtime.GC()\nruntime.ReadMemStats(&m1)", "counts buffers left by earlier tests, and fails at times with the original too"},
			{"cap(g) != 1023 || g[0] != 3", "cap(g) != 512 || g[0] != 3", "a slice of other origin is cut to a power of two"},
			{"p.Get(10); &g[0] == &a[0]", "p.Get(10); &g[0] != &a[0]", "a garbage collection does not empty the pool"},
		},
		skip: map[string]string{
			"TestRange": "tests how many pools the original has inside",
		},
		checked: map[string]string{
			"TestAllocations": "wants slices to be reused, which full checks do not",
			"TestPool":        "likewise",
		},
	},
}

// apart are originals that not every module proxy has. So the module of lab does not require them: see
// original.folder.
var apart = []original{
	{
		path: "github.com/fufuok/bytespool", version: "v1.5.0", compat: "bytespool",
		extra:  "const (minCapacity = 2; defaultMinSize = 2; defaultMaxSize = 4 << 20)",
		buffer: "func appendString(b []byte, s string) []byte { return pools.AppendString(b, s) }",
		edits: []edit{
			{"pools.minSize", "pools.MinSize()", "the field is not exported"},
			{"pools.maxSize", "pools.MaxSize()", "likewise"},
			{"defaultPools.bs", "pools", "the variable is not exported"},
			{"pools.maxIndex", "0", "is an index into a list of pools, of which there is none"},
			{"DefaultCapacityPools.maxIndex+1 != getIndex(defaultMaxSize)", "MaxSize() != defaultMaxSize", "likewise"},
			{"getIndex(defaultMaxSize), DefaultCapacityPools.maxIndex+1)", "defaultMaxSize, MaxSize())", "likewise"},
			{"DefaultCapacityPools.maxIndex+1 != 3", "false", "likewise"},
			{"bp := pools.getMakePool(v.size)", "bp := &struct{ capacity int }{cap(pools.New(v.size))}\nif v.size > maxSize {\nbp = nil\n}", "there are no pools by size"},
		},
		checked: map[string]string{
			"TestBufPool":               "wants slices to be reused, which full checks do not",
			"TestCapacityPools_Default": "likewise",
			"TestRuntimeStats":          "likewise",
			"ExampleNew":                "likewise",
		},
	},
	{path: "github.com/colega/zeropool", version: "v0.0.0-20230505084239-6fb4a4f75381", compat: "zeropool",
		checked: map[string]string{"TestPool": "counts allocations"}},
	{path: "github.com/mrcrgl/bytesf", version: "v0.0.0-20190110210757-afb18f806d31", compat: "bytesf"},
	{path: "github.com/vrecan/poolShark", version: "v0.0.0-20201116063237-c739b75f0321", compat: "poolShark"},
}

// A dependent is a program that uses an original.
type dependent struct {
	path, version string
	clone         string // if not every module proxy has it, the name of a clone in BASIN_TEST_ORIGINALS
	original      string
	packages      []string          // those with tests of interest, below path; nil for all
	skip          string            // a test that hangs with the original, too
	checked       map[string]string // tests that do not apply with full checks, with the reason
	benchmarks    []string          // benchmarks that use the original
	benchmark     string            // Go code of benchmarks that the dependent itself does not have
}

var dependents = []dependent{
	{
		path: "github.com/valyala/fasthttp", version: "v1.72.0",
		original: "github.com/valyala/bytebufferpool",
		checked:  map[string]string{"TestAllocationClient": "counts allocations"},
		benchmarks: []string{
			"BenchmarkServerGet1ReqPerConn", "BenchmarkServerGet10KReqPerConn",
			"BenchmarkServerPost1ReqPerConn", "BenchmarkServerPost10KReqPerConn",
			"BenchmarkClientGetEndToEnd10TCP", "BenchmarkClientGetEndToEnd10Inmemory", "BenchmarkClientGetEndToEnd1000Inmemory",
			"BenchmarkClientEndToEndBigResponse1Inmemory", "BenchmarkClientEndToEndBigResponse10Inmemory", // 1 MiB
		},
	},
	{
		path: "github.com/valyala/fasthttp", version: "v1.77.0",
		original: "github.com/valyala/bytebufferpool",
		checked:  map[string]string{"TestAllocationClient": "counts allocations"},
	},
	{
		path: "github.com/libp2p/go-msgio", version: "v0.3.0",
		original:   "github.com/libp2p/go-buffer-pool",
		benchmarks: []string{"BenchmarkMessages/100", "BenchmarkMessages/10000", "BenchmarkMessages/100000"},
		benchmark:  messages,
	},
	{
		path: "github.com/libp2p/go-yamux/v5", version: "v5.1.0",
		original:   "github.com/libp2p/go-buffer-pool",
		checked:    map[string]string{"TestSendData_VeryLarge": "has 20 seconds for gigabytes"},
		benchmarks: []string{"BenchmarkPing", "BenchmarkAccept", "BenchmarkSendRecv", "BenchmarkSendRecvLarge"},
	},
	{path: "github.com/gofiber/fiber/v3", version: "v3.1.0", original: "github.com/valyala/bytebufferpool", packages: []string{"", "/log", "/middleware/logger"}},
	{path: "github.com/panjf2000/gnet/v2", version: "v2.9.7", original: "github.com/valyala/bytebufferpool", packages: []string{"/pkg/pool/...", "/pkg/buffer/..."}},
	{path: "github.com/labstack/echo/v4", version: "v4.16.4", original: "github.com/valyala/bytebufferpool", packages: []string{"/middleware"}},
	{path: "github.com/savsgio/atreugo/v11", version: "v11.13.2", clone: "atreugo", original: "github.com/valyala/bytebufferpool", skip: "TestAtreugo_ServeGracefully"},
	{path: "go.k6.io/k6", version: "v0.43.1", original: "github.com/oxtoacart/bpool", packages: []string{"/lib/netext/httpext", "/js/modules/k6/http"}},
	{path: "github.com/dgrr/http2", version: "v0.4.0", clone: "http2", original: "github.com/valyala/bytebufferpool", checked: map[string]string{"TestAllocsPerRequest": "counts allocations"}},
	{path: "github.com/libp2p/go-mplex", version: "v0.7.0", clone: "go-mplex", original: "github.com/libp2p/go-buffer-pool"},
	{
		path: "github.com/libp2p/go-libp2p", version: "v0.51.0", original: "github.com/libp2p/go-buffer-pool",
		packages: []string{"/core/record", "/p2p/net/pnet", "/p2p/protocol/autonatv2", "/p2p/protocol/circuitv2/...", "/p2p/protocol/ping", "/p2p/security/noise", "/p2p/transport/webrtc/udpmux"},
	},
	{path: "github.com/seaweedfs/seaweedfs", version: "v0.0.0-20261109003541-7506e5f91cd6", original: "github.com/valyala/bytebufferpool", packages: []string{"/weed/operation"}},
	{path: "github.com/codesenberg/bombardier", version: "v1.2.6", original: "github.com/valyala/bytebufferpool", checked: map[string]string{"TestBucketLimiterHighRates": "measures rates"}},
	{path: "github.com/valyala/fasttemplate", version: "v1.2.2", original: "github.com/valyala/bytebufferpool"},
	{path: "github.com/valyala/quicktemplate", version: "v1.8.0", original: "github.com/valyala/bytebufferpool"},
	{path: "github.com/fasthttp/router", version: "v1.5.4", original: "github.com/valyala/bytebufferpool"},
	{path: "github.com/fasthttp/websocket", version: "v1.5.12", original: "github.com/valyala/bytebufferpool"},
}

const messages = `package msgio

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkMessages writes 100 messages and reads them, and a few are in use at a time.
func BenchmarkMessages(b *testing.B) {
	for _, size := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var wire bytes.Buffer
			wire.Grow(100 * (size + 10))
			w, message := NewVarintWriter(&wire), make([]byte, size)
			for i := 0; i < 100; i++ { // the module is of Go 1.18
				if err := w.WriteMsg(message); err != nil {
					b.Fatal(err)
				}
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := NewVarintReader(bytes.NewReader(wire.Bytes()))
					var held [4][]byte
					for i := 0; i < 100; i++ {
						r.ReleaseMsg(held[i%4])
						m, err := r.ReadMsg()
						if err != nil {
							b.Fatal(err)
						}
						held[i%4] = m
					}
					for _, m := range held {
						r.ReleaseMsg(m)
					}
				}
			})
		})
	}
}
`
