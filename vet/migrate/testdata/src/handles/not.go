package handles

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

var aliased = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `aliased becomes a basin.StdBufferPool`

func alias() string {
	b := aliased.Get().(*bytes.Buffer)
	defer aliased.Put(b)
	b.WriteString("a")
	a := b.Bytes()
	b.Reset()
	b.WriteString("b")
	return string(a) // what a bytes.Buffer leaves there
}

var sent = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `sent becomes a basin.StdBufferPool`

func send(url string) error {
	b := sent.Get().(*bytes.Buffer)
	defer sent.Put(b)
	_, err := http.Post(url, "", b) // looks for a *bytes.Buffer
	return err
}

var late = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `late becomes a basin.StdBufferPool`

func after() string {
	b := late.Get().(*bytes.Buffer)
	b.WriteString("x")
	late.Put(b)
	return b.String()
}

var async = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `async becomes a basin.StdBufferPool`

func start() {
	b := async.Get().(*bytes.Buffer)
	go func() { b.Reset(); async.Put(b) }()
}

var foreign = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `foreign becomes a basin.StdBufferPool`

func fill() {
	foreign.Put(new(bytes.Buffer))
	b := foreign.Get().(*bytes.Buffer)
	b.Reset()
	foreign.Put(b)
}

var again = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `again becomes a basin.StdBufferPool`

func loop(n int) {
	b := again.Get().(*bytes.Buffer)
	for range n {
		b.Reset()
		again.Put(b)
	}
}

var viewed = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `viewed becomes a basin.StdBufferPool`

func view() {
	b := viewed.Get().(*bytes.Buffer)
	var w io.Writer = b
	_ = w
	viewed.Put(b)
}
