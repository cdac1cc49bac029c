//go:build go1.25

package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/crewjam/saml"
)

// The server sends users to the login page of an identity provider.
func serve(l net.Listener) error {
	// So that the same request has the same answer.
	saml.TimeNow = func() time.Time { return time.Unix(1e9, 0) }
	saml.RandReader = zeros{}
	here := url.URL{Scheme: "https", Host: "sp.example.org"}
	sp := saml.ServiceProvider{
		EntityID: "https://sp.example.org", MetadataURL: *here.JoinPath("metadata"), AcsURL: *here.JoinPath("acs"),
		IDPMetadata: &saml.EntityDescriptor{IDPSSODescriptors: []saml.IDPSSODescriptor{{
			SingleSignOnServices: []saml.Endpoint{{Binding: saml.HTTPRedirectBinding, Location: "https://idp.example.org/login"}},
		}}},
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := sp.MakeRedirectAuthenticationRequest(r.URL.Path)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusFound)
		io.WriteString(w, "Log in first.")
	}))
}

func connect(addr string) (request, error) {
	return decoded(addr, func(resp *http.Response, w io.Writer) error {
		io.WriteString(w, resp.Header.Get("Location"))
		_, err := io.Copy(w, resp.Body)
		return err
	}, get("/account"), get("/orders/12"))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
