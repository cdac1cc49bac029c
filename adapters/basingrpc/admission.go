package basingrpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/basin-go/basin"
)

const (
	defaultUnknown = 64 << 10
	defaultWait    = 10 * time.Second
)

// An Admission says how [UnaryAdmission] and [StreamAdmission] reserve memory for the calls of a server. Its fields
// must not change while it is in use.
type Admission struct {
	// Limit is the memory that all calls share. It must be set.
	Limit *basin.Limit

	// Max is the size of the largest request message of a unary call. Zero means that only the Limit, and the
	// grpc.MaxRecvMsgSize of the server, say how large it may be.
	Max int64

	// Unknown is the reservation for a stream, and for a request that is no proto.Message. Zero means 64 KiB.
	Unknown int64

	// Reserve, if not nil, returns the bytes to reserve for a call. Otherwise these are the size of the request
	// message and a quarter more, for the size class of a copy, or Unknown. method is as in "/package.Service/Method", and req is nil for a stream. A call for
	// which it returns zero or less has no reservation, and does not wait.
	Reserve func(ctx context.Context, method string, req any) int64

	// Wait is the longest that a call waits for its reservation. Zero means 10 seconds.
	Wait time.Duration

	// RetryAfter is the delay in the RetryInfo of calls that have waited in vain. Zero means a second.
	RetryAfter time.Duration
}

// UnaryAdmission returns an interceptor that reserves memory under a [basin.Limit] before a unary call is handled. In the
// handler, [basin.ReservationOf] of the context is the Reservation. It ends when the handler returns or panics.
//
// The status of calls that are not handled is
//
//   - ResourceExhausted, if the request is larger than Max, or its reservation than the Limit ever has room for;
//   - Unavailable, with a RetryInfo, if the wait is over;
//   - Canceled or DeadlineExceeded, if the call has ended by itself.
//
// gRPC calls an interceptor when it has received and decoded the request, and calls wait with that message in memory.
// grpc.MaxConcurrentStreams limits their number for each connection. A stream waits with nothing.
//
// UnaryAdmission panics if a field of a is out of range.
func UnaryAdmission(a Admission) grpc.UnaryServerInterceptor {
	a.complete()
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		if n := sizeOf(req); a.Max > 0 && n > a.Max {
			return nil, status.Errorf(codes.ResourceExhausted, "the request has %d bytes, more than %d", n, a.Max)
		}
		reservation, err := a.acquire(ctx, info.FullMethod, req)
		if err != nil {
			return nil, err
		}
		if reservation != nil {
			defer reservation.Release()
			ctx = reservation.Context(ctx)
		}
		return handler(ctx, req)
	}
}

// StreamAdmission is [UnaryAdmission] for streams: each reserves memory before its first message is read, and keeps
// it until the handler returns. Max is not for streams.
func StreamAdmission(a Admission) grpc.StreamServerInterceptor {
	a.complete()
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		reservation, err := a.acquire(stream.Context(), info.FullMethod, nil)
		if err != nil {
			return err
		}
		if reservation != nil {
			defer reservation.Release()
			stream = reserved{stream, reservation.Context(stream.Context())}
		}
		return handler(srv, stream)
	}
}

// reserved is a stream whose context carries a Reservation.
type reserved struct {
	grpc.ServerStream
	ctx context.Context
}

func (r reserved) Context() context.Context { return r.ctx }

// complete sets fields that are zero, and panics if one is out of range.
func (a *Admission) complete() {
	switch {
	case a.Limit == nil:
		panic("basingrpc: Admission.Limit is nil")
	case a.Max < 0:
		panic(fmt.Sprintf("basingrpc: Admission.Max is %d, want 0 (for none) or more", a.Max))
	case a.Unknown < 0:
		panic(fmt.Sprintf("basingrpc: Admission.Unknown is %d, want 0 (for the default) or more", a.Unknown))
	case a.Wait < 0:
		panic(fmt.Sprintf("basingrpc: Admission.Wait is %v, want 0 (for the default) or more", a.Wait))
	case a.RetryAfter < 0:
		panic(fmt.Sprintf("basingrpc: Admission.RetryAfter is %v, want 0 (for a second) or more", a.RetryAfter))
	}
	if a.Unknown == 0 {
		a.Unknown = defaultUnknown
	}
	if a.Wait == 0 {
		a.Wait = defaultWait
	}
	if a.RetryAfter == 0 {
		a.RetryAfter = time.Second
	}
	if a.Reserve == nil {
		unknown := a.Unknown
		a.Reserve = func(_ context.Context, _ string, req any) int64 {
			switch n := sizeOf(req); {
			case n < 0:
				return unknown
			case n == 0:
				return 0
			default:
				return n + n/4 + 64
			}
		}
	}
}

// sizeOf returns the size of a message, or -1 if it is no proto.Message.
func sizeOf(req any) int64 {
	if m, ok := req.(proto.Message); ok {
		return int64(proto.Size(m))
	}
	return -1
}

// acquire reserves memory for a call, or returns nil if it needs none. Its error has a status.
func (a *Admission) acquire(ctx context.Context, method string, req any) (*basin.Reservation, error) {
	n := a.Reserve(ctx, method, req)
	if n <= 0 {
		return nil, nil
	}
	waiting, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	reservation, err := a.Limit.Acquire(waiting, n)
	if err == nil {
		return reservation, nil
	}
	most := a.Limit.Stats().Bytes.MaxInUse
	switch {
	case ctx.Err() != nil:
		return nil, status.FromContextError(ctx.Err()).Err()
	case errors.Is(err, basin.ErrLimit) && (basin.ReservationOf(ctx) == nil || most > 0 && n > most):
		return nil, status.Error(codes.ResourceExhausted, "the call needs more memory than this server gives to all")
	}
	s := status.New(codes.Unavailable, "no memory for this call now")
	if detailed, err := s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.RetryAfter)}); err == nil {
		s = detailed
	}
	return nil, s.Err()
}
