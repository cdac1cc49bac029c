package basingrpc_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
)

var _ mem.BufferPool = (*basingrpc.BufferPool)(nil)

// A switchable is a default pool that benchmarks can exchange, because gRPC's codec always uses
// the default.
type switchable struct{ mem.BufferPool }

var codecs = &switchable{mem.DefaultBufferPool()}

func init() { experimental.SetDefaultBufferPool(codecs) }

func newPool(t *testing.T) *basingrpc.BufferPool {
	return &basingrpc.BufferPool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true}}
}

func TestRoundTrip(t *testing.T) {
	for _, size := range []int{math.MinInt, -1, 0, 1, 63, 64, 1024, 1025, 16 << 10, 100_000, 1 << 20, 4 << 20, 4<<20 + 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			basintest.Check(t)
			p := newPool(t)
			for range 3 {
				b := p.Get(size)
				if len(*b) != max(size, 0) {
					t.Fatalf("len %d", len(*b))
				}
				for i, c := range *b {
					if c != 0 {
						t.Fatalf("byte %d is %#x, which a user before has left", i, c)
					}
				}
				whole := (*b)[:cap(*b)]
				for i := range whole {
					whole[i] = 0xAA
				}
				*b = (*b)[:len(*b)/2] // a prefix may be put
				p.Put(b)
			}
			s := p.Bytes.Stats()
			if s.Bytes.InUse != 0 || (s.Drops.Total() == s.Drops.Checked) != (size > 0 && size <= basin.DefaultMaxSize) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestNoClear(t *testing.T) {
	for _, zero := range []bool{false, true} {
		t.Run(fmt.Sprintf("Zero=%v", zero), func(t *testing.T) {
			p := &basingrpc.BufferPool{Bytes: &basin.BytePool{Zero: zero}, NoClear: true}
			dirty := false
			for range 1000 { // more than checks keep in quarantine
				b := p.Get(2000)
				dirty = dirty || !bytes.Equal(*b, make([]byte, 2000))
				for i := range *b {
					(*b)[i] = 1
				}
				p.Put(b)
			}
			if dirty == zero {
				t.Errorf("contents of users before: %v", dirty)
			}
		})
	}
}

func TestHuge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	newPool(t).Get(math.MaxInt)
}

// TestForeign: Put accepts all slices that gRPC's own pools accept, and checks do not report
// them.
func TestForeign(t *testing.T) {
	basintest.Check(t)
	p := newPool(t)
	p.Put(nil)
	p.Put(new([]byte))
	for _, capacity := range []int{0, 1, 100, 1025, 5000, 100_000, 5 << 20} {
		b := make([]byte, capacity/2, capacity)
		p.Put(&b)
	}
	if s := p.Bytes.Stats(); s.Adopted < 3 || s.Drops.Large != 1 {
		t.Errorf("%+v", s)
	}
	data := make([]byte, 3000)
	buffer := mem.NewBuffer(&data, p)
	buffer.Ref()
	left, right := mem.SplitUnsafe(buffer, 1000)
	left.Free()
	right.Free()
	buffer.Free()
	if b := p.Get(2000); len(*b) != 2000 {
		t.Errorf("len %d", len(*b))
	} else {
		p.Put(b)
	}
}

func TestPutTwice(t *testing.T) {
	basintest.Check(t)
	p := newPool(t)
	b := p.Get(3000)
	p.Put(b)
	p.Put(b) // its array is idle now
	x, y := p.Get(3000), p.Get(3000)
	if x == y || &(*x)[0] == &(*y)[0] {
		t.Error("two users have one slice")
	}
	p.Put(x)
	p.Put(y)
}

// TestShared: the zero BufferPool uses the pool with the name grpc.
func TestShared(t *testing.T) {
	basintest.Check(t)
	var p, q basingrpc.BufferPool
	for range 10 {
		b := p.Get(5000)
		q.Put(b)
	}
}

func TestAllocations(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	for _, p := range []*basingrpc.BufferPool{{}, newPool(t), {Bytes: &basin.BytePool{Zero: true}}} {
		for _, size := range []int{100, 1500, 16 << 10, 100_000, 1 << 20} {
			p.Put(p.Get(size))
			if n := pooltest.Allocs(100, func() { p.Put(p.Get(size)) }); n != 0 {
				t.Errorf("%d bytes: %v allocations", size, n)
			}
		}
	}
}

var echo = grpc.ServiceDesc{
	ServiceName: "basin.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Unary",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in wrapperspb.BytesValue
			return &in, decode(&in)
		},
	}},
	Streams: []grpc.StreamDesc{{
		StreamName:    "Stream",
		ServerStreams: true,
		ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			for {
				var in wrapperspb.BytesValue
				if err := s.RecvMsg(&in); err != nil {
					return nil
				}
				if err := s.SendMsg(&in); err != nil {
					return err
				}
			}
		},
	}},
}

// serve returns a client of a server that echoes. Both use the pool.
func serve(t testing.TB, pool mem.BufferPool, listener net.Listener, dial grpc.DialOption, target string) *grpc.ClientConn {
	server := grpc.NewServer(experimental.BufferPool(pool))
	server.RegisterService(&echo, nil)
	go server.Serve(listener)
	client, err := grpc.NewClient(target, dial, experimental.WithBufferPool(pool),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Stop()
	})
	return client
}

func TestEcho(t *testing.T) {
	basintest.Check(t)
	pool := newPool(t)
	echoes(t, pool, pool)
}

// A garbage fills each slice, up to its capacity, before gRPC gets it, and again when it is put.
type garbage struct{ *basingrpc.BufferPool }

func (p garbage) Get(length int) *[]byte {
	b := p.BufferPool.Get(length)
	p.fill(*b)
	return b
}

func (p garbage) Put(b *[]byte) {
	if b != nil {
		p.fill(*b)
	}
	p.BufferPool.Put(b)
}

func (garbage) fill(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xA5
	}
}

// TestGarbage: with NoClear, nothing in gRPC presumes zeros, and nothing is used after its Put.
func TestGarbage(t *testing.T) {
	pool := newPool(t)
	pool.NoClear = true
	echoes(t, garbage{pool}, pool)
}

// echoes sends and receives messages of many sizes, compressed as well, with the given pool on top of ours.
func echoes(t *testing.T, pool mem.BufferPool, ours *basingrpc.BufferPool) {
	defer func(before mem.BufferPool) { codecs.BufferPool = before }(codecs.BufferPool)
	codecs.BufferPool = pool
	listener := bufconn.Listen(1 << 20)
	client := serve(t, pool, listener, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	}), "passthrough:///echo")
	for _, options := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
		stream, err := client.NewStream(t.Context(), &echo.Streams[0], "/basin.Echo/Stream", options...)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{0, 1, 1000, 1100, 5_000, 300_000, 3_000_000} {
			in, out := wrapperspb.Bytes(bytes.Repeat([]byte{byte(size)}, size)), new(wrapperspb.BytesValue)
			if err := client.Invoke(t.Context(), "/basin.Echo/Unary", in, out, options...); err != nil || !bytes.Equal(out.Value, in.Value) {
				t.Fatalf("%d bytes: %d, %v", size, len(out.Value), err)
			}
			if err := stream.SendMsg(in); err != nil {
				t.Fatal(err)
			}
			if err := stream.RecvMsg(out); err != nil || !bytes.Equal(out.Value, in.Value) {
				t.Fatalf("%d bytes: %d, %v", size, len(out.Value), err)
			}
		}
	}
	if s := ours.Bytes.Stats(); s.Puts == 0 || s.Drops.Total() != s.Drops.Checked {
		t.Errorf("%+v", s)
	}
}

// TestCancelled cancels calls before the client has read anything. gRPC never puts messages
// that have arrived by then. The limit finds that memory when it is garbage, and calls go on.
func TestCancelled(t *testing.T) {
	cancelled, good := 1000, 100
	if pooltest.Long() {
		cancelled, good = 10_000, 1000
	}
	pool := &basingrpc.BufferPool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true, MaxInUse: 4 << 20}}
	defer func(before mem.BufferPool) { codecs.BufferPool = before }(codecs.BufferPool)
	codecs.BufferPool = pool
	listener := bufconn.Listen(1 << 20)
	client := serve(t, pool, listener, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	}), "passthrough:///cancelled")
	in := wrapperspb.Bytes(bytes.Repeat([]byte{1}, 5000))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range cancelled / 8 {
				ctx, cancel := context.WithCancel(t.Context())
				stream, err := client.NewStream(ctx, &echo.Streams[0], "/basin.Echo/Stream")
				if err != nil {
					t.Error(err)
				}
				for range 3 {
					if err := stream.SendMsg(in); err != nil {
						t.Error(err)
					}
				}
				if _, err := stream.Header(); err != nil {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	for range good {
		out := new(wrapperspb.BytesValue)
		if err := client.Invoke(t.Context(), "/basin.Echo/Unary", in, out); err != nil || !bytes.Equal(out.Value, in.Value) {
			t.Fatalf("%d bytes, %v", len(out.Value), err)
		}
	}
	s := pool.Bytes.Stats()
	if s.Lost.Bytes < s.Bytes.MaxInUse || s.Refused != 0 || s.Drops.Foreign != 0 {
		t.Errorf("%v", s)
	}
	t.Logf("%d bytes lost, %d waited, longest %v", s.Lost.Bytes, s.Waited, s.LongestWait)
}

func BenchmarkEcho(b *testing.B) {
	theirs := mem.DefaultBufferPool()
	if s, ok := theirs.(*switchable); ok {
		theirs = s.BufferPool
	}
	for _, ours := range []struct {
		name string
		pool *basingrpc.BufferPool
	}{{"clear", &basingrpc.BufferPool{}}, {"NoClear", &basingrpc.BufferPool{NoClear: true}}} {
		for _, kind := range []string{"unary", "stream"} {
			for _, size := range []int{1 << 10, 100 << 10, 1_000_000, 1 << 20} {
				b.Run(fmt.Sprintf("%s/%s/%d", ours.name, kind, size), func(b *testing.B) {
					call := func(pool mem.BufferPool) func(int) {
						listener, err := net.Listen("tcp", "127.0.0.1:0")
						if err != nil {
							b.Fatal(err)
						}
						client := serve(b, pool, listener, grpc.EmptyDialOption{}, listener.Addr().String())
						in, out := wrapperspb.Bytes(make([]byte, size)), new(wrapperspb.BytesValue)
						stream, err := client.NewStream(b.Context(), &echo.Streams[0], "/basin.Echo/Stream")
						if err != nil {
							b.Fatal(err)
						}
						return func(n int) {
							codecs.BufferPool = pool
							for range n {
								if kind == "unary" {
									err = client.Invoke(b.Context(), "/basin.Echo/Unary", in, out)
								} else if err = stream.SendMsg(in); err == nil {
									err = stream.RecvMsg(out)
								}
								if err != nil {
									b.Fatal(err)
								}
							}
						}
					}
					pooltest.Compare(b, max(20, 4<<20/(size+10<<10)), call(theirs), call(ours.pool))
				})
			}
		}
	}
}
