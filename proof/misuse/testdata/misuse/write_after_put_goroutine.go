//go:build go1.25

package misuse

import (
	"bytes"

	"github.com/basin-go/basin"
)

// upper has a goroutine work on a slice, and does not wait for it.
func upperBug() {
	b := basin.GetZeroed(256)
	start, done := make(chan bool), make(chan bool)
	go func() {
		<-start
		copy(b, bytes.ToUpper([]byte("text")))
		close(done)
	}()
	basin.Put(b) // want: write after Put
	close(start)
	<-done
}

func upperFixed() {
	b := basin.GetZeroed(256)
	start, done := make(chan bool), make(chan bool)
	go func() {
		<-start
		copy(b, bytes.ToUpper([]byte("text")))
		close(done)
	}()
	close(start)
	<-done
	basin.Put(b)
}

func init() { add("write_after_put_goroutine", upperBug, upperFixed) }
