//go:build go1.25

package basin_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

func TestBufioIsRecycled(t *testing.T) {
	pooltest.Reuses(t)
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

	// Put other sizes, nil, and twice.
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

// TestBufioOfBufio gets readers of a bufio.Reader and writers to a bufio.Writer. NewReaderSize and
// NewWriterSize would return their argument, and putting that would take it from its owner.
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

// TestCheckBufio puts readers and writers of basin and of the program twice.
func TestCheckBufio(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	r, w := basin.GetReader(strings.NewReader("x")), basin.GetWriter(io.Discard)
	own := bufio.NewReader(strings.NewReader("x"))
	basin.PutReader(r)
	basin.PutWriter(w)
	basin.PutReader(own)
	if another := basin.GetReader(strings.NewReader("y")); another == r || another == own {
		t.Error("a checked reader is reused")
	}
	basin.GetReader(strings.NewReader("not put"))
	testenv.RunCleanups()
	if got := told.Take(); got != nil {
		t.Fatalf("each put once: reported %v", got)
	}
	for name, again := range map[string]func(){
		"reader":               func() { basin.PutReader(r) },
		"writer":               func() { basin.PutWriter(w) },
		"the program's reader": func() { basin.PutReader(own) },
	} {
		again()
		if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.DoublePut || !pooltest.InCaller(got[0].FirstPut) || !pooltest.InCaller(got[0].Here) {
			t.Errorf("%s put twice: reported %v", name, got)
		}
	}
}
