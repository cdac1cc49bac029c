package dropin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	bpool "github.com/basin-go/basin/compat/bpool"
	bytebufferpool "github.com/basin-go/basin/compat/bytebufferpool"
	pool "github.com/basin-go/basin/compat/go-buffer-pool"
	oldpool "github.com/libp2p/go-buffer-pool"
	oldbpool "github.com/oxtoacart/bpool"
	oldbytebufferpool "github.com/valyala/bytebufferpool"

	root "github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/lab/dropin/internal/ratio"
)

// A workload is a ratio.Workload.
type workload struct {
	name      string
	ours, old func(n int)
	alone     bool
}

type getPutter[T any] interface {
	Get() T
	Put(T)
}

func getPut[T any](p getPutter[T]) func(n int) {
	return func(n int) {
		for range n {
			p.Put(p.Get())
		}
	}
}

func getWritePut[T interface{ Write([]byte) (int, error) }](p getPutter[T], size int) func(n int) {
	data := make([]byte, size)
	return func(n int) {
		for range n {
			b := p.Get()
			b.Write(data)
			p.Put(b)
		}
	}
}

// sizes asks for the sizes of BenchmarkPool of go-buffer-pool.
func sizes(get func(int) []byte, put func([]byte)) func(n int) {
	return func(n int) {
		i := 7
		for range n {
			if i > 1<<20 {
				i = 7
			} else {
				i <<= 1
			}
			b := get(i)
			b[0] = byte(i)
			put(b)
		}
	}
}

// overflow takes a hundred slices of each of several sizes at a time. With 21 sizes, it is
// BenchmarkPoolOverflow.
func overflow(sizes int, get func(int) []byte, put func([]byte)) func(n int) {
	held := make([][]byte, 0, 2100)
	return func(n int) {
		for range n {
			held = held[:0]
			for pow := range sizes {
				for range 100 {
					held = append(held, get(1<<pow))
				}
			}
			for _, b := range held {
				put(b)
			}
		}
	}
}

type queue interface {
	Reset()
	Write([]byte) (int, error)
	WriteByte(byte) error
	Read([]byte) (int, error)
	Len() int
	Cap() int
}

func writeBytes(b queue) func(n int) {
	return func(n int) {
		for range n {
			b.Reset()
			for range 4 << 10 {
				b.WriteByte('x')
			}
		}
	}
}

func writeRead(create func() queue) func(n int) {
	buf := make([]byte, 1024)
	return func(n int) {
		for range n {
			b := create()
			b.Write(buf[0:1])
			for range 5 << 7 {
				b.Write(buf)
				b.Read(buf)
			}
		}
	}
}

func smallReads(create func() queue) func(n int) {
	buf := make([]byte, 1024)
	return func(n int) {
		for range n {
			b := create()
			b.Write(buf)
			for b.Len()+20 < b.Cap() {
				b.Write(buf[:10])
			}
			for range 5 << 7 {
				b.Read(buf[:1])
				b.Write(buf[:1])
			}
		}
	}
}

func write100(b interface {
	Write([]byte) (int, error)
	Reset()
}) func(n int) {
	return func(n int) {
		for range n {
			for range 100 {
				b.Write([]byte("foobarbaz"))
			}
			b.Reset()
		}
	}
}

func workloads() []workload {
	data := make([]byte, 100)
	root.SetDefault(&root.BytePool{Name: "default", MaxIdle: 512 << 20})
	wide := new(pool.BufferPool)
	wide.Put(wide.Get(64)) // sets its limit
	root.SetDefault(nil)
	return []workload{
		{"bytebufferpool: ByteBuffer, 100 writes of 9 bytes", write100(new(bytebufferpool.ByteBuffer)), write100(new(oldbytebufferpool.ByteBuffer)), true},
		{"bytebufferpool: Get, 100 bytes, Put", func(n int) {
			for range n {
				b := bytebufferpool.Get()
				b.Write(data)
				bytebufferpool.Put(b)
			}
		}, func(n int) {
			for range n {
				b := oldbytebufferpool.Get()
				b.Write(data)
				oldbytebufferpool.Put(b)
			}
		}, false},
		{"bytebufferpool: the same of a Pool", getWritePut(new(bytebufferpool.Pool), 100), getWritePut(new(oldbytebufferpool.Pool), 100), false},
		{"bytebufferpool: Get, 100 KB, Put", getWritePut(new(bytebufferpool.Pool), 100_000), getWritePut(new(oldbytebufferpool.Pool), 100_000), false},
		{"bpool: BufferPool, 100 bytes", getWritePut(bpool.NewBufferPool(64), 100), getWritePut(oldbpool.NewBufferPool(64), 100), false},
		{"bpool: SizedBufferPool, 100 bytes", getWritePut(bpool.NewSizedBufferPool(64, 1024), 100), getWritePut(oldbpool.NewSizedBufferPool(64, 1024), 100), false},
		{"bpool: BytePool", getPut(bpool.NewBytePool(64, 4096)), getPut(oldbpool.NewBytePool(64, 4096)), false},
		{"go-buffer-pool: Get(4096), Put", func(n int) {
			for range n {
				pool.Put(pool.Get(4096))
			}
		}, func(n int) {
			for range n {
				oldpool.Put(oldpool.Get(4096))
			}
		}, false},
		{"go-buffer-pool: BenchmarkPool", sizes(pool.Get, pool.Put), sizes(oldpool.Get, oldpool.Put), false},
		{"go-buffer-pool: BenchmarkPoolOverflow", overflow(21, pool.Get, pool.Put), overflow(21, oldpool.Get, oldpool.Put), true}, // 200 MiB
		{"go-buffer-pool: the same, if 512 MiB may be idle", overflow(21, wide.Get, wide.Put), overflow(21, oldpool.Get, oldpool.Put), true},
		{"go-buffer-pool: the same, up to 128 KiB", overflow(18, pool.Get, pool.Put), overflow(18, oldpool.Get, oldpool.Put), true}, // 25 MiB
		{"go-buffer-pool: BenchmarkWriteByte", writeBytes(new(pool.Buffer)), writeBytes(new(oldpool.Buffer)), true},
		{"go-buffer-pool: BenchmarkBufferNotEmptyWriteRead", writeRead(func() queue { return new(pool.Buffer) }), writeRead(func() queue { return new(oldpool.Buffer) }), false},
		{"go-buffer-pool: BenchmarkBufferFullSmallReads", smallReads(func() queue { return new(pool.Buffer) }), smallReads(func() queue { return new(oldpool.Buffer) }), false},
	}
}

// TestRatios prints the ratio of the time of each module in compat to that of its original, on one goroutine and on
// one for each P: see ratio.Measure. Originals that the module proxy does not have are measured by a program with a
// module of its own.
func TestRatios(t *testing.T) {
	if !testenv.Bool(t, "BASIN_TEST_RATIOS") {
		t.Skip("needs BASIN_TEST_RATIOS=1")
	}
	only := os.Getenv("BASIN_TEST_ONLY")
	for _, w := range workloads() {
		if strings.Contains(w.name, only) {
			ratio.Measure(ratio.Workload{Name: w.name, Ours: w.ours, Old: w.old, Alone: w.alone}, t.Logf)
		}
	}
	const source = "testdata/ratios/"
	folder := t.TempDir()
	u := user{replace: map[string]string{}, like: module{GoMod: os.DevNull}}
	files := []string{"main.go"}
	for _, o := range apart {
		from := o.folder(t)
		if from == "" {
			t.Logf("%s is not measured: %s", o.path, o.nowhere())
			continue
		}
		u.replace[o.path], u.replace[basin+"/compat/"+o.compat] = from, compatOf(t, o.path)
		u.require = append(u.require, o.path+" "+o.version, basin+"/compat/"+o.compat+" v0.1.0")
		files = append(files, o.compat+".go")
	}
	u.write(t, folder)
	for _, f := range files {
		copyFile(t, source+f, filepath.Join(folder, f))
	}
	copyFile(t, "internal/ratio/ratio.go", filepath.Join(folder, "ratio", "ratio.go"))
	c := exec.Command("go", "run", "-mod=mod", ".")
	c.Dir = folder
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	output, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("\n%s", output)
}
