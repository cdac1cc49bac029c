//go:build go1.25

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"

	"golang.org/x/image/tiff"
)

// The server turns PNG files into TIFF files.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		img, err := png.Decode(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := tiff.Encode(w, img, nil); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	img := image.NewGray(image.Rect(0, 0, 120, 90))
	for i := range img.Pix {
		img.SetGray(i%120, i/120, color.Gray{Y: uint8(i * i / 1000)})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		return nil, err
	}
	return overHTTP(addr, post("/", file.Bytes()))
}
