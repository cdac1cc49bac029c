package work

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/basin-go/basin/lab/internal/demo"
	"github.com/basin-go/basin/lab/internal/subjects"
)

const (
	gatewayConnections = 16  // to each gateway
	gatewayRequests    = 256 // of each round, always the same
)

func init() {
	const gateway = "The gateway of the demo: a file from an upstream is read whole, rewritten and sent on. Upstream and load are other processes; every response is checked. "
	add(&Workload{
		Name: "gateway", Group: GroupGateway, Goroutines: 1, NeedsBackend: true, Round: 12 * time.Millisecond, PerRound: gatewayRequests, Asked: 2 * meanFileSize,
		What: gateway + "Both bodies are slices whose length is known before.",
		Op:   "one request",
		Can:  canSlices,
		New:  newSliceGateway,
	}, &Workload{
		Name: "gateway-buffers", Group: GroupGateway, Goroutines: 1, NeedsBackend: true, Round: 12 * time.Millisecond, PerRound: gatewayRequests,
		What: gateway + "Both bodies are buffers that grow as the data comes.",
		Op:   "one request",
		Can:  canBuffers,
		New:  newBufferGateway,
	})
}

func newSliceGateway(s *subjects.Subject, env Env) *Unit {
	p := s.Slices()
	return newGateway(p, env, func(w http.ResponseWriter, from *http.Response) error {
		in := p.Get(int(from.ContentLength))
		defer p.Put(in)
		if _, err := io.ReadFull(from.Body, in.B); err != nil {
			return err
		}
		out := p.Get(demo.RewrittenLen(in.B))
		defer p.Put(out)
		return demo.Send(w, demo.AppendRewritten(out.B[:0], in.B))
	})
}

func newBufferGateway(s *subjects.Subject, env Env) *Unit {
	p := s.Buffers()
	return newGateway(p, env, func(w http.ResponseWriter, from *http.Response) error {
		in := p.Get()
		defer p.Put(in)
		if _, err := io.Copy(in, from.Body); err != nil {
			return err
		}
		out := p.Get()
		defer p.Put(out)
		if err := demo.WriteRewritten(out, in.Bytes()); err != nil {
			return err
		}
		return demo.Send(w, out.Bytes())
	})
}

// newGateway starts a gateway in this process. The load generator sends its requests.
func newGateway(pool any, env Env, forward func(http.ResponseWriter, *http.Response) error) *Unit {
	addr, err := demo.ServeGateway(env.Backend.Upstream, gatewayConnections, forward)
	if err != nil {
		panic(err)
	}
	load, err := env.Backend.Load.Dial()
	if err != nil {
		panic(err)
	}
	if err := load.Call("Load.Forget", addr, &struct{}{}); err != nil {
		panic(err)
	}
	return &Unit{Misses: missesOf(pool), Run: func(_, n int) {
		args := demo.RoundArgs{Addr: addr, Count: n, Limit: time.Minute}
		var reply demo.RoundReply
		if err := load.Call("Load.Round", args, &reply); err != nil {
			panic(fmt.Sprintf("the gateway failed: %v", err))
		}
	}}
}
