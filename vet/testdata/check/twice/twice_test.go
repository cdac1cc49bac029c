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

func TestOther(t *testing.T) { newReader().close() }
