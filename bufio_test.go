package basin_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

func TestBufioIsRecycled(t *testing.T) {
	in := strings.NewReader("")
	if got := pooltest.Allocs(100, func() {
		in.Reset("line\nrest")
		r := basin.GetReader(in)
		if line, err := r.ReadSlice('\n'); string(line) != "line\n" || err != nil {
			t.Errorf("read %q, %v", line, err)
		}
		basin.PutReader(r)
		w := basin.GetWriter(io.Discard)
		w.WriteString("unflushed")
		basin.PutWriter(w)
	}); got != 0 {
		t.Errorf("a reader and a writer: %v allocations", got)
	}

	r := basin.GetReader(strings.NewReader("x"))
	basin.PutReader(r)
	if _, err := r.ReadByte(); err == nil {
		t.Error("reading after PutReader gave no error")
	}
	w := basin.GetWriter(io.Discard)
	basin.PutWriter(w)
	w.WriteByte('x')
	if w.Flush() == nil {
		t.Error("flushing after PutWriter gave no error")
	}

	// Of other sizes, nil, and twice.
	basin.PutReader(nil)
	basin.PutWriter(nil)
	large := bufio.NewReaderSize(nil, 1<<20)
	basin.PutReader(large)
	basin.PutWriter(bufio.NewWriterSize(nil, 16))
	if r := basin.GetReader(in); r == large || r.Size() != 4096 {
		t.Errorf("GetReader has a buffer of %d", r.Size())
	}
	if w := basin.GetWriter(io.Discard); w.Size() != 4096 {
		t.Errorf("GetWriter has a buffer of %d", w.Size())
	}
	r = basin.GetReader(in)
	basin.PutReader(r)
	basin.PutReader(r)
	if a, b := basin.GetReader(in), basin.GetReader(in); a == b {
		t.Error("two users have the same reader")
	}
}

// TestBufioOfBufio has readers of a bufio.Reader and writers to a bufio.Writer. NewReaderSize and NewWriterSize would
// return these themselves, and whoever put them would take them from their owner.
func TestBufioOfBufio(t *testing.T) {
	in, out := bufio.NewReader(strings.NewReader("abc")), bufio.NewWriter(new(strings.Builder))
	var readers []*bufio.Reader
	var writers []*bufio.Writer
	for range 100 { // more than are idle
		r, w := basin.GetReader(in), basin.GetWriter(out)
		if r == in || w == out {
			t.Fatal("a reader of itself, or a writer to itself")
		}
		readers, writers = append(readers, r), append(writers, w)
	}
	for i := range readers {
		basin.PutReader(readers[i])
		basin.PutWriter(writers[i])
	}
	if c, err := in.ReadByte(); c != 'a' || err != nil {
		t.Errorf("read %q, %v", c, err)
	}
	if _, err := out.WriteString("x"); err != nil || out.Flush() != nil {
		t.Error("writing gave an error")
	}
}
