package demo

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/basin-go/basin/lab/internal/child"
)

// A Backend is the environment of a gateway that is not measured: the upstream and the load
// generator, each a process.
type Backend struct {
	Upstream string        // address
	Load     child.Address // address for calls of a Load
}

// StartBackend starts both. The load generator keeps the given number of connections to each
// gateway.
func StartBackend(ctx context.Context, corpus string, concurrency int) (b Backend, stop func(), err error) {
	upstream, load, stop, err := startBackend(ctx, corpus, concurrency)
	if err != nil {
		return b, nil, err
	}
	b.Upstream = upstream.Addr
	if err := load.Call("Load.Listen", struct{}{}, &b.Load); err != nil {
		stop()
		return b, nil, err
	}
	return b, stop, nil
}

// startBackend is StartBackend for the parent of the load generator.
func startBackend(ctx context.Context, corpus string, concurrency int) (reply UpstreamReply, load *child.Process, stop func(), err error) {
	upstream, err := startPart(ctx, "upstream")
	if err != nil {
		return reply, nil, nil, err
	}
	if load, err = startPart(ctx, "load"); err != nil {
		upstream.Stop()
		return reply, nil, nil, err
	}
	stop = func() {
		upstream.Stop()
		load.Stop()
	}
	if err = upstream.Call("Upstream.Start", corpus, &reply); err == nil {
		err = load.Call("Load.Start", LoadArgs{corpus, concurrency}, &struct{}{})
	}
	if err != nil {
		stop()
	}
	return reply, load, stop, err
}

// Listen accepts calls from processes other than the parent. The parent gives them a.
func (l *Load) Listen(_ struct{}, a *child.Address) (err error) {
	*a, err = child.Listen(l)
	return err
}

// ServeGateway starts a gateway in this process and returns its address. forward must read the
// upstream's body to its end and send the rewritten body.
func ServeGateway(upstream string, concurrency int, forward func(http.ResponseWriter, *http.Response) error) (addr string, err error) {
	args := GatewayArgs{Upstream: upstream, Concurrency: concurrency}
	err = serve(&http.Server{Handler: newHandler(args, forward)}, &addr)
	return addr, err
}

// WriteRewritten writes the rewritten body to w, piece by piece.
func WriteRewritten(w io.Writer, body []byte) error {
	_, err := io.WriteString(w, banner)
	for err == nil {
		i := bytes.Index(body, originBytes)
		if i < 0 {
			_, err = w.Write(body)
			return err
		}
		if _, err = w.Write(body[:i]); err == nil {
			_, err = io.WriteString(w, mirrorHost)
		}
		body = body[i+len(origin):]
	}
	return err
}
