package basin

import (
	"bufio"
	"errors"
	"io"
)

// bufioSize is the size of buffer that package bufio chooses.
const bufioSize = 4096

var (
	bufioReaders = newRecycler[bufio.Reader](bufioSize + 128)
	bufioWriters = newRecycler[bufio.Writer](bufioSize + 128)
)

// GetReader returns a [bufio.Reader] that reads from r, with a buffer of 4096 bytes
// as [bufio.NewReader] makes it. Give it back with [PutReader].
func GetReader(r io.Reader) *bufio.Reader {
	b := bufioReaders.Get(0)
	if b == nil {
		return bufio.NewReaderSize(r, bufioSize)
	}
	b.Reset(r)
	return b
}

// PutReader gives b back, with what it has read ahead. The caller must not use it
// any more; until somebody else has it, doing so is an error. A reader with a
// buffer of another size is not kept, and PutReader does nothing if b is nil.
func PutReader(b *bufio.Reader) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	b.Reset(afterPut{})
	bufioReaders.Put(0, b)
}

// GetWriter returns a [bufio.Writer] that writes to w, with a buffer of 4096 bytes
// as [bufio.NewWriter] makes it. Give it back with [PutWriter].
func GetWriter(w io.Writer) *bufio.Writer {
	b := bufioWriters.Get(0)
	if b == nil {
		return bufio.NewWriterSize(w, bufioSize)
	}
	b.Reset(w)
	return b
}

// PutWriter gives b back. It does not flush: what b still buffers is lost. The
// caller must not use b any more; until somebody else has it, flushing it is an
// error. A writer with a buffer of another size is not kept, and PutWriter does
// nothing if b is nil.
func PutWriter(b *bufio.Writer) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	b.Reset(afterPut{})
	bufioWriters.Put(0, b)
}

// afterPut is what a bufio.Reader or Writer that nobody should use is about.
type afterPut struct{}

var errAfterPut = errors.New("basin: bufio.Reader or Writer used after it was put")

func (afterPut) Read([]byte) (int, error)  { return 0, errAfterPut }
func (afterPut) Write([]byte) (int, error) { return 0, errAfterPut }
