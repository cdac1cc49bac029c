package basin

import (
	"bufio"
	"errors"
	"io"

	"github.com/basin-go/basin/internal/engine"
)

// bufioSize is the size of buffer that package bufio chooses.
const bufioSize = 4096

var (
	bufioReaders = newBufioRecycler[bufio.Reader]()
	bufioWriters = newBufioRecycler[bufio.Writer]()
)

// newBufioRecycler returns a recycler of readers or writers of package bufio with
// buffers of bufioSize.
func newBufioRecycler[T any]() *engine.Recycler[T] {
	r := new(engine.Recycler[T])
	r.Init(engine.Config[*T]{
		Classes:  func() []engine.Class { return []engine.Class{engine.ClassOf(bufioSize + 128)} },
		MaxIdle:  4 << 20,
		IdleTime: DefaultIdleTime,
	})
	onZeroing(r.Trim)
	return r
}

// GetReader returns a [bufio.Reader] that reads from r, with a buffer of 4096 bytes
// as [bufio.NewReader] makes it. It is never r itself. Give it back with [PutReader].
func GetReader(r io.Reader) *bufio.Reader {
	b := bufioReaders.Get(0)
	if b == nil {
		b = bufio.NewReaderSize(nil, bufioSize) // of an r that is a bufio.Reader it would return that itself
	}
	b.Reset(r)
	return b
}

// PutReader gives b back, with what it has read ahead. The caller must not use b any
// more; until somebody else has it, reading from it returns an error. A reader with a
// buffer of another size is not kept. If b is nil, PutReader does nothing.
func PutReader(b *bufio.Reader) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	if zeroing.Load() {
		b.Reset(clearing{})
		b.Peek(1)
	}
	b.Reset(afterPut{})
	bufioReaders.Put(0, b)
}

// GetWriter returns a [bufio.Writer] that writes to w, with a buffer of 4096 bytes
// as [bufio.NewWriter] makes it. It is never w itself. Give it back with [PutWriter].
func GetWriter(w io.Writer) *bufio.Writer {
	b := bufioWriters.Get(0)
	if b == nil {
		b = bufio.NewWriterSize(nil, bufioSize) // as in GetReader
	}
	b.Reset(w)
	return b
}

// PutWriter gives b back. It does not flush: what b still buffers is lost. The caller
// must not use b any more; until somebody else has it, flushing it returns an error.
// A writer with a buffer of another size is not kept. If b is nil, PutWriter does
// nothing.
func PutWriter(b *bufio.Writer) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	b.Reset(afterPut{})
	if zeroing.Load() {
		clear(b.AvailableBuffer()[:bufioSize])
	}
	bufioWriters.Put(0, b)
}

// afterPut is what a bufio.Reader or Writer reads from or writes to after it was put.
type afterPut struct{}

var errAfterPut = errors.New("basin: bufio.Reader or Writer used after it was put")

func (afterPut) Read([]byte) (int, error)  { return 0, errAfterPut }
func (afterPut) Write([]byte) (int, error) { return 0, errAfterPut }

// clearing is a reader that clears the buffer of a bufio.Reader, which asks for all
// of its buffer at once.
type clearing struct{}

func (clearing) Read(b []byte) (int, error) {
	clear(b)
	return 1, nil
}
