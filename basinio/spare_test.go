//go:build go1.25

package basinio_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A crowd is many connections whose servers all hold a line at a time, and then all hold an answer.
type crowd struct {
	clients []net.Conn
	turns   []chan bool
	held    sync.WaitGroup
}

func newCrowd(t testing.TB, n int, m maker) *crowd {
	c := &crowd{}
	for range n {
		a, b := tcpPair(t)
		turn := make(chan bool)
		c.clients = append(c.clients, a)
		c.turns = append(c.turns, turn)
		go func() {
			r, w := m.reader(b).(interface{ ReadSlice(byte) ([]byte, error) }), m.writer(b)
			for {
				line, err := r.ReadSlice('\n')
				if err != nil {
					return
				}
				c.held.Done()
				<-turn
				w.Write(line)
				c.held.Done()
				<-turn
				w.Flush()
			}
		}()
	}
	return c
}

// run has each client send lines and read the answers.
func (c *crowd) run(rounds int) {
	line := []byte(fmt.Sprintf("%70d\n", 1))
	for range rounds {
		c.held.Add(len(c.clients))
		for _, a := range c.clients {
			a.Write(line)
		}
		for hold := range 2 {
			c.held.Wait()
			if hold == 0 {
				c.held.Add(len(c.clients))
			}
			for _, t := range c.turns {
				t <- true
			}
		}
		for _, a := range c.clients {
			io.ReadFull(a, line)
		}
	}
}

// BenchmarkCrowd compares the processor time of a message with that of package bufio, where many
// buffers are in hand at a time.
func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			pooltest.Compare(b, max(20_000/n, 1), newCrowd(b, n, std).run, newCrowd(b, n, ours).run)
		})
	}
}

// TestCrowd: a message costs no allocation, however many buffers are in hand at a time.
func TestCrowd(t *testing.T) {
	pooltest.Reuses(t)
	sizes := []int{40, 200}
	if pooltest.Long() {
		sizes = append(sizes, 3000) // has more buffers than the reserve
	}
	for _, n := range sizes {
		c := newCrowd(t, n, ours)
		messages := float64(10 * n)
		allocations := 1.0
		for try := 0; try < 10 && allocations > 0.05; try++ { // the first tries fill the pool
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c.run(10)
			runtime.ReadMemStats(&after)
			allocations = float64(after.Mallocs-before.Mallocs) / messages
		}
		if allocations > 0.05 {
			t.Errorf("%d connections: %.2f allocations for each message", n, allocations)
		}
	}
}

// TestSparesAreBounded gives many buffers back at one time, and looks at how many stay spares.
func TestSparesAreBounded(t *testing.T) {
	if pooltest.FullChecks {
		t.Skip("there are no spares")
	}
	for size, most := range map[int]int64{4096: 64 + 2048, 32 << 10: 64 + 256, 1 << 20: 8, 16 << 20: 1} {
		pool := &basin.BytePool{Name: t.Name(), MaxSize: size, MaxIdle: 1 << 30}
		basinio.PutSpares()
		many := min(4000, int((256<<20)/size))
		writers := make([]basinio.Writer, many)
		for i := range writers {
			w := &writers[i]
			w.Pool, w.BufferSize = pool, size
			w.Reset(io.Discard)
			w.WriteByte('x')
		}
		if got := pool.Stats().Items.InUse; got != int64(many) {
			t.Errorf("%d bytes: %d buffers in use, want %d", size, got, many)
		}
		for i := range writers {
			if err := writers[i].Flush(); err != nil {
				t.Fatal(err)
			}
		}
		until(func() bool { return pool.Stats().Items.InUse <= most })
		testenv.CollectUntil(func() bool { return pool.Stats().Items.InUse == 0 })
	}
}

// TestSparesInUseStay: a collection puts spares that nobody needs, and no others.
func TestSparesInUseStay(t *testing.T) {
	if pooltest.FullChecks {
		t.Skip("there are no spares")
	}
	pool := &basin.BytePool{Name: t.Name()}
	writers := make([]basinio.Writer, 500)
	use := func(n int) {
		for i := range n {
			writers[i].WriteByte('x')
		}
		for i := range n {
			writers[i].Flush()
		}
	}
	for i := range writers {
		writers[i].Pool = pool
		writers[i].Reset(io.Discard)
	}
	kept := 0
	for try := 0; try < 20 && kept < 2; try++ { // a collection of the runtime's may come between
		gets := pool.Stats().Gets
		use(500)
		gets = pool.Stats().Gets - gets
		basinio.ReturnSpares()
		if kept++; gets > 100 || pool.Stats().Items.InUse < 400 { // only those of slots are new
			kept = 0
		}
	}
	if kept < 2 {
		t.Errorf("%d spares are left for 500 buffers", pool.Stats().Items.InUse)
	}
	basinio.ReturnSpares()
	if got := pool.Stats().Items.InUse; got != 0 {
		t.Errorf("%d spares are left that nobody has needed since the collection before", got)
	}
	use(500)
	testenv.CollectUntil(func() bool { use(100); return pool.Stats().Items.InUse <= 100 })
}

// TestSparesOfManyPools: buffers go back to the pools that they are from, and have the sizes that were asked for.
func TestSparesOfManyPools(t *testing.T) {
	if pooltest.FullChecks {
		t.Skip("there are no spares")
	}
	pools := []*basin.BytePool{{Name: t.Name() + " a"}, {Name: t.Name() + " b"}}
	writers := make([]basinio.Writer, 600)
	for i := range writers {
		writers[i].Pool, writers[i].BufferSize = pools[i%2], []int{4096, 8192, 100}[i%3]
		writers[i].Reset(io.Discard)
	}
	for range 3 {
		for i := range writers {
			writers[i].WriteByte('x')
		}
		for i := range writers { // each size and pool before or after another
			w := &writers[(i*7)%len(writers)]
			if got := cap(w.AvailableBuffer()) + 1; got != w.BufferSize {
				t.Fatalf("a buffer of %d bytes, want %d", got, w.BufferSize)
			}
			w.Flush()
		}
	}
	basinio.PutSpares()
	for p, pool := range pools { // the spares of the first are none of the second
		for i := range writers {
			w := &writers[i]
			w.Pool, w.BufferSize = pool, 4096
			w.Reset(io.Discard)
			w.WriteByte('x')
		}
		if n := pool.Stats().Items.InUse; n != int64(len(writers)) {
			t.Errorf("pool %d: %d buffers in use, want %d", p, n, len(writers))
		}
		for i := range writers {
			writers[i].Flush()
		}
	}
	for _, p := range pools {
		if n, drops := outstanding(p), pooltest.Refused(p.Stats()); n != 0 || drops != 0 {
			t.Errorf("%s: %d buffers in use, %d drops", p.Name, n, drops)
		}
	}
}
