package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/basin-go/basin/lab/internal/child"
	"github.com/basin-go/basin/lab/internal/terminal"
	"github.com/dustin/go-humanize"
)

// OverloadConfig has the settings of an overload. Concurrency is the number of slow clients.
// Duration is the time of all load on both gateways, without the check of their recovery.
type OverloadConfig struct {
	Config
	MaxInUse int64 // the ceiling

	// MemoryLimit is the most memory of a gateway, as in a container: a gateway that exceeds it
	// is killed. Zero means no limit.
	MemoryLimit int64
}

// Complete fills in the default corpus and returns an error if c is invalid.
func (c *OverloadConfig) Complete() error {
	if c.MaxInUse <= 0 {
		return fmt.Errorf("-max-in-use must be more than zero, got %d", c.MaxInUse)
	}
	if limit := c.MaxInUse + c.overhead(); c.MemoryLimit != 0 && c.MemoryLimit < limit {
		return fmt.Errorf("-memory-limit must be at least %s, the ceiling and the gateway's other memory, got %s", ibytes(limit), ibytes(c.MemoryLimit))
	}
	return c.Config.Complete()
}

const (
	// recoveryClients and recoveryRequests are the usual load. After the overload, each of its
	// requests must be served.
	recoveryClients  = 32
	recoveryRequests = 1000

	// connectionOverhead is the gateway's memory for a client in addition to the body: the
	// buffers of two connections, their goroutines, the headers of a request and a response.
	connectionOverhead = 64 << 10
	// fixedOverhead is the memory of any Go program.
	fixedOverhead = 16 << 20
)

// maxIdle is the most bytes that the pools may keep idle.
func (c OverloadConfig) maxIdle() int64 { return max(1, c.MaxInUse/4) }

// overhead is the memory that the gateway may use beyond the ceiling. The garbage collector
// gets the sum as its limit, so there must be room for garbage, too.
func (c OverloadConfig) overhead() int64 {
	return c.maxIdle() + int64(c.Concurrency)*connectionOverhead + fixedOverhead
}

// fits returns an error if the largest file can never be served: that would not be an overload.
func (c OverloadConfig) fits(corpus UpstreamReply) error {
	pool := newBoundedPool(c.MaxInUse, 1)
	if b, ok := pool.TryGet(memoryFor(corpus.Largest)); ok {
		pool.Put(b)
	} else {
		return fmt.Errorf("-max-in-use %s is too little for the largest file of the corpus, which takes %s or more to rewrite",
			humanize.IBytes(uint64(c.MaxInUse)), humanize.IBytes(uint64(memoryFor(corpus.Largest))))
	}
	return nil
}

// RunOverload overloads a gateway with a ceiling and then one without, and returns the report.
// They differ in nothing else. If ctx is done before the end, it returns the report of the
// first, or nil, and the error of ctx.
func RunOverload(ctx context.Context, c OverloadConfig, progress terminal.Progress) (*OverloadReport, error) {
	report, err := overload(ctx, c, progress)
	return finish(ctx, progress, report, err)
}

func overload(ctx context.Context, c OverloadConfig, progress terminal.Progress) (*OverloadReport, error) {
	progress.Step(0, 0, "reading the files to serve")
	corpus, load, stop, err := startBackend(ctx, c.Corpus, min(c.Concurrency, recoveryClients))
	if err != nil {
		return nil, err
	}
	defer stop()
	if err := c.fits(corpus); err != nil {
		return nil, err
	}
	report := newOverloadReport(c)
	for i, name := range []string{"ceiling", "none"} {
		args := BoundedArgs{
			GatewayArgs: GatewayArgs{Upstream: corpus.Addr, Concurrency: c.Concurrency},
			MaxIdle:     c.maxIdle(),
			MemoryLimit: c.MaxInUse + c.overhead(),
		}
		if name == "ceiling" {
			args.MaxInUse = c.MaxInUse
		}
		step := func(done float64, what string) {
			share := (float64(i) + done) / 2
			progress.Step(share, time.Duration((1-share)*float64(c.Duration)), name+": "+what)
		}
		r, err := overloadOne(ctx, c, args, load, step)
		if err != nil && ctx.Err() != nil && i > 0 {
			report.Interrupted = true
			return report, err
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := report.add(name, r); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// An overloadResult has the results of one gateway.
type overloadResult struct {
	OverloadReply
	BoundedUsage
	recovery RoundReply

	peakMemory  int64         // most memory of the process, if there is a limit
	killedAfter time.Duration // from the start of the overload; zero if not killed
}

// overloadOne starts a gateway, overloads it and ends it.
func overloadOne(ctx context.Context, c OverloadConfig, args BoundedArgs, load *child.Process, step func(float64, string)) (r overloadResult, err error) {
	gateway, err := startPart(ctx, "bounded")
	if err != nil {
		return r, err
	}
	defer gateway.Stop()
	var addr string
	if err := gateway.Call("Bounded.Start", args, &addr); err != nil {
		return r, err
	}
	if err := gateway.Call("Bounded.Begin", struct{}{}, &struct{}{}); err != nil {
		return r, err
	}

	limit := c.Duration / 2
	step(0, fmt.Sprintf("%d slow clients for %v", c.Concurrency, limit.Round(time.Millisecond)))
	warden, err := guard(gateway, c.MemoryLimit)
	if err != nil {
		return r, err
	}
	err = load.Call("Load.Overload", OverloadArgs{addr, c.Concurrency, limit, c.MemoryLimit > 0}, &r.OverloadReply)
	r.peakMemory, r.killedAfter = warden.leave()
	if err != nil {
		return r, fmt.Errorf("%w%s", err, gateway.LastWords())
	}
	if r.killedAfter > 0 {
		return r, nil
	}
	if r.Lost > 0 {
		return r, fmt.Errorf("%d clients were sent no whole response%s", r.Lost, gateway.LastWords())
	}
	step(0.9, fmt.Sprintf("served %d, refused %d; the usual load", r.Served, r.Refused))
	// A single refusal makes this fail.
	if err := load.Call("Load.Round", RoundArgs{Addr: addr, Count: recoveryRequests, Limit: stallLimit}, &r.recovery); err != nil {
		return r, fmt.Errorf("no recovery: %w%s", err, gateway.LastWords())
	}
	if n := r.recovery.Requests; n < recoveryRequests {
		return r, fmt.Errorf("no recovery: %d of %d requests served in %v", n, recoveryRequests, stallLimit)
	}
	err = gateway.Call("Bounded.End", struct{}{}, &r.BoundedUsage)
	return r, err
}
