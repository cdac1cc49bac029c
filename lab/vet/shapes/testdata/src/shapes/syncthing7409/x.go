// A debug log prints a message that has been put.
package syncthing7409

import (
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { b := make([]byte, 1024); return &b }}

func BugLog(w io.Writer, n int) error {
	b := pool.Get().(*[]byte)
	_, err := w.Write((*b)[:n])
	pool.Put(b)
	if err != nil {
		log.Printf("writing %x: %v", (*b)[:n], err) // BUG
		return err
	}
	return nil
}

func BugBasin(w io.Writer, n int) error {
	b := basin.Get(n)
	_, err := w.Write(b)
	basin.Put(b)
	log.Printf("wrote %d bytes beginning with %x", n, b[0]) // BUG
	return err
}

func BugError(w io.Writer, n int) error {
	b := basin.Get(n)
	if _, err := w.Write(b); err != nil {
		basin.Put(b)
		return fmt.Errorf("writing %q: %w", b, err) // BUG
	}
	basin.Put(b)
	return nil
}

func LegalLog(w io.Writer, n int) error {
	b := basin.Get(n)
	_, err := w.Write(b)
	log.Printf("wrote %x: %v", b, err)
	basin.Put(b)
	return err
}

func LegalLength(w io.Writer, n int) error {
	b := basin.Get(n)
	_, err := w.Write(b)
	basin.Put(b)
	log.Printf("wrote %d bytes: %v", len(b), err)
	return err
}

func LegalError(w io.Writer, n int) (err error) {
	b := basin.Get(n)
	defer basin.Put(b)
	if _, err = w.Write(b); err != nil {
		return fmt.Errorf("writing %q: %w", b, err)
	}
	return nil
}
