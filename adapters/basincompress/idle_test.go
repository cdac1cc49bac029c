package basincompress

import (
	"io"
	"testing"
	"time"

	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestIdleFollowsUse: a few handlers that wait while they write a response need few writers.
func TestIdleFollowsUse(t *testing.T) {
	var w Writers
	openGzip, openZstd := w.Gzip().New, w.Zstd().New
	respond := func(z writer.ZstdWriter) {
		time.Sleep(500 * time.Microsecond) // to wake up on another P
		if _, err := io.WriteString(z, "a text\n"); err != nil {
			t.Error(err)
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
	pooltest.IdleFollowsUse(t, func() {
		respond(openGzip(io.Discard, gzip.BestSpeed))
		respond(openZstd(io.Discard, int(zstd.SpeedFastest)))
	}, func() []basin.Stats {
		return []basin.Stats{w.gzip[gzip.BestSpeed-gzip.StatelessCompression].Stats(), w.zstd[0].Stats()}
	})
}
