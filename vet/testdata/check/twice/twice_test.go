package twice

import "testing"

var garbage []byte

func TestCloseTwice(t *testing.T) {
	r := newReader()
	r.close()
	r.close()
	for range 200 { // some collections
		garbage = make([]byte, 1<<20)
	}
	a, b := newReader(), newReader()
	(*a.buf)[0], (*b.buf)[0] = 'a', 'b'
	if (*a.buf)[0] != 'a' {
		t.Error("two readers have one slice")
	}
}

func TestInParts(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			r := newReader()
			r.close()
			r.close()
		})
	}
}

func TestOther(t *testing.T) { newReader().close() }
