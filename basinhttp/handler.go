// Package basinhttp shows all pools of a running program on a web page, as
// net/http/pprof does with profiles.
//
//	http.Handle("/debug/basin/", basinhttp.Handler())
//
// mounts it, at whatever path; [Register] does so on the default mux. Nothing is done on
// import. Nothing runs either, unless somebody looks: the page asks for a [Report]
// once a second, as long as it is visible.
//
// The page is one response that refers to nothing else. It shows what it is told
// as text, under a Content-Security-Policy that allows no other script than its own. Who
// can reach it sees the names and figures of the pools, and in checked mode the
// program's functions that use them: like those of net/http/pprof, the address is
// not one for the public.
//
// # For scripts
//
//	GET  ?format=json   a Report
//	POST ?trim=ID       lets go of what the pool with that ID keeps; 204, or 404 if it is gone
//	POST ?trim=all      the same for all pools
//
// The latter two are 403 without [AllowTrim], and for a request that comes from a page of another site.
package basinhttp

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Path is where [Register] mounts the page.
const Path = "/debug/basin/"

// An Option of a [Handler].
type Option func(*handler)

// AllowTrim lets those who see the page, and all else who can make requests, have
// pools let go of what they keep. That costs the program misses, and for a moment each time stops the world.
func AllowTrim() Option { return func(h *handler) { h.allowTrim = true } }

// Handler returns a handler that answers with the page, or with its data. It does
// not care about its path, and may be called from many goroutines at once.
func Handler(options ...Option) http.Handler {
	h := new(handler)
	for _, o := range options {
		o(h)
	}
	return h
}

// Register mounts a [Handler] on [http.DefaultServeMux], at [Path]. It panics
// if something else is there.
func Register(options ...Option) { http.Handle(Path, Handler(options...)) }

type handler struct {
	allowTrim bool

	mu     sync.Mutex
	report Report // reused
}

// writeTimeout bounds how long a client may take to read, and with it how long
// what it is sent stays in memory.
const writeTimeout = 30 * time.Second

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // if w can
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.serveReport(w, r)
	case http.MethodPost:
		h.serveTrim(w, r)
	default:
		header.Set("Allow", "GET, HEAD, POST")
		http.Error(w, "basin: use GET to see the pools, POST to trim them", http.StatusMethodNotAllowed)
	}
}

// serveReport answers with the page or, if asked to, with its data.
func (h *handler) serveReport(w http.ResponseWriter, r *http.Request) {
	switch format := r.URL.Query().Get("format"); format {
	case "":
		servePage(w)
	case "json":
		w.Header().Set("Content-Type", "application/json")
		w.Write(h.json())
	default:
		http.Error(w, "basin: unknown format; there is json, and without one the page", http.StatusBadRequest)
	}
}

// json returns the report at the moment. Who reads slowly keeps a copy, not the lock.
func (h *handler) json() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.read()
	h.report.CanTrim = h.allowTrim
	text, err := json.Marshal(&h.report)
	if err != nil {
		panic(err) // a Report has nothing that cannot be marshalled
	}
	return append(text, '\n')
}
