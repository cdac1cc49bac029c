// The state of a writer is put while a goroutine still writes its frames.
package go20704

import (
	"bufio"
	"io"

	"shapes/go20704/state"
)

func flush(w *bufio.Writer) { w.Flush() }

func BugAsync(w io.Writer, p []byte) {
	s := state.Get(w)
	s.BW.Write(p)
	go flush(s.BW) // BUG
	state.Put(s)   // ALSO
}

func BugDeferred(w io.Writer, p []byte) {
	s := state.Get(w)
	defer state.Put(s)
	s.BW.Write(p)
	go func() { // ALSO
		s.BW.Flush() // BUG
	}()
}

func LegalSync(w io.Writer, p []byte) {
	s := state.Get(w)
	s.BW.Write(p)
	flush(s.BW)
	state.Put(s)
}

func LegalDone(w io.Writer, p []byte) {
	s := state.Get(w)
	defer state.Put(s)
	s.BW.Write(p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.BW.Flush()
	}()
	<-done
}

func LegalPutThere(w io.Writer, p []byte) {
	s := state.Get(w)
	s.BW.Write(p)
	go func() {
		s.BW.Flush()
		state.Put(s)
	}()
}
