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

// The server makes thumbnails of photos in three sizes.
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
	var requests []string
	for _, width := range []int{400, 800, 1200} {
		img := image.NewRGBA(image.Rect(0, 0, width, width*3/4))
		for y := range width * 3 / 4 {
			for x := range width {
				img.SetRGBA(x, y, color.RGBA{uint8(x / 4), uint8(y / 3), uint8(x * y / 2000), 255})
			}
		}
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, nil); err != nil {
			return nil, err
		}
		requests = append(requests, post("/", file.Bytes()))
	}
	return overHTTP(addr, requests...)
}
