package demo

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"time"
)

// A Gateway is the measured part.
type Gateway struct {
	meter meter
}

// GatewayArgs has the settings of a gateway.
type GatewayArgs struct {
	Way         string
	Upstream    string // address
	Concurrency int
}

// Start starts serving, and sets addr to the address.
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

// serve starts s, and sets addr to its address.
func serve(s *http.Server, addr *string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	*addr = l.Addr().String()
	go s.Serve(l)
	return nil
}

// Begin starts the measurement of a round.
func (g *Gateway) Begin(struct{}, *struct{}) error {
	g.meter.begin()
	return nil
}

// End ends the measurement, after the last response was received.
func (g *Gateway) End(_ struct{}, u *Usage) error {
	*u = g.meter.end()
	return nil
}

// Settled returns the heap in use, some time after the last request. Before, it collects
// garbage twice, as a server without requests does now and then: pools release memory after a
// collection, and the next one frees it.
func (g *Gateway) Settled(_ struct{}, inUse *uint64) error {
	runtime.GC()
	time.Sleep(settleGCs)
	runtime.GC()
	*inUse = newHeapSampler().inUse()
	return nil
}

// settleGCs is the time between the two collections, for work that the first one triggers.
const settleGCs = 100 * time.Millisecond

// A handler is the gateway itself. Only forward differs between ways.
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
