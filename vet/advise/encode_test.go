package advise

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An encoder writes profiles as runtime/pprof does.
type encoder struct {
	w       io.Writer
	strings map[string]uint64
}

func newEncoder(w io.Writer, types ...string) *encoder {
	e := &encoder{w, map[string]uint64{}}
	e.text("")
	for _, t := range types {
		e.field(1, message(1, e.text(t), 2, e.text("count")))
	}
	return e
}

func (e *encoder) field(n int, data []byte) {
	e.w.Write(nested(n, data))
}

func (e *encoder) number(n int, v uint64) { e.w.Write(message(uint64(n), v)) }

func (e *encoder) text(s string) uint64 {
	i, ok := e.strings[s]
	if !ok {
		i = uint64(len(e.strings))
		e.strings[s] = i
		e.field(6, []byte(s))
	}
	return i
}

// message has pairs of a field's number and a value.
func message(pairs ...uint64) (data []byte) {
	for i := 0; i < len(pairs); i += 2 {
		data = binary.AppendUvarint(binary.AppendUvarint(data, pairs[i]<<3), pairs[i+1])
	}
	return data
}

func nested(n int, data []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)<<3|2), uint64(len(data))), data...)
}

// frame adds a location of one call and returns its ID.
func (e *encoder) frame(id uint64, name, file string, start, line uint64) uint64 {
	e.field(5, message(1, id, 2, e.text(name), 4, e.text(file), 5, start))
	e.field(4, append(message(1, id), nested(4, message(1, id, 2, line))...))
	return id
}

// sample may have the size of each object, which is the value of a label.
func (e *encoder) sample(locations, values []uint64, size ...uint64) {
	var data, packed []byte
	for _, l := range locations {
		packed = binary.AppendUvarint(packed, l)
	}
	data = nested(1, packed)
	packed = nil
	for _, v := range values {
		packed = binary.AppendUvarint(packed, v)
	}
	data = append(data, nested(2, packed)...)
	for _, n := range size {
		data = append(data, nested(3, message(1, e.text("bytes"), 3, n))...)
	}
	e.field(2, data)
}

var heapTypes = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}

// A synthetic site of a profile.
type synthetic struct {
	std, name, file            string
	start, line                uint64
	objects, bytes, live, held uint64
}

const rate = 512 << 10

// heapProfile writes a profile, taken so many seconds after 1970.
func heapProfile(t testing.TB, at uint64, program string, sites ...synthetic) string {
	t.Helper()
	return heapProfileAt(t, at, program, rate, sites...)
}

// heapProfileAt has a value of runtime.MemProfileRate too.
func heapProfileAt(t testing.TB, at uint64, program string, rate uint64, sites ...synthetic) string {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	e := newEncoder(z, heapTypes...)
	e.field(3, message(1, 1, 5, e.text(program)))
	for i, s := range sites {
		id := uint64(4*i + 1)
		name, caller, _ := strings.Cut(s.name, " by ")
		stack := []uint64{e.frame(id, name, s.file, s.start, s.line)}
		if s.std != "" {
			for std := range strings.SplitSeq(s.std, ", ") { // from the outermost
				id++
				stack = append([]uint64{e.frame(id, std, "/go/src/"+packageOf(std)+"/x.go", 1, 2)}, stack...)
			}
		}
		if caller != "" {
			id++
			stack = append(stack, e.frame(id, caller, s.file, 1, 1))
		}
		e.sample(stack, []uint64{s.objects, s.bytes, s.live, s.held})
	}
	e.number(9, at*1e9)
	e.number(12, rate)
	z.Close()
	return write(t, buf.Bytes())
}

func write(t testing.TB, data []byte) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "*.pprof")
	if err != nil {
		t.Fatal(err)
	}
	f.Write(data)
	f.Close()
	return filepath.Clean(f.Name())
}
