//go:build go1.25

package basinhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/basin-go/basin"
)

const (
	defaultUnknown = 64 << 10
	defaultWait    = 10 * time.Second
)

// An Admission says how [Admit] reserves memory for requests. Its fields must not change while it is in use.
type Admission struct {
	// Limit is the memory that all requests share. It must be set.
	Limit *basin.Limit

	// Max is the length of the largest body. Zero means that bodies have no limit of their own: one whose length is
	// declared must fit into the Limit, and one of unknown length is as long as its handler reads it.
	Max int64

	// Unknown is the reservation for a body whose length is not declared, as of a chunked one. Zero means
	// 64 KiB, or Room(Max) if that is less.
	Unknown int64

	// Reserve, if not nil, returns the bytes to reserve for a request, in the place of Unknown and [Room] of its
	// Content-Length: less for a handler that passes bodies on, more for one that decompresses them. A
	// request for which it returns zero or less has no reservation, and does not wait.
	Reserve func(*http.Request) int64

	// Wait is the longest that a request waits for its reservation. Zero means 10 seconds.
	Wait time.Duration

	// RetryAfter is the header of answers with status 503, rounded up to seconds. Zero means a second.
	RetryAfter time.Duration
}

// Admit returns a handler that reserves memory under a [basin.Limit] before it calls next, by the Content-Length of
// the request. So requests wait at the door, while they hold nothing. In next, [basin.ReservationOf] of the request's
// context is the Reservation:
//
//	body, err := basin.ReservationOf(r.Context()).Pool(bodies).ReadAllSize(r.Body, r.ContentLength)
//
// It also stands for memory that no pool hands out, such as decoded values: what a handler does not take through
// pools stays reserved, and so counts. A request without a body is passed on as it is, with no reservation.
//
// Admit answers by itself, with
//
//   - 413, if the declared length is more than Max, or its reservation is more than the Limit ever has room for;
//   - 503 and a Retry-After, if the wait is over, or the request's context has ended.
//
// A body is an [http.MaxBytesReader] of Max. So a chunked body that is longer fails when it is read, and next must
// answer: [Refuse] does, with 413. An Admit within another one does not wait, because the request has a reservation by
// then: without room it answers 503.
//
// The reservation ends when next returns, or panics. Memory that is still in use then, because a goroutine has it,
// counts until it is put. For a hijacked connection, too, the reservation ends when next returns. A handler that streams
// keeps its reservation as long as it runs: let Reserve return only as much as it needs. So that slow clients do not
// keep theirs for ever, set the timeouts of the [http.Server].
//
// Over HTTP/2, the bodies of waiting requests fill buffers of net/http, which no Limit counts. When those of a
// connection are full, no body of that connection can be read, not even those that others wait for. To prevent this, set
// MaxReceiveBufferPerConnection of [http.HTTP2Config] to MaxConcurrentStreams times MaxReceiveBufferPerStream: by
// default, these are 1 MiB, 250 and 1 MiB.
//
// next gets the ResponseWriter as it is. Admit panics if a field of a is out of range.
func Admit(next http.Handler, a Admission) http.Handler {
	a.complete()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Max > 0 && r.ContentLength > a.Max {
			tooLarge(w, a.Max)
			return
		}
		ctx := r.Context()
		if n := a.Reserve(r); n > 0 {
			reservation, err := a.acquire(ctx, n)
			if err != nil {
				a.refuse(w, r, n, err)
				return
			}
			defer reservation.Release()
			ctx = reservation.Context(ctx)
		}
		r = r.WithContext(ctx) // a copy, whose Body may change
		if a.Max > 0 && r.Body != nil && r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, a.Max)
		}
		next.ServeHTTP(w, r)
	})
}

// complete sets fields that are zero, and panics if one is out of range.
func (a *Admission) complete() {
	switch {
	case a.Limit == nil:
		panic("basinhttp: Admission.Limit is nil")
	case a.Max < 0:
		panic(fmt.Sprintf("basinhttp: Admission.Max is %d, want 0 (for none) or more", a.Max))
	case a.Unknown < 0:
		panic(fmt.Sprintf("basinhttp: Admission.Unknown is %d, want 0 (for the default) or more", a.Unknown))
	case a.Wait < 0:
		panic(fmt.Sprintf("basinhttp: Admission.Wait is %v, want 0 (for the default) or more", a.Wait))
	case a.RetryAfter < 0:
		panic(fmt.Sprintf("basinhttp: Admission.RetryAfter is %v, want 0 (for a second) or more", a.RetryAfter))
	}
	if a.Unknown == 0 {
		a.Unknown = defaultUnknown
		if a.Max > 0 {
			a.Unknown = min(a.Unknown, Room(a.Max))
		}
	}
	if a.Wait == 0 {
		a.Wait = defaultWait
	}
	if a.RetryAfter == 0 {
		a.RetryAfter = time.Second
	}
	if a.Reserve == nil {
		unknown := a.Unknown
		a.Reserve = func(r *http.Request) int64 {
			if r.ContentLength < 0 {
				return unknown
			}
			return Room(r.ContentLength)
		}
	}
}

// acquire reserves n bytes, and waits no longer than Wait.
func (a *Admission) acquire(ctx context.Context, n int64) (*basin.Reservation, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	return a.Limit.Acquire(ctx, n)
}

// refuse answers a request that has not got its n bytes.
func (a *Admission) refuse(w http.ResponseWriter, r *http.Request, n int64, err error) {
	most := a.Limit.Stats().Bytes.MaxInUse
	if errors.Is(err, basin.ErrLimit) && (basin.ReservationOf(r.Context()) == nil || most > 0 && n > most) {
		http.Error(w, "the body is too large for this server", http.StatusRequestEntityTooLarge)
		return
	}
	busy(w, a.RetryAfter)
}

// Refuse answers a request whose handler has failed with err, if that says that the body is too large, or that there is no
// memory: with 413 if err wraps a [http.MaxBytesError], and with 503 and a Retry-After if it wraps [basin.ErrLimit].
// Otherwise it does nothing and returns false. The handler must not have written anything.
func Refuse(w http.ResponseWriter, err error) bool {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		tooLarge(w, large.Limit)
	case errors.Is(err, basin.ErrLimit):
		busy(w, time.Second)
	default:
		return false
	}
	return true
}

func tooLarge(w http.ResponseWriter, most int64) {
	http.Error(w, fmt.Sprintf("the body is longer than %d bytes", most), http.StatusRequestEntityTooLarge)
}

func busy(w http.ResponseWriter, after time.Duration) {
	w.Header().Set("Retry-After", strconv.FormatInt(int64((after+time.Second-1)/time.Second), 10))
	http.Error(w, "no memory for this request now", http.StatusServiceUnavailable)
}

// Room returns the memory that [basin.BytePool.ReadAllSize] of a view takes at most, in a pool without a MinSize, for n
// bytes whose number was declared: an array with the capacity of a size class, and 512 bytes to see the end. It is zero if n is.
func Room(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return max(n+n/4+64+512, n) // small classes are 64 bytes apart; if the sum overflows, nobody has room for n anyway
}
