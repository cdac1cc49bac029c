package a

import (
	"bytes"
	"testing"
)

func putReset(b *bytes.Buffer) {
	b.Reset()
	pool.Put(b)
}

// A test may look at what is left, and no more.
func TestPutReset(t *testing.T) {
	b := pool.Get().(*bytes.Buffer)
	putReset(b)
	if b.Len() != 0 || b.String() != "" {
		t.Fatal("not reset")
	}
	b.WriteString("x") // want "use after Put: putReset"
}

// The package does not define Put, so it does not test it.
func TestPut(t *testing.T) {
	b := pool.Get().(*bytes.Buffer)
	pool.Put(b)
	if b.Len() != 0 { // want "use after Put: pool.Put"
		t.Fatal("not reset")
	}
}
