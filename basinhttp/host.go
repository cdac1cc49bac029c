//go:build go1.25

package basinhttp

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// AllowHosts names the hosts that the program is known by. A host is a name or an IP
// address, without a port. The handler answers requests for these, for localhost, for
// names that end in .localhost and for loopback addresses, and refuses all others
// with 403.
//
// This keeps foreign sites out. A site can point its own name at an address that only
// its visitors can reach ("DNS rebinding"). A visitor's browser then takes the page
// for a page of that site, but the Host header has the site's name.
//
// Without AllowHosts, requests that come in at a loopback address are refused in the
// same way. A proxy on the same machine that passes on the Host header therefore
// needs AllowHosts. Requests that come in at another address are answered for every
// host, because the handler cannot know by which names others reach the machine. The same
// goes for requests without an [http.LocalAddrContextKey].
func AllowHosts(hosts ...string) Option {
	return func(h *handler) {
		if h.hosts == nil {
			h.hosts = map[string]bool{}
		}
		for _, host := range hosts {
			h.hosts[canonical(host)] = true
		}
	}
}

// allowsHost reports whether r is for a host that the handler answers.
func (h *handler) allowsHost(r *http.Request) bool {
	if h.hosts == nil && !atLoopback(r) {
		return true
	}
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = name
	}
	host = canonical(host)
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsLoopback() {
		return true
	}
	name, ofLocalhost := strings.CutSuffix(host, ".localhost")
	return host == "localhost" || ofLocalhost && name != "" || h.hosts[host]
}

// canonical returns the same string for all spellings of a host.
func canonical(host string) string {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host, _ = strings.CutSuffix(inner, "]")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// atLoopback reports whether r came in at a loopback address.
func atLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	addr, err := netip.ParseAddrPort(local.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}
