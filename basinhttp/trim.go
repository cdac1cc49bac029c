package basinhttp

import (
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/basin-go/basin"
)

// serveTrim does what a POST asks for.
func (h *handler) serveTrim(w http.ResponseWriter, r *http.Request) {
	switch {
	case !h.allowTrim:
		http.Error(w, "basin: this program does not allow to trim its pools", http.StatusForbidden)
		return
	case new(http.CrossOriginProtection).Check(r) != nil || rebound(r):
		http.Error(w, "basin: pools are not trimmed on behalf of another site", http.StatusForbidden)
		return
	}
	which := r.URL.Query().Get("trim")
	if which == "all" {
		for _, s := range basin.AppendSnapshots(nil) {
			basin.TrimByID(s.ID)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	id, err := strconv.ParseUint(which, 10, 64)
	switch {
	case err != nil:
		http.Error(w, "basin: trim must be the ID of a pool, or all", http.StatusBadRequest)
	case !basin.TrimByID(id):
		http.Error(w, "basin: there is no such pool, or no more", http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// rebound reports whether r may come from a foreign page whose site has pointed its name at
// this machine ("DNS rebinding"): to its browser that is the page's own site.
// Only loopback addresses, where programs are debugged, have names that are known.
func rebound(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && net.ParseIP(host) == nil
}
