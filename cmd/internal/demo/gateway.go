package demo

import (
	"fmt"
	"net"
	"net/http"
	"slices"
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
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == a.Way })
	if i < 0 {
		return fmt.Errorf("no way %q", a.Way)
	}
	forward := func(w http.ResponseWriter, from *http.Response) error {
		return ways[i].forward(w, from.Body)
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
