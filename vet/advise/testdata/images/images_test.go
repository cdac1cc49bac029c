package corpus

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

func picture(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(3, 5, 3+w, 5+h))
	for i := range m.Pix {
		m.Pix[i] = byte(i*7) | 3
	}
	return m
}

// TestSame has each function do the same before and after the patch, also after others have used its memory.
func TestSame(t *testing.T) {
	for range 3 {
		gray := image.NewGray(image.Rect(0, 0, 9, 9))
		for i := range gray.Pix {
			gray.Pix[i] = 200
		}
		if n := Grown(gray, 4); n != 81 {
			t.Error("Grown", n)
		}
		for _, size := range []int{40, 7, 90} {
			src := picture(size, 11)
			for i := 3; i < len(src.Pix); i += 4 {
				src.Pix[i] = 255
			}
			var out bytes.Buffer
			if err := Encoded(&out, src); err != nil {
				t.Error(err)
			}
			m, err := png.Decode(&out)
			if err != nil || m.Bounds().Size() != src.Rect.Size() || m.At(2, 1) != color.Color(src.RGBAAt(5, 6)) {
				t.Error("Encoded", err, m.At(2, 1), src.RGBAAt(5, 6))
			}
			if At(src) != red(src) {
				t.Error("At", At(src), red(src))
			}
			sum := 0
			for _, v := range src.Pix {
				sum += 255 - int(v)
			}
			if n := Inverse(src); n != sum {
				t.Error("Inverse", n, sum)
			}
		}
		if n := Painted(image.Rect(0, 0, 30, 20)); n != 2*0xffff {
			t.Error("Painted", n)
		}
	}
}

// TestEmpty has rectangles without pixels.
func TestEmpty(t *testing.T) {
	if n := Grown(image.NewGray(image.Rectangle{}), 0); n != 0 {
		t.Error(n)
	}
	if n := At(image.NewGray(image.Rectangle{})); n != 0 {
		t.Error(n)
	}
}

// TestPanics has rectangles for which package image panics.
func TestPanics(t *testing.T) {
	for i, f := range []func(){
		func() { Grown(image.NewGray(image.Rect(0, 0, 2, 2)), math.MaxInt/4) },
		func() { At(negative{image.NewGray(image.Rect(0, 0, 2, 2))}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic", i)
				}
			}()
			f()
		}()
	}
}

// A negative image has a rectangle that ends before it begins.
type negative struct{ *image.Gray }

func (negative) Bounds() image.Rectangle { return image.Rectangle{Max: image.Pt(-5, 5)} }
