//go:build go1.25

// Package basinhttp shows all pools of a running program on a web page, as
// net/http/pprof shows profiles.
//
//	http.Handle("/debug/basin/", basinhttp.Handler())
//
// mounts the page, at any path; [Register] mounts it on the default mux. Importing
// the package does nothing. Unless [KeepHistory] is given, nothing runs while nobody
// looks: the page asks for a [Report] once a second, as long as it is visible.
//
// The page is one response without further requests for scripts or styles. It shows all data as
// text, under a Content-Security-Policy that allows no script but its own. Everybody who can reach
// the page sees the names and figures of the pools, and in checked mode the program's functions
// that use them. Keep its address from the public, as with net/http/pprof.
//
// # For scripts
//
//	GET  ?format=json      a Report
//	GET  ?format=history   a History; 404 without KeepHistory
//	POST ?trim=ID          releases the idle memory of the pool with that ID; 204, or 404 if it is gone
//	POST ?trim=all         the same for all pools
//
// The answer is 403 to:
//
//   - a request for a host name that is not the program's: see [AllowHosts];
//   - trimming without [AllowTrim], or from a page of another site.
//
// While slow readers hold 32 MiB of reports, or a single larger one, the answer is 503 with a
// Retry-After. Clients that wait for a Report at the same time share it.
package basinhttp

import (
	"net/http"
	"time"
)

// Path is where [Register] mounts the page.
const Path = "/debug/basin/"

// An Option changes the behaviour of a [Handler].
type Option func(*handler)

// AllowTrim permits requests that release the idle memory of pools. Everybody who can reach
// the handler can make them. Each costs the program misses, and briefly stops the world.
func AllowTrim() Option { return func(h *handler) { h.allowTrim = true } }

// Handler returns a handler that answers with the page, or with its data. It works at
// any path, and may be called from many goroutines at once.
func Handler(options ...Option) http.Handler {
	h := new(handler)
	for _, o := range options {
		o(h)
	}
	var report Report
	h.reports.read = func() any {
		report.read()
		report.CanTrim, report.HasHistory = h.allowTrim, h.history != nil
		return &report
	}
	if h.history != nil {
		h.histories.read = h.history.read
	}
	return h
}

// Register mounts a [Handler] on [http.DefaultServeMux], at [Path]. It panics if
// something else is mounted there.
func Register(options ...Option) { http.Handle(Path, Handler(options...)) }

type handler struct {
	allowTrim bool
	hosts     map[string]bool // of AllowHosts, or nil
	reports   sender

	history   *history // of KeepHistory, or nil
	histories sender
}

// writeTimeout is the longest that a client may take to read a response. The response stays in memory
// for that time.
const writeTimeout = 30 * time.Second

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // if w can
	if !h.allowsHost(r) {
		http.Error(w, "basin: the host name of this address is not allowed; see basinhttp.AllowHosts", http.StatusForbidden)
		return
	}
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
		serveData(w, &h.reports)
	case "history":
		if h.history == nil {
			http.Error(w, "basin: this program keeps no history; see basinhttp.KeepHistory", http.StatusNotFound)
			return
		}
		serveData(w, &h.histories)
	default:
		http.Error(w, "basin: unknown format: use json or history, or none for the page", http.StatusBadRequest)
	}
}

// serveData answers with a current report of s. No lock is held while the client reads.
func serveData(w http.ResponseWriter, s *sender) {
	e := s.take()
	if e == nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "basin: too many clients are still reading their reports", http.StatusServiceUnavailable)
		return
	}
	defer s.done(e)
	w.Header().Set("Content-Type", "application/json")
	w.Write(e.text)
}
