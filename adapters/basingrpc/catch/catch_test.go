package catch_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basingrpc/catch"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

var touched basin.BytePool

// touch touches memory after its Put if the message is "late".
func touch(in *wrapperspb.StringValue) *wrapperspb.StringValue {
	b := touched.Get(100)
	defer touched.Put(b)
	if in.Value == "late" {
		b := touched.Get(100)
		put := touched.Put // a variable, because basin vet would report the line below
		put(b)
		b[7] = 'x'
	}
	return in
}

var touching = grpc.ServiceDesc{
	ServiceName: "basin.Touch",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Unary",
		Handler: func(server any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor) (any, error) {
			in := new(wrapperspb.StringValue)
			if err := decode(in); err != nil {
				return nil, err
			}
			return intercept(ctx, in, &grpc.UnaryServerInfo{}, func(_ context.Context, in any) (any, error) {
				return touch(in.(*wrapperspb.StringValue)), nil
			})
		},
	}},
	Streams: []grpc.StreamDesc{{
		StreamName:    "Stream",
		ServerStreams: true,
		ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			in := new(wrapperspb.StringValue)
			if err := s.RecvMsg(in); err != nil {
				return err
			}
			return s.SendMsg(touch(in))
		},
	}},
}

// TestCatch: a call whose handler touches put memory fails with Internal, and the next one works.
func TestCatch(t *testing.T) {
	told := pooltest.BeginChecks(t, basincheck.Settings{Level: basincheck.Sampled, Every: 1, Guard: true})
	if !basincheck.Now().Guard {
		t.Skip("no guarded memory here")
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(catch.Unary), grpc.StreamInterceptor(catch.Stream))
	server.RegisterService(&touching, nil)
	listener := bufconn.Listen(1 << 20)
	go server.Serve(listener)
	defer server.Stop()
	client, err := grpc.NewClient("passthrough:///touch", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	unary := func(in, out *wrapperspb.StringValue) error {
		return client.Invoke(t.Context(), "/basin.Touch/Unary", in, out)
	}
	stream := func(in, out *wrapperspb.StringValue) error {
		s, err := client.NewStream(t.Context(), &touching.Streams[0], "/basin.Touch/Stream")
		if err != nil {
			return err
		}
		if err := s.SendMsg(in); err != nil {
			return err
		}
		return s.RecvMsg(out)
	}
	for name, call := range map[string]func(in, out *wrapperspb.StringValue) error{"unary": unary, "stream": stream} {
		for range 3 {
			out := new(wrapperspb.StringValue)
			if err := call(wrapperspb.String("good"), out); err != nil || out.Value != "good" {
				t.Errorf("%s: %v, %v", name, out, err)
			}
			err := call(wrapperspb.String("late"), out)
			if status.Code(err) != codes.Internal || strings.Contains(err.Error(), "Put") {
				t.Errorf("%s: %v, want Internal", name, err)
			}
			got := told.Take()
			if len(got) != 1 || got[0].Kind != basincheck.UseAfterPut || got[0].Offset != 7 || !strings.HasSuffix(got[0].Here.Frames()[0].Function, ".touch") {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
