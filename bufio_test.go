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
