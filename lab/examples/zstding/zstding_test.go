package zstding

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// fails is a writer whose client goes away.
type fails struct{}

func (fails) Write([]byte) (int, error) { return 0, errors.New("the client has gone") }

// TestNoGoroutines: decoders end their goroutines when the pool lets them go, even if their streams
// were not read to the end.
func TestNoGoroutines(t *testing.T) {
	text := bytes.Repeat([]byte("basin "), 1<<20)
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	compressed := w.EncodeAll(text, nil)
	w.Close()
	before := runtime.NumGoroutine()
	for range 3 {
		var all sync.WaitGroup
		for range 40 { // more than MaxItems
			all.Go(func() {
				if _, err := Decompress(fails{}, bytes.NewReader(compressed)); err == nil {
					t.Error("no error")
				}
				var b bytes.Buffer
				if n, err := Decompress(&b, bytes.NewReader(compressed)); err != nil || int(n) != len(text) || !bytes.Equal(b.Bytes(), text) {
					t.Errorf("%d bytes, %v", n, err)
				}
			})
		}
		all.Wait()
	}
	decoders.Trim()
	s := decoders.Stats()
	if s.Items.Idle != 0 || s.Items.InUse != 0 || s.Gets != 240 {
		t.Errorf("%v", s)
	}
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}
