//go:build go1.25

package pool

import (
	"io"

	"github.com/basin-go/basin/basinio"
)

// WriterBufferSize is the size of the buffer of a [Writer].
const WriterBufferSize = 4096

// A Writer is a [bufio.Writer] that has a buffer only between a Write and the next Flush.
type Writer struct {
	W    io.Writer // destination
	bufw *basinio.Writer
	open bool // since the first Write after a Flush
}

func (w *Writer) buffer() *basinio.Writer {
	if w.bufw == nil {
		w.bufw = new(basinio.Writer)
	}
	if !w.open {
		w.bufw.Reset(w.W)
		w.open = true
	}
	return w.bufw
}

// Write writes b to the buffer. If nothing is buffered and b is at least as large as the
// buffer, it writes b directly to W.
func (w *Writer) Write(b []byte) (int, error) {
	if !w.open && len(b) >= WriterBufferSize {
		return w.W.Write(b)
	}
	return w.buffer().Write(b)
}

// WriteByte writes one byte.
func (w *Writer) WriteByte(b byte) error { return w.buffer().WriteByte(b) }

// WriteRune writes one rune, and returns the number of its bytes.
func (w *Writer) WriteRune(r rune) (int, error) { return w.buffer().WriteRune(r) }

// WriteString writes a string.
func (w *Writer) WriteString(s string) (int, error) { return w.buffer().WriteString(s) }

// Size returns the size of the buffer.
func (w *Writer) Size() int { return WriterBufferSize }

// Available returns the number of bytes that fit into the buffer.
func (w *Writer) Available() int { return WriterBufferSize - w.Buffered() }

// Buffered returns how many bytes are in the buffer.
func (w *Writer) Buffered() int {
	if !w.open {
		return 0
	}
	return w.bufw.Buffered()
}

// Flush writes the buffered bytes to W and releases the buffer. After an error the buffer is
// kept, and so is the error.
func (w *Writer) Flush() error {
	if !w.open {
		return nil
	}
	if err := w.bufw.Flush(); err != nil {
		return err
	}
	w.open = false
	return nil
}

// Close flushes, and closes W if that is an [io.Closer], even if flushing fails. It returns the
// first error.
func (w *Writer) Close() error {
	err := w.Flush()
	if c, ok := w.W.(io.Closer); ok {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	return err
}
