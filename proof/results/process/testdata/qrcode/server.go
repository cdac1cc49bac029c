//go:build go1.25

package main

import (
	"net"
	"net/http"

	qrcode "github.com/skip2/go-qrcode"
)

// The server makes QR codes of addresses.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		png, err := qrcode.Encode(r.URL.Query().Get("text"), qrcode.Medium, 256)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Write(png)
	}))
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/?text=https%3A%2F%2Fexample.org%2Ftickets%2F12345"), get("/?text=https%3A%2F%2Fexample.org%2F"))
}
