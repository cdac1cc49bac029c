package demo

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"time"
)

// Gateway is the part that is measured.
type Gateway struct {
	meter meter
}

// GatewayArgs says how to run the gateway.
type GatewayArgs struct {
	Way         string
	Upstream    string // address
	Concurrency int
}

// Start starts to serve; addr is set to where.
func (g *Gateway) Start(a GatewayArgs, addr *string) error {
	all := slices.Concat(ways, attribution)
	i := slices.IndexFunc(all, func(w way) bool { return w.name == a.Way })
	if i < 0 {
		return fmt.Errorf("no way %q", a.Way)
	}
	forward := func(w http.ResponseWriter, from *http.Response) error {
		return all[i].forward(w, sized{from.Body, from.ContentLength})
	}
	return serve(&http.Server{Handler: newHandler(a, forward)}, addr)
}

// serve has s serve; addr is set to where.
func serve(s *http.Server, addr *string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	*addr = l.Addr().String()
	go s.Serve(l)
	return nil
}

// Begin starts the measuring of a round.
func (g *Gateway) Begin(struct{}, *struct{}) error {
	g.meter.begin()
	return nil
}

// End ends the round, once its last response has been received.
func (g *Gateway) End(_ struct{}, u *Usage) error {
	*u = g.meter.end()
	return nil
}

// Settled says how much heap is in use, some time after the last request. It collects
// garbage twice before, as a server without requests does now and then: pools let
// go of memory after a collection, and the next one frees it.
func (g *Gateway) Settled(_ struct{}, inUse *uint64) error {
	runtime.GC()
	time.Sleep(settleGCs)
	runtime.GC()
	*inUse = newHeapSampler().inUse()
	return nil
}

// settleGCs is between two collections, for what the first makes others do.
const settleGCs = 100 * time.Millisecond

// A handler is the gateway proper, the same for every way but for forward.
type handler struct {
	forward  func(w http.ResponseWriter, from *http.Response) error
	upstream string
	client   http.Client
}

func newHandler(a GatewayArgs, forward func(http.ResponseWriter, *http.Response) error) *handler {
	return &handler{
		forward:  forward,
		upstream: "http://" + a.Upstream,
		client: http.Client{Transport: &http.Transport{
			MaxIdleConnsPerHost: a.Concurrency,
			DisableCompression:  true,
		}},
	}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, h.upstream+r.RequestURI, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	resp, err := h.client.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		http.Error(w, "upstream: "+resp.Status, http.StatusBadGateway)
		return
	}
	if err := h.forward(w, resp); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}
