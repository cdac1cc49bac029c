package demo

import (
	"context"
	"errors"
	"expvar"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"golang.org/x/sync/errgroup"
)

// ServeConfig has the settings of a gateway that keeps running, for others to observe.
type ServeConfig struct {
	OverloadConfig
	Overload bool   // add a second gateway under the ceiling, with slow clients
	Addr     string // address of the pages
}

// Complete fills in the default corpus and returns an error if c is invalid.
func (c *ServeConfig) Complete() error {
	if c.Overload {
		return c.OverloadConfig.Complete()
	}
	return c.Config.Complete()
}

// Forever is a Duration without an end.
const Forever = 100 * 365 * 24 * time.Hour

// Serve keeps a gateway that uses basin, in this process, under load until ctx is done or the
// time is over, which is no error. The time begins when the pages can be read: then Serve calls
// ready once, with their address. Serve returns the number of responses that were checked.
func Serve(ctx context.Context, c ServeConfig, ready func(addr string)) (checked int, err error) {
	pages, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return 0, err
	}
	defer pages.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	// Once ctx is done the processes are told to stop, so other errors are a consequence.
	checked, err = c.serve(ctx, pages, func(addr string) {
		time.AfterFunc(c.Duration, cancel)
		ready(addr)
	})
	if ctx.Err() != nil {
		err = nil
	}
	return checked, err
}

func (c ServeConfig) serve(ctx context.Context, pages net.Listener, ready func(string)) (checked int, err error) {
	concurrency := c.Concurrency
	if c.Overload {
		concurrency = min(concurrency, recoveryClients)
	}
	corpus, load, stop, err := startBackend(ctx, c.Corpus, concurrency)
	if err != nil {
		return 0, err
	}
	defer stop()
	if c.Overload {
		if err := c.fits(corpus); err != nil {
			return 0, err
		}
	}

	group, ctx := errgroup.WithContext(ctx)
	var servers []*http.Server
	start := func(s *http.Server) (addr string, err error) {
		s.ErrorLog = log.New(io.Discard, "", 0) // the end of the load interrupts responses
		servers = append(servers, s)
		err = serve(s, &addr)
		return addr, err
	}
	defer func() {
		for _, s := range servers {
			s.Close()
		}
	}()

	args := GatewayArgs{Upstream: corpus.Addr, Concurrency: c.Concurrency}
	addr, err := start(&http.Server{Handler: newHandler(args, func(w http.ResponseWriter, from *http.Response) error {
		return pooled.forward(w, from.Body)
	})})
	if err != nil {
		return 0, err
	}
	group.Go(func() error {
		for ctx.Err() == nil {
			var r RoundReply
			if err := load.Call("Load.Round", RoundArgs{Addr: addr, First: checked, Count: math.MaxInt, Limit: time.Second}, &r); err != nil {
				return err
			}
			checked += r.Requests
		}
		return nil
	})
	if c.Overload {
		b := Bounded{pool: newBoundedPool(c.MaxInUse, c.maxIdle())}
		addr, err := start(b.server(args))
		if err != nil {
			return 0, err
		}
		group.Go(func() error {
			return load.Call("Load.Overload", OverloadArgs{Addr: addr, Clients: c.Concurrency, Limit: Forever}, &OverloadReply{})
		})
	}

	s := &http.Server{Handler: debugPages()}
	servers = append(servers, s)
	group.Go(func() error {
		if err := s.Serve(pages); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done() // another function has failed, or the time is over
		load.Stop()
		return s.Close()
	})
	ready(pages.Addr().String())
	err = group.Wait()
	return checked, err
}

// debugPages has the pages about the pools, and the standard library's debug pages.
func debugPages() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(basinhttp.Path, basinhttp.Handler(basinhttp.AllowTrim(), basinhttp.KeepHistory(5*time.Minute)))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.Handle("/debug/vars", expvar.Handler())
	mux.Handle("/{$}", http.RedirectHandler(basinhttp.Path, http.StatusFound))
	return mux
}
