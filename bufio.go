//go:build go1.25

package basin

import (
	"bufio"
	"errors"
	"io"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
)

// bufioSize is the buffer size that package bufio uses by default.
const bufioSize = 4096

var (
	// The reader must be nil: given a bufio.Reader, bufio would return that reader itself.
	bufioReaders = newBufioPool("bufio readers", func() *bufio.Reader { return bufio.NewReaderSize(nil, bufioSize) })
	bufioWriters = newBufioPool("bufio writers", func() *bufio.Writer { return bufio.NewWriterSize(nil, bufioSize) })
)

// A bufioPool keeps readers or writers of package bufio whose buffers have bufioSize bytes.
type bufioPool[T any] struct {
	engine.Recycler[T]
	fresh func() *T
	owner *check.Owner
}

func newBufioPool[T any](name string, fresh func() *T) *bufioPool[T] {
	p := &bufioPool[T]{fresh: fresh, owner: check.NewOwner(name)}
	p.Init(4<<20, engine.Config[*T]{
		Classes:  func() []engine.Class { return []engine.Class{engine.ClassOf(bufioSize + 128)} },
		IdleTime: DefaultIdleTime,
	})
	onZeroing(p.Trim)
	return p
}

func (p *bufioPool[T]) get() *T {
	if t := check.Current.Load(); t != nil && t.Full() && t.Pay() {
		b := p.fresh()
		check.Object(t, p.owner, b, bufioSize, true) // it need not be put back
		return b
	}
	if b := p.Get(0); b != nil {
		return b
	}
	return p.fresh()
}

func (p *bufioPool[T]) put(b *T) {
	if t := check.Current.Load(); t != nil && t.Full() && p.checkedPut(t, b) {
		return
	}
	p.Put(0, b)
}

// checkedPut tells the tracker that b is put, and reports a double Put. It returns false if t has
// no room to record b.
func (p *bufioPool[T]) checkedPut(t *check.Tracker, b *T) bool {
	none := check.Care[T]{Poison: func(*T) {}, Damage: func(*T) int { return -1 }, Held: bufioSize}
	verdict, f := check.Release(t, p.owner, b, none)
	if verdict == check.Unknown { // handed out before checks started, or made by the user
		if !t.Pay() {
			return false
		}
		check.Object(t, p.owner, b, bufioSize, true)
		check.Release(t, p.owner, b, none)
		return true
	}
	if verdict == check.Rejected {
		misuse.Report(f)
	}
	return true
}

// GetReader returns a [bufio.Reader] that reads from r, with a buffer of 4096 bytes
// as [bufio.NewReader] makes it. It is never r itself. Give it back with [PutReader].
func GetReader(r io.Reader) *bufio.Reader {
	b := bufioReaders.get()
	b.Reset(r)
	return b
}

// PutReader gives b back. Data that b has read ahead is lost. The caller must not use b any more;
// until b is handed out again, reading from it returns an error. A reader that is put twice may get
// two users, which full checks report. A reader with a buffer of another size is dropped. If b is
// nil, PutReader does nothing.
func PutReader(b *bufio.Reader) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	if zeroing.Load() {
		b.Reset(clearing{})
		b.Peek(1)
	}
	b.Reset(afterPut{})
	bufioReaders.put(b)
}

// GetWriter returns a [bufio.Writer] that writes to w, with a buffer of 4096 bytes
// as [bufio.NewWriter] makes it. It is never w itself. Give it back with [PutWriter].
func GetWriter(w io.Writer) *bufio.Writer {
	b := bufioWriters.get()
	b.Reset(w)
	return b
}

// PutWriter gives b back. It does not flush: data that b still buffers is lost. The caller must not
// use b any more; until b is handed out again, flushing it returns an error. A writer that is put
// twice may get two users, which full checks report. A writer with a buffer of another size is
// dropped. If b is nil, PutWriter does nothing.
func PutWriter(b *bufio.Writer) {
	if b == nil || b.Size() != bufioSize {
		return
	}
	b.Reset(afterPut{})
	if zeroing.Load() {
		clear(b.AvailableBuffer()[:bufioSize])
	}
	bufioWriters.put(b)
}

// afterPut is the source or destination of a bufio.Reader or Writer that has been put.
type afterPut struct{}

var errAfterPut = errors.New("basin: bufio.Reader used after PutReader, or bufio.Writer after PutWriter")

func (afterPut) Read([]byte) (int, error)  { return 0, errAfterPut }
func (afterPut) Write([]byte) (int, error) { return 0, errAfterPut }

// clearing is a reader that clears the buffer of a bufio.Reader, which passes its whole buffer to
// Read.
type clearing struct{}

func (clearing) Read(b []byte) (int, error) {
	clear(b)
	return 1, nil
}
