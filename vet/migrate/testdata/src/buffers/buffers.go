package buffers

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// What buffers are encoded in.
var encoded = sync.Pool{ // want `encoded becomes a basin.Pool\[\*bytes.Buffer\]`
	New: func() interface{} {
		// Most are small.
		return bytes.NewBuffer(make([]byte, 0, first))
	},
}

const first = 512

func encode(w io.Writer, v any) error {
	b := encoded.Get().(*bytes.Buffer)
	b.Reset()
	defer encoded.Put(b)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

var one = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `one becomes`

func getBuf() *bytes.Buffer { return one.Get().(*bytes.Buffer) }

func putBuf(b *bytes.Buffer) {
	if b.Cap() > 64<<10 {
		return
	}
	b.Reset()
	one.Put(b)
}

// nested calls, and a closure that puts.
func nested(in []byte) (out bytes.Buffer, err error) {
	b := getBuf()
	defer func() { putBuf(b) }()
	err = json.Indent(b, in, "", "\t")
	(one).Put((one.Get().(*bytes.Buffer)))
	out.Write(b.Bytes())
	return
}

var pointer = &sync.Pool{New: func() any { // want `pointer becomes`
	b := &bytes.Buffer{}
	b.Grow(1 << 10)
	return b
}}

var typed *sync.Pool = &sync.Pool{New: func() any { return bytes.NewBuffer(nil) }} // want `typed becomes`

type server struct {
	name string
	pool sync.Pool  // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
	more *sync.Pool // want `more stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

var only = &server{
	name: "s",
	pool: sync.Pool{New: func() any { return new(bytes.Buffer) }},
}

func init() {
	only.more = &sync.Pool{New: func() any { return bytes.NewBufferString("") }}
}

func (s *server) serve(w io.Writer) {
	b := s.pool.Get().(*bytes.Buffer)
	b.Reset()
	c := s.more.Get().(*bytes.Buffer)
	c.Reset()
	io.Copy(b, c)
	b.WriteTo(w)
	s.pool.Put(b)
	defer s.more.Put(c)
	d := pointer.Get().(*bytes.Buffer)
	d.Reset()
	pointer.Put(d)
	e := typed.Get().(*bytes.Buffer)
	e.Reset()
	use(e.Bytes)
	typed.Put(e)
}

func use(func() []byte)
