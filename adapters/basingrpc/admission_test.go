package basingrpc_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc"
)

// A service answers calls of the methods Unary and Stream.
type service struct {
	unary  func(ctx context.Context, in []byte) ([]byte, error)
	stream func(ctx context.Context, next func() ([]byte, error)) ([]byte, error)
}

func (s service) desc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "basin.Admitted",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "Unary",
			Handler: func(_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
				in := new(wrapperspb.BytesValue)
				if err := decode(in); err != nil {
					return nil, err
				}
				return intercept(ctx, in, &grpc.UnaryServerInfo{FullMethod: "/basin.Admitted/Unary"}, func(ctx context.Context, req any) (any, error) {
					out, err := s.unary(ctx, req.(*wrapperspb.BytesValue).Value)
					return wrapperspb.Bytes(out), err
				})
			},
		}},
		Streams: []grpc.StreamDesc{{
			StreamName:    "Stream",
			ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error {
				in := new(wrapperspb.BytesValue)
				out, err := s.stream(stream.Context(), func() ([]byte, error) {
					err := stream.RecvMsg(in)
					return in.Value, err
				})
				if err != nil {
					return err
				}
				return stream.SendMsg(wrapperspb.Bytes(out))
			},
		}},
	}
}

// admitted returns a client of a server with both interceptors. When the test ends, nothing may be in use or reserved.
func admitted(t *testing.T, a basingrpc.Admission, s service) *grpc.ClientConn {
	t.Helper()
	recovered := func(err *error) {
		if recover() != nil {
			*err = status.Error(codes.Internal, "a panic")
		}
	}
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (out any, err error) {
			defer recovered(&err)
			return handler(ctx, req)
		}, basingrpc.UnaryAdmission(a)),
		grpc.ChainStreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
			defer recovered(&err)
			return handler(srv, stream)
		}, basingrpc.StreamAdmission(a)))
	server.RegisterService(s.desc(), nil)
	listener := bufconn.Listen(1 << 20)
	go server.Serve(listener)
	client, err := grpc.NewClient("passthrough:///admitted", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.GracefulStop()
		if s := a.Limit.Stats(); s.Bytes.InUse != 0 || s.Reserved != 0 || s.Waiting != 0 || s.Lost.Items != 0 {
			t.Errorf("in the end there are %v", s)
		}
	})
	return client
}

func unary(ctx context.Context, client *grpc.ClientConn, in []byte) ([]byte, error) {
	out := new(wrapperspb.BytesValue)
	err := client.Invoke(ctx, "/basin.Admitted/Unary", wrapperspb.Bytes(in), out)
	return out.Value, err
}

func stream(ctx context.Context, client *grpc.ClientConn, in ...[]byte) ([]byte, error) {
	s, err := client.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, "/basin.Admitted/Stream")
	if err != nil {
		return nil, err
	}
	for _, b := range in {
		if s.SendMsg(wrapperspb.Bytes(b)) != nil {
			break // RecvMsg has the error
		}
	}
	s.CloseSend()
	out := new(wrapperspb.BytesValue)
	err = s.RecvMsg(out)
	return out.Value, err
}

// copying echoes what it reads, in memory of a pool.
func copying(p *basin.BytePool) service {
	return service{
		unary: func(ctx context.Context, in []byte) ([]byte, error) {
			pool := basin.ReservationOf(ctx).Pool(p)
			b, ok := pool.TryGet(len(in))
			if !ok {
				return nil, status.Error(codes.Internal, "the reservation does not suffice")
			}
			defer pool.Put(b)
			copy(b, in)
			return bytes.Clone(b), nil
		},
		stream: func(ctx context.Context, next func() ([]byte, error)) ([]byte, error) {
			pool := basin.ReservationOf(ctx).Pool(p)
			b, ok := pool.TryGet(32 << 10)
			if !ok {
				return nil, status.Error(codes.Internal, "the reservation does not suffice")
			}
			defer pool.Put(b)
			n := 0
			for {
				in, err := next()
				if err != nil {
					return bytes.Clone(b[:n]), nil
				}
				n += copy(b[n:], in)
			}
		},
	}
}

func retryDelay(err error) time.Duration {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return info.RetryDelay.AsDuration()
		}
	}
	return 0
}

// TestAdmission has each status that the interceptors give.
func TestAdmission(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 100_000}
	pool := &basin.BytePool{Name: t.Name(), Limit: limit}
	client := admitted(t, basingrpc.Admission{Limit: limit, Max: 50_000, Wait: time.Millisecond, RetryAfter: 3 * time.Second}, copying(pool))
	for _, n := range []int{0, 1, 1000, 49_000} {
		if out, err := unary(t.Context(), client, make([]byte, n)); err != nil || len(out) != n {
			t.Errorf("%d bytes: %d, %v", n, len(out), err)
		}
	}
	if out, err := stream(t.Context(), client, []byte("ab"), []byte("c")); err != nil || string(out) != "abc" {
		t.Errorf("a stream: %q, %v", out, err)
	}
	if _, err := unary(t.Context(), client, make([]byte, 50_001)); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "50000") {
		t.Errorf("too large: %v", err)
	}
	all, err := limit.Acquire(t.Context(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	_, one := unary(t.Context(), client, []byte("x"))
	_, many := stream(t.Context(), client)
	for _, err := range []error{one, many} {
		if status.Code(err) != codes.Unavailable || retryDelay(err) != 3*time.Second {
			t.Errorf("no room: %v, retry in %v", err, retryDelay(err))
		}
	}
	if _, err := unary(t.Context(), client, nil); err != nil { // needs no memory
		t.Errorf("nothing: %v", err)
	}
	all.Release()
	limit.SetMax(1000)
	if _, err := stream(t.Context(), client); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("larger than the limit: %v", err)
	}
}

func TestAdmissionOutOfRange(t *testing.T) {
	limit := &basin.Limit{}
	for field, a := range map[string]basingrpc.Admission{
		"Limit":      {},
		"Max":        {Limit: limit, Max: -1},
		"Unknown":    {Limit: limit, Unknown: -1},
		"Wait":       {Limit: limit, Wait: -1},
		"RetryAfter": {Limit: limit, RetryAfter: -1},
	} {
		for name, intercept := range map[string]func(){"unary": func() { basingrpc.UnaryAdmission(a) }, "stream": func() { basingrpc.StreamAdmission(a) }} {
			func() {
				defer func() {
					if p := fmt.Sprint(recover()); !strings.Contains(p, "Admission."+field+" ") {
						t.Errorf("%s, %s: %s", field, name, p)
					}
				}()
				intercept()
			}()
		}
	}
}

// TestAdmissionPanics: a reservation ends when the handler panics.
func TestAdmissionPanics(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 100_000}
	client := admitted(t, basingrpc.Admission{Limit: limit, Wait: time.Hour, Reserve: func(_ context.Context, method string, req any) int64 {
		if (req == nil) != strings.HasSuffix(method, "/Stream") {
			t.Errorf("%s has the request %v", method, req)
		}
		return 60_000 // one at a time fits
	}}, service{
		unary:  func(context.Context, []byte) ([]byte, error) { panic("on purpose") },
		stream: func(context.Context, func() ([]byte, error)) ([]byte, error) { panic("on purpose") },
	})
	for range 20 {
		if _, err := unary(t.Context(), client, []byte("x")); status.Code(err) != codes.Internal {
			t.Fatal(err)
		}
		if _, err := stream(t.Context(), client); status.Code(err) != codes.Internal {
			t.Fatal(err)
		}
	}
}

// TestAdmissionCancelled: calls that end while they wait leave the queue.
func TestAdmissionCancelled(t *testing.T) {
	limit := &basin.Limit{Name: t.Name(), Max: 100_000}
	client := admitted(t, basingrpc.Admission{Limit: limit, Wait: time.Hour}, copying(&basin.BytePool{Name: t.Name(), Limit: limit}))
	all, err := limit.Acquire(t.Context(), 100_000)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			_, err := unary(ctx, client, []byte("x"))
			if i%2 > 0 {
				_, err = stream(ctx, client)
			}
			if status.Code(err) != codes.Canceled {
				t.Error(err)
			}
		})
	}
	for limit.Stats().Waiting < 20 {
		runtime.Gosched()
	}
	cancel()
	calls.Wait()
	for limit.Stats().Waiting > 0 {
		runtime.Gosched()
	}
	all.Release()
	if _, err := unary(t.Context(), client, []byte("x")); err != nil {
		t.Error(err)
	}
}

// TestAdmissionCalls has 200 calls at once, with room for a few: all are served, or refused by name.
func TestAdmissionCalls(t *testing.T) {
	const most = 300_000
	limit := &basin.Limit{Name: t.Name(), Max: most}
	client := admitted(t, basingrpc.Admission{Limit: limit, Wait: time.Hour}, copying(&basin.BytePool{Name: t.Name(), Limit: limit}))
	var served atomic.Int32
	var calls sync.WaitGroup
	for i := range 200 {
		calls.Go(func() {
			in := bytes.Repeat([]byte{byte(i)}, 32_000)
			call := func() ([]byte, error) { return unary(t.Context(), client, in) }
			if i%2 > 0 {
				call = func() ([]byte, error) { return stream(t.Context(), client, in[:10_000], in[10_000:]) }
			}
			switch out, err := call(); {
			case err == nil && bytes.Equal(out, in):
				served.Add(1)
			default:
				t.Errorf("call %d: %d bytes, %v", i, len(out), err)
			}
			if s := limit.Stats(); s.Bytes.InUse+s.Reserved > most {
				t.Errorf("%d in use and %d reserved", s.Bytes.InUse, s.Reserved)
			}
		})
	}
	calls.Wait()
	s := limit.Stats()
	if served.Load() < 200 || s.PeakInUse.Bytes > most || s.Beyond > 0 {
		t.Errorf("%d are served, the peak is %d, %d went beyond", served.Load(), s.PeakInUse.Bytes, s.Beyond)
	}
	t.Logf("%d served, %d waited", served.Load(), s.Waited)
}
