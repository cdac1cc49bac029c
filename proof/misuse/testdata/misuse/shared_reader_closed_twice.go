//go:build go1.25

package misuse

import (
	"io"

	"github.com/basin-go/basin"
)

// A request's body is closed by its handler, and once more by the server, while another request reads
// the same bytes.
func sharedReaderBug() {
	s := basin.NewShared(basin.Clone([]byte("a cached answer")))
	one, other := s.NewReader(), s.NewReader()
	s.Release()
	io.Copy(io.Discard, one)
	one.Close()
	one.Close() // want: use after release
	io.Copy(io.Discard, other)
	other.Close()
}

func sharedReaderFixed() {
	s := basin.NewShared(basin.Clone([]byte("a cached answer")))
	one, other := s.NewReader(), s.NewReader()
	s.Release()
	io.Copy(io.Discard, one)
	one.Close()
	io.Copy(io.Discard, other)
	other.Close()
}

func init() { add("shared_reader_closed_twice", sharedReaderBug, sharedReaderFixed) }
