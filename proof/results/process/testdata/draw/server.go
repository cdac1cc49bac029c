//go:build go1.25

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"net"
	"net/http"

	"golang.org/x/image/draw"
)

// The server makes thumbnails.
func serve(l net.Listener) error {
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		img, err := jpeg.Decode(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		thumbnail := image.NewRGBA(image.Rect(0, 0, 160, 120))
		draw.CatmullRom.Scale(thumbnail, thumbnail.Bounds(), img, img.Bounds(), draw.Src, nil)
		if err := jpeg.Encode(w, thumbnail, nil); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	img := image.NewRGBA(image.Rect(0, 0, 800, 600))
	for y := range 600 {
		for x := range 800 {
			img.SetRGBA(x, y, color.RGBA{uint8(x / 4), uint8(y / 3), uint8(x * y / 2000), 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, nil); err != nil {
		return nil, err
	}
	return overHTTP(addr, post("/", file.Bytes()))
}
