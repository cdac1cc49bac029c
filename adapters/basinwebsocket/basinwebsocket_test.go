package basinwebsocket_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinwebsocket"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
)

func newPool(name string) *basin.Pool[any] {
	return &basin.Pool[any]{Name: name, Size: basinwebsocket.Size}
}

// connect returns clients of a server that echoes messages. All connections use the pool.
func connect(t testing.TB, pool websocket.BufferPool, bufferSize, clients int) []*websocket.Conn {
	upgrader := websocket.Upgrader{WriteBufferSize: bufferSize, WriteBufferPool: pool}
	dialer := websocket.Dialer{WriteBufferSize: bufferSize, WriteBufferPool: pool}
	var serving sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, message) != nil {
				return
			}
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		serving.Wait()
		server.Close()
	})
	conns := make([]*websocket.Conn, clients)
	for i := range conns {
		conn, _, err := dialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conns[i] = conn
	}
	return conns
}

func echo(t testing.TB, conn *websocket.Conn, message []byte) {
	if err := conn.WriteMessage(websocket.BinaryMessage, message); err != nil {
		t.Fatal(err)
	}
	if _, got, err := conn.ReadMessage(); err != nil || !bytes.Equal(got, message) {
		t.Fatalf("%d bytes came back as %d, %v", len(message), len(got), err)
	}
}

func TestEcho(t *testing.T) {
	for _, bufferSize := range []int{0, 100, 4096, 64 << 10} {
		t.Run(fmt.Sprint(bufferSize), func(t *testing.T) {
			basintest.Check(t)
			pool := newPool(t.Name())
			for _, conn := range connect(t, pool, bufferSize, 3) {
				for _, size := range []int{0, 1, 125, 126, 5_000, 70_000, 300_000} {
					echo(t, conn, bytes.Repeat([]byte{byte(size)}, size))
				}
			}
			if s := pool.Stats(); s.Puts == 0 || s.Drops.Total()-s.Drops.Checked != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A garbage fills each buffer before a connection gets it, and again when it is put.
type garbage struct{ *basin.Pool[any] }

func (p garbage) Get() any {
	x := p.Pool.Get()
	p.fill(x)
	return x
}

func (p garbage) Put(x any) {
	p.fill(x)
	p.Pool.Put(x)
}

func (garbage) fill(x any) {
	if basinwebsocket.Size(x) < 0 {
		return
	}
	b := reflect.ValueOf(x).Field(0).Bytes()
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xA5
	}
}

// TestGarbage: connections presume no zeros in a buffer, and do not use it after its Put.
func TestGarbage(t *testing.T) {
	for _, bufferSize := range []int{100, 4096} {
		for _, conn := range connect(t, garbage{newPool(t.Name())}, bufferSize, 3) {
			for _, size := range []int{0, 1, 125, 126, 5_000, 70_000} {
				echo(t, conn, bytes.Repeat([]byte{byte(size)}, size))
			}
		}
	}
}

// TestBound: idle buffers stay within MaxIdle, even if many connections write at once.
func TestBound(t *testing.T) {
	if pooltest.SomeChecks {
		t.Skip("checks hold back values that are put")
	}
	pool := newPool(t.Name())
	pool.MaxIdle = 20 << 10
	conns := connect(t, pool, 4096, 1)
	echo(t, conns[0], []byte("hello"))
	for pool.Stats().Items.InUse > 0 { // the server puts its buffer after the client has read the message
		runtime.Gosched()
	}
	value := pool.Get()
	if n := basinwebsocket.Size(value); n < 4096 || n > 4200 {
		t.Fatalf("%T has %d bytes", value, n)
	}
	for range 100 {
		pool.Put(value) //basin:ok equal values are as good as others here
	}
	if s := pool.Stats(); s.Bytes.Idle > pool.MaxIdle || s.Bytes.Idle == 0 || s.Drops.Full == 0 {
		t.Errorf("%+v", s)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int
	}{
		{nil, -1}, {1, -1}, {"text", -1}, {[]byte("text"), -1}, {new([]byte), -1}, {struct{}{}, -1}, {struct{ n int }{}, -1},
		{struct{ a, b []byte }{}, -1}, {struct{ b []byte }{}, 0}, {struct{ b []byte }{make([]byte, 5, 77)}, 77},
		{&struct{ b []byte }{make([]byte, 5)}, -1},
	} {
		t.Run(fmt.Sprintf("%T", c.value), func(t *testing.T) {
			if n := basinwebsocket.Size(c.value); n != c.want {
				t.Errorf("%d, want %d", n, c.want)
			}
		})
	}
	pool := newPool(t.Name())
	pool.Put("no buffer")
	if x := pool.Get(); x != nil {
		t.Errorf("the pool keeps %v", x)
	}
}

func TestAllocations(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	pool := newPool(t.Name())
	var buffer any = struct{ b []byte }{make([]byte, 4096)}
	if n := pooltest.Allocs(100, func() { pool.Put(buffer); pool.Get() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTheirs runs gorilla's own tests with a pool for all connections of tests with a client
// and a server. The tests of proxies with TLS sometimes fail without basin, too. They are from
// a time when rand.Seed had an effect.
func TestTheirs(t *testing.T) {
	pooltest.RunTheirs(t, "github.com/gorilla/websocket", map[string]string{
		"basin_test.go": `//go:build go1.25

//go:debug randseednop=0
package websocket

import (
	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinwebsocket"
)

var pool = basin.Pool[any]{Size: basinwebsocket.Size}

func init() {
	cstUpgrader.WriteBufferPool = &pool
	cstDialer.WriteBufferPool = &pool
}
`,
	}, "-skip", "Proxy|TLSValidation", ".")
}

func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			message := make([]byte, size)
			run := func(pool websocket.BufferPool) func(int) {
				conn := connect(b, pool, 4096, 1)[0]
				return func(n int) {
					for range n {
						echo(b, conn, message)
					}
				}
			}
			pooltest.Compare(b, 500, run(new(sync.Pool)), run(newPool("websocket")))
		})
	}
}

func BenchmarkPool(b *testing.B) {
	var buffer any = struct{ b []byte }{make([]byte, 4096)}
	run := func(pool websocket.BufferPool) func(int) {
		return func(n int) {
			for range n {
				pool.Put(buffer)
				pool.Get()
			}
		}
	}
	pooltest.Compare(b, 200_000, run(new(sync.Pool)), run(newPool("websocket")))
}
