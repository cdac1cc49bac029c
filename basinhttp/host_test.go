//go:build go1.25

package basinhttp_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/basin-go/basin/basinhttp"
)

// TestHosts is about a foreign site that has its name point at this machine, so that a
// browser takes the program's page for one of that site.
func TestHosts(t *testing.T) {
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 6060} }
	loopback := map[string]bool{
		"localhost":                true,
		"localhost:6060":           true,
		"LocalHost.:6060":          true,
		"app.localhost":            true,
		"[::1]:6060":               true,
		"[::1]":                    true,
		"127.0.0.1":                true,
		"127.1.2.3:80":             true,
		"[::ffff:127.0.0.1]:80":    true,
		"10.0.0.1:80":              false,
		"0.0.0.0:6060":             false,
		"[::]:6060":                false,
		"evil.example":             false,
		"evil.example:6060":        false,
		"localhost.evil.example":   false,
		"evillocalhost":            false,
		"127.0.0.1.evil.example":   false,
		"localhost:6060.evil":      false,
		"localhost@evil.example":   false,
		"[::1].evil.example":       false,
		".localhost":               false,
		"":                         false,
		"\x00localhost":            false,
		"devbox.internal":          false,
		strings.Repeat("x", 10000): false,
	}
	everyHost := map[string]bool{}
	named := map[string]bool{"devbox.internal": true, "DevBox.internal.:6060": true, "x.devbox.internal": false, "internal": false,
		"192.0.2.7:80": true, "[2001:db8::7]": true, "[2001:DB8:0::7]:6060": true, "[2001:db8::8]": false}
	for host, ok := range loopback {
		everyHost[host] = true
		named[host] = ok || named[host]
	}
	allow := basinhttp.AllowHosts("devbox.internal", "Proxy.example.", "192.0.2.7", "2001:db8:0:0::7")
	for _, at := range []struct {
		name    string
		local   net.Addr
		options []basinhttp.Option
		hosts   map[string]bool
	}{
		{"IPv4 loopback", tcp("127.0.0.1"), nil, loopback},
		{"IPv6 loopback", tcp("::1"), nil, loopback},
		{"mapped loopback", tcp("::ffff:127.0.0.2"), nil, loopback},
		{"QUIC on loopback", &net.UDPAddr{IP: net.ParseIP("127.0.0.1")}, nil, loopback},
		{"another address", tcp("192.0.2.1"), nil, everyHost},
		{"IPv6 with a zone", &net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}, nil, everyHost},
		{"unix socket", &net.UnixAddr{Name: "/run/socket", Net: "unix"}, nil, everyHost},
		{"unknown address", nil, nil, everyHost},
		{"loopback, names allowed", tcp("127.0.0.1"), []basinhttp.Option{allow}, named},
		{"another address, names allowed", tcp("192.0.2.1"), []basinhttp.Option{allow}, named},
		{"unknown address, names allowed", nil, []basinhttp.Option{allow}, named},
		{"loopback, no name allowed", tcp("127.0.0.1"), []basinhttp.Option{basinhttp.AllowHosts()}, loopback},
	} {
		t.Run(at.name, func(t *testing.T) {
			h := basinhttp.Handler(append(at.options, basinhttp.AllowTrim())...)
			for host, ok := range at.hosts {
				for _, request := range []string{"GET /", "HEAD /", "GET /?format=json", "POST /?trim=all", "DELETE /"} {
					method, target, _ := strings.Cut(request, " ")
					r := httptest.NewRequest(method, target, nil)
					r.Host = host
					if at.local != nil {
						r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at.local))
					}
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if refused := w.Code == http.StatusForbidden; refused == ok {
						t.Errorf("%s of %.50q: status %d", request, host, w.Code)
					}
					if !ok && (strings.Contains(w.Body.String(), "title") || strings.Contains(w.Body.String(), "evil") || w.Header().Get("Content-Type") != "text/plain; charset=utf-8") {
						t.Errorf("%s of %.50q: it says %.100s", request, host, w.Body)
					}
				}
			}
		})
	}
}

// TestRebinding has a real server asked under another name than its own.
func TestRebinding(t *testing.T) {
	s := httptest.NewServer(basinhttp.Handler(basinhttp.AllowTrim()))
	defer s.Close()
	for _, method := range []string{"GET", "POST"} {
		for host, want := range map[string]bool{"": true, "localhost:6060": true, "evil.example:6060": false} {
			r, err := http.NewRequest(method, s.URL+"/?format=json&trim=all", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			if host != "" {
				r.Header.Set("Origin", "http://"+host)
			}
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.StatusCode < 300; got != want || !got && resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s of %q: status %d", method, host, resp.StatusCode)
			}
		}
	}
}
