// Package catch has interceptors that turn a fault in guarded memory into a failed call. It is apart
// from package basingrpc, because that must not import all of gRPC.
package catch

import (
	"context"

	"github.com/basin-go/basin/basincheck"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Unary is an interceptor that calls handlers under [basincheck.Catch]. If a handler touches
// guarded memory after its Put, or beyond its capacity, that is reported, and only this call
// fails, with [codes.Internal]. Interceptors that recover from panics must be outside:
//
//	grpc.NewServer(grpc.ChainUnaryInterceptor(recovery, catch.Unary))
//
// Goroutines that a handler starts are not covered. Nor is the response that gRPC encodes after
// the handler has returned.
func Unary(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	if basincheck.Catch(func() { response, err = handler(ctx, request) }) != nil {
		return nil, errMisuse
	}
	return response, err
}

// Stream is [Unary] for streams. It also covers messages, which handlers of streams
// send and receive themselves.
func Stream(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	if basincheck.Catch(func() { err = handler(server, stream) }) != nil {
		return errMisuse
	}
	return err
}

// errMisuse says nothing about the program, because clients get it.
var errMisuse = status.Error(codes.Internal, "internal error")
