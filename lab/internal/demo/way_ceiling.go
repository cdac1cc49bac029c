package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/basin-go/basin"
)

const (
	// maxQueued is the time that a request waits for memory before it is refused.
	maxQueued = time.Second
	// retryAfter is the time after which a refused client may retry.
	retryAfter = time.Second
	// sendBuffer keeps the kernel from accepting a whole body: as on a real network, the
	// gateway must hold the body for a slow client. With much less, the loopback's large
	// segments do not fit, which delays the acknowledgements of quick clients.
	sendBuffer = 64 << 10
)

// Bounded is the gateway of the overload. Its pool may have a ceiling.
type Bounded struct {
	pool      *basin.BytePool
	meter     meter
	peakInUse int64
}

// BoundedArgs has the settings of a Bounded.
type BoundedArgs struct {
	GatewayArgs
	MaxInUse    int64 // zero for no ceiling
	MaxIdle     int64
	MemoryLimit int64 // limit that the garbage collector tries to keep
}

// BoundedUsage has the resources that a run used.
type BoundedUsage struct {
	Usage
	PeakInUse   int64  // most outstanding bytes
	Waited      uint64 // requests that had to wait
	LongestWait time.Duration
}

// Start starts serving, and sets addr to the address.
func (b *Bounded) Start(a BoundedArgs, addr *string) error {
	debug.SetMemoryLimit(a.MemoryLimit)
	b.pool = newBoundedPool(a.MaxInUse, a.MaxIdle)
	b.meter.sample = func() { b.peakInUse = max(b.peakInUse, b.pool.Stats().Bytes.InUse) }
	return serve(b.server(a.GatewayArgs), addr)
}

// server returns the gateway's server, not started yet.
func (b *Bounded) server(a GatewayArgs) *http.Server {
	return &http.Server{
		Handler: newHandler(a, b.forward),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			c.(*net.TCPConn).SetWriteBuffer(sendBuffer)
			return ctx
		},
	}
}

func newBoundedPool(maxInUse, maxIdle int64) *basin.BytePool {
	return &basin.BytePool{Name: "gateway", MaxInUse: maxInUse, MaxIdle: maxIdle}
}

// Begin starts the measurement.
func (b *Bounded) Begin(struct{}, *struct{}) error {
	b.meter.begin()
	return nil
}

// End ends the measurement, after the last response was received.
func (b *Bounded) End(_ struct{}, u *BoundedUsage) error {
	u.Usage = b.meter.end()
	u.PeakInUse = b.peakInUse
	s := b.pool.Stats()
	u.Waited, u.LongestWait = s.Waited, s.LongestWait
	return nil
}

// forward gets the memory for the incoming and the outgoing body in one call. If requests held
// one and waited for the other, they could wait for each other forever. forward never grows a
// slice, because growing takes memory beyond the ceiling.
func (b *Bounded) forward(w http.ResponseWriter, from *http.Response) error {
	if from.ContentLength < 0 {
		return errors.New("the upstream does not say how long the body is")
	}
	length := int(from.ContentLength)
	ctx, cancel := context.WithTimeout(from.Request.Context(), maxQueued)
	defer cancel()
	memory, err := b.pool.GetContext(ctx, memoryFor(length))
	if err != nil {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return nil
	}
	defer b.pool.Put(memory)
	in, out := memory[:length], memory[length:length]
	if _, err := io.ReadFull(from.Body, in); err != nil {
		return err
	}
	return Send(w, AppendRewritten(out, in))
}

// memoryFor returns the most memory for a body of the given length and its rewritten form. It
// is known before the body is.
func memoryFor(length int) int {
	most := len(banner) + length + length/len(origin)*(len(mirrorHost)-len(origin))
	return length + most
}
