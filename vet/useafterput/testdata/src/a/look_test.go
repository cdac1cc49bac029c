package a

import (
	"bytes"
	"sync"
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

type sizes struct{ p sync.Pool }

func (s *sizes) put(b *[]byte) { s.p.Put(b) }

// The test puts the address of its variable, and then sets the variable to the next slice to put.
func TestSizes(t *testing.T) {
	var s sizes
	b := make([]byte, 4)
	s.put(&b)
	b = make([]byte, 1024)
	s.put(&b)
}
