// Package corpus makes images for itself.
package corpus

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"sync"
)

// Grown counts the bright pixels of an image with a margin.
func Grown(src *image.Gray, margin int) (n int) {
	b := src.Bounds()
	img := image.NewGray(b.Inset(-margin)) // want pool it by image.NewGray; patch; 4096
	draw.Draw(img, b, src, b.Min, draw.Src)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for _, v := range img.Pix[(y-img.Rect.Min.Y)*img.Stride : (y-img.Rect.Min.Y+1)*img.Stride] {
			if v > 100 {
				n++
			}
		}
	}
	return n
}

// Encoded writes a copy of an image.
func Encoded(w io.Writer, src image.Image) error {
	var img = image.NewNRGBA(src.Bounds()) // want pool it by image.NewNRGBA; patch; 4096
	draw.Draw(img, img.Bounds(), src, src.Bounds().Min, draw.Src)
	return png.Encode(w, img)
}

// At reads pixels through an interface of the program's function.
func At(src image.Image) uint32 {
	img := image.NewRGBA64(src.Bounds()) // want pool it by image.NewRGBA64; patch; 4096
	draw.Draw(img, img.Bounds(), src, src.Bounds().Min, draw.Src)
	return red(img)
}

func red(img image.Image) (sum uint32) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, _, _, _ := img.At(x, y).RGBA()
			sum += r
		}
	}
	return sum
}

// rows calls a function for all rows, some at a time.
func rows(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	for from := 0; from < n; from += 2 {
		wg.Add(1)
		go func(from, to int) {
			defer wg.Done()
			f(from, to)
		}(from, min(from+2, n))
	}
	wg.Wait()
}

// inverse returns an image that rows fills.
func inverse(src *image.RGBA) *image.RGBA {
	dst := image.NewRGBA(src.Rect) // want pool it by image.NewRGBA; patch; 4096
	rows(src.Rect.Dy(), func(from, to int) {
		for i := from * src.Stride; i < to*src.Stride; i++ {
			dst.Pix[i] = 255 - src.Pix[i]
		}
	})
	return dst
}

// Inverse drops the image of its helper.
func Inverse(src *image.RGBA) (sum int) {
	if src == nil {
		return 0
	}
	dst := inverse(src)
	for _, v := range dst.Pix {
		sum += int(v)
	}
	return sum
}

// canvas returns an interface that has its image, which has no variable.
func canvas(r image.Rectangle) draw.Image {
	return image.NewGray16(r) // want pool it by image.NewGray16; no patch; 4096
}

func canvas2(r image.Rectangle) draw.Image {
	m := image.NewGray16(r) // want pool it by image.NewGray16; patch; 4096
	return m
}

// Painted drops the images of its helpers.
func Painted(r image.Rectangle) uint32 {
	a := canvas(r)
	a.Set(0, 0, color.White)
	b := canvas2(r)
	b.Set(0, 0, color.White)
	return red(a) + red(b)
}

// maybe returns nil for an empty rectangle.
func maybe(r image.Rectangle) *image.Alpha {
	if r.Empty() {
		return nil
	}
	m := image.NewAlpha(r) // want needs an owner by image.NewAlpha; no patch; 4096
	m.Pix[0] = 1
	return m
}

// Maybe may get no image.
func Maybe(r image.Rectangle) int {
	if m := maybe(r); m != nil {
		return int(m.Pix[0])
	}
	return 0
}

// Returned gives its image to its callers.
func Returned(r image.Rectangle) *image.RGBA {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	m.Pix[0] = 1
	return m
}

// Part returns a part of its image, which has the same pixels.
func Part(r image.Rectangle) image.Image {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	return m.SubImage(r.Inset(1))
}

// Pixels returns the pixels alone.
func Pixels(r image.Rectangle) []byte {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	return m.Pix
}

var last image.RGBA

// Copied has a copy of the image, which has the same pixels.
func Copied(r image.Rectangle) {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	last = *m
}

// Capacity asks for the capacity of the pixels.
func Capacity(r image.Rectangle) int {
	m := image.NewRGBA(r) // want pool it by image.NewRGBA; no patch; 4096
	return cap(m.Pix)
}

// Appended has the pixels grow.
func Appended(r image.Rectangle) int {
	m := image.NewRGBA(r) // want pool it by image.NewRGBA; no patch; 4096
	a, b := append(m.Pix, 1), append(m.Pix, 2)
	return int(a[len(a)-1]) + int(b[len(b)-1])
}

// Looped makes an image in each round.
func Looped(r image.Rectangle) (sum int) {
	for range 3 {
		m := image.NewRGBA(r) // want pool it by image.NewRGBA; no patch; 4096
		m.Pix[0]++
		sum += int(m.Pix[0])
	}
	return sum
}

// Typed has its image in a variable of an interface type.
func Typed(r image.Rectangle) uint32 {
	var m image.Image = image.NewRGBA(r) // want pool it by image.NewRGBA; no patch; 4096
	return red(m)
}

// A gallery keeps images.
type gallery struct{ all []image.Image }

func (g *gallery) add(m image.Image) { g.all = append(g.all, m) }

// Gallery keeps its image.
func (g *gallery) Gallery(r image.Rectangle) {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	g.add(m)
}

// A tinted image has another.
type tinted struct{ image.Image }

// Wrapped keeps its image within another.
func Wrapped(r image.Rectangle) image.Image {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	return tinted{m}
}

// Exchanged gives its pixels to another image, and takes that one's.
func Exchanged(r image.Rectangle, other *image.RGBA) {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	m.Pix, other.Pix = other.Pix, m.Pix
}

// An odd image keeps its pixels when it is asked whether it is opaque.
type odd struct{ *image.RGBA }

var oddest []byte

func (o odd) Opaque() bool {
	oddest = o.Pix
	return false
}

// Odd encodes such an image.
func Odd(w io.Writer, r image.Rectangle) error {
	m := image.NewRGBA(r) // want needs an owner by image.NewRGBA; no patch; 4096
	return png.Encode(w, odd{m})
}
