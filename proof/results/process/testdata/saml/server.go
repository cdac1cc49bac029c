//go:build go1.25

package main

import (
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/crewjam/saml"
)

// The server sends users to the login page of an identity provider.
func serve(l net.Listener) error {
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

func connect(addr string) (func() (int, error), error) {
	return overHTTP(addr, get("/account"))
}
