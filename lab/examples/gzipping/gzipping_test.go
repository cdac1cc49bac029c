package gzipping_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/lab/examples/gzipping"
)

func TestRoundTrip(t *testing.T) {
	basintest.Check(t)
	text := strings.Repeat("basin ", 10_000)
	for range 3 { // with new state, then with recycled state
		var compressed bytes.Buffer
		if err := gzipping.Compress(&compressed, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if compressed.Len() > len(text)/10 {
			t.Errorf("%d bytes became %d", len(text), compressed.Len())
		}
		data, err := gzipping.Decompress(&compressed, len(text))
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != text {
			t.Errorf("got %d bytes that are not the text", len(data))
		}
		basin.Put(data)
	}
}

type refuses struct{}

func (refuses) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestErrors(t *testing.T) {
	var whole bytes.Buffer
	if err := gzipping.Compress(&whole, strings.NewReader(strings.Repeat("a", 1000))); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		do   func() error
		want error
	}{
		{"writer refuses", func() error { return gzipping.Compress(refuses{}, strings.NewReader("text")) }, io.ErrClosedPipe},
		{"reader fails", func() error { return gzipping.Compress(io.Discard, iotest.ErrReader(broken)) }, broken},
		{"one byte too many", func() error { _, err := gzipping.Decompress(bytes.NewReader(whole.Bytes()), 999); return err }, gzipping.ErrTooLarge},
		{"cut off", func() error { _, err := gzipping.Decompress(bytes.NewReader(whole.Bytes()[:15]), 1000); return err }, io.ErrUnexpectedEOF},
		{"empty", func() error { _, err := gzipping.Decompress(strings.NewReader(""), 1000); return err }, io.EOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			basintest.Check(t)
			if err := tt.do(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
