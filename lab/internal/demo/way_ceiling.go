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
	// maxQueued is how long a request waits for memory before it is refused.
	maxQueued = time.Second
	// retryAfter is when a client that was refused may ask again.
	retryAfter = time.Second
	// sendBuffer keeps the kernel from taking a whole body off the gateway's
	// hands: as on a real network, a slow client is the gateway's to bear. Much
	// less than that and the loopback's large segments do not fit, so that quick
	// clients' acknowledgements are late.
	sendBuffer = 64 << 10
)

// Bounded is the gateway that is overloaded. Its pool may have a ceiling.
type Bounded struct {
	pool      *basin.BytePool
	meter     meter
	peakInUse int64
}

// BoundedArgs says how to run the gateway.
type BoundedArgs struct {
	GatewayArgs
	MaxInUse    int64 // zero for no ceiling
	MaxIdle     int64
	MemoryLimit int64 // for the garbage collector to stay below while it can
}

// BoundedUsage is what a run took.
type BoundedUsage struct {
	Usage
	PeakInUse int64 // most bytes handed out at a time
	basin.Waits
}

// Start starts to serve; addr is set to where.
func (b *Bounded) Start(a BoundedArgs, addr *string) error {
	debug.SetMemoryLimit(a.MemoryLimit)
	b.pool = newBoundedPool(a.MaxInUse, a.MaxIdle)
	b.meter.sample = func() { b.peakInUse = max(b.peakInUse, b.pool.Stats().Bytes.InUse) }
	return serve(b.server(a.GatewayArgs), addr)
}

// server returns the gateway, not yet started.
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

// Begin starts the measuring.
func (b *Bounded) Begin(struct{}, *struct{}) error {
	b.meter.begin()
	return nil
}

// End ends it, once the last response has been received.
func (b *Bounded) End(_ struct{}, u *BoundedUsage) error {
	u.Usage = b.meter.end()
	u.PeakInUse = b.peakInUse
	u.Waits = b.pool.Stats().Waits
	return nil
}

// forward gets all the memory of a request in one go, for the body as it comes
// and for the body as it leaves. A request that had the one and waited for the
// other would hold what others wait for while they hold what it waits for, and
// none would ever go on. It also never lets a slice grow, so that no plain
// slices come in beside the ceiling.
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
	return send(w, appendRewritten(out, in))
}

// memoryFor is how much it takes to hold a body of the given length and what it
// is rewritten to, at most: that is known before the body is.
func memoryFor(length int) int {
	most := len(banner) + length + length/len(origin)*(len(mirrorHost)-len(origin))
	return length + most
}
