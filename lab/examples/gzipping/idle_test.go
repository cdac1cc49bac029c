package gzipping

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestIdleFollowsUse: a few goroutines that wait for their input need few writers and readers.
func TestIdleFollowsUse(t *testing.T) {
	const text = "a text\n"
	var compressed bytes.Buffer
	if err := Compress(&compressed, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	pooltest.IdleFollowsUse(t, func() {
		if err := Compress(io.Discard, &slowReader{r: strings.NewReader(text)}); err != nil {
			t.Error(err)
		}
		data, err := Decompress(&slowReader{r: bytes.NewReader(compressed.Bytes())}, len(text))
		if err != nil || string(data) != text {
			t.Errorf("%q, error %v", data, err)
		}
		basin.Put(data)
	}, func() []basin.Stats { return []basin.Stats{writers.Stats(), readers.Stats()} })
}

// A slowReader sleeps before the first Read, so that its goroutine may wake up on another P.
type slowReader struct {
	r     io.Reader
	slept bool
}

func (s *slowReader) Read(b []byte) (int, error) {
	if !s.slept {
		s.slept = true
		time.Sleep(500 * time.Microsecond)
	}
	return s.r.Read(b)
}
