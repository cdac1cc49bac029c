// A handler's goroutine reads a body that the framework takes back.
package huma467

import (
	"bytes"
	"io"
	"sync"

	"shapes/huma467/body"
)

type Input struct{ Raw []byte }

func handle(in *Input, done chan<- int) {
	go func() { done <- len(in.Raw) + int(in.Raw[0]) }()
}

func process(b []byte) int { return len(b) + int(b[0]) }

func BugGoroutine(r io.Reader, done chan<- int) {
	b := body.Read(r)
	defer body.Release(b)
	raw := b.Bytes()
	go func() { done <- process(raw) }() // BUG
}

func BugHandler(r io.Reader, done chan<- int) {
	b := body.Read(r)
	defer body.Release(b)
	handle(&Input{Raw: b.Bytes()}, done) // BUG
}

func BugSent(r io.Reader, out chan<- []byte) {
	b := body.Read(r)
	defer body.Release(b)
	out <- b.Bytes() // BUG
}

func LegalWaits(r io.Reader) (n int) {
	b := body.Read(r)
	defer body.Release(b)
	raw := b.Bytes()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		n = process(raw)
	}()
	wg.Wait()
	return n
}

func LegalOwner(r io.Reader, done chan<- int) {
	b := body.Read(r)
	go func() {
		defer body.Release(b)
		done <- process(b.Bytes())
	}()
}

func LegalCopied(r io.Reader, done chan<- int) {
	b := body.Read(r)
	defer body.Release(b)
	raw := bytes.Clone(b.Bytes())
	go func() { done <- process(raw) }()
}

func LegalDoneChannel(r io.Reader) int {
	b := body.Read(r)
	defer body.Release(b)
	done := make(chan int)
	go func() { done <- process(b.Bytes()) }()
	return <-done
}
