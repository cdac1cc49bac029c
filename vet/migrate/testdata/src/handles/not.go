package handles

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
)

var aliased = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `aliased becomes a basin.Pool\[\*bytes.Buffer\]`

func alias() string {
	b := aliased.Get().(*bytes.Buffer)
	defer aliased.Put(b)
	b.WriteString("a")
	a := b.Bytes()
	b.Reset()
	b.WriteString("b")
	return string(a) // what a bytes.Buffer leaves there
}

var sent = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `sent becomes a basin.Pool\[\*bytes.Buffer\]`

func send(url string) error {
	b := sent.Get().(*bytes.Buffer)
	b.Reset()
	defer sent.Put(b)
	_, err := http.Post(url, "", b) // looks for a *bytes.Buffer
	return err
}

var late = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `late stays a sync.Pool: b may be used after Put`

func after() string {
	b := late.Get().(*bytes.Buffer)
	b.WriteString("x")
	late.Put(b)
	return b.String()
}

var async = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `async becomes a basin.Pool\[\*bytes.Buffer\]`

func start() {
	b := async.Get().(*bytes.Buffer)
	go func() { b.Reset(); async.Put(b) }()
}

var foreign = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `foreign becomes a basin.Pool\[\*bytes.Buffer\]`

func fill() {
	foreign.Put(new(bytes.Buffer))
	b := foreign.Get().(*bytes.Buffer)
	b.Reset()
	foreign.Put(b)
}

var again = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `again stays a sync.Pool: b may be used after Put`

func loop(n int) {
	b := again.Get().(*bytes.Buffer)
	for range n {
		b.Reset()
		again.Put(b)
	}
}

var viewed = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `viewed becomes a basin.Pool\[\*bytes.Buffer\]`

func view() {
	b := viewed.Get().(*bytes.Buffer)
	var w io.Writer = b
	_ = w
	viewed.Put(b)
}

var capped = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `capped becomes a basin.Pool\[\*bytes.Buffer\]`

func large() bool {
	b := capped.Get().(*bytes.Buffer)
	b.Reset()
	defer capped.Put(b)
	return b.Cap() > 1500
}

var reading = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `reading becomes a basin.Pool\[\*bytes.Buffer\]`

func lengths(r io.Reader) {
	b := reading.Get().(*bytes.Buffer)
	b.Reset()
	defer reading.Put(b)
	b.ReadFrom(r) // sees how much it is asked for
}

// A new bytes.Buffer has a nil slice, and one that was used an empty one.
var (
	cloned   = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `cloned becomes a basin.Pool\[\*bytes.Buffer\]`
	cloned2  = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `cloned2 becomes a basin.Pool\[\*bytes.Buffer\]`
	compared = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `compared becomes a basin.Pool\[\*bytes.Buffer\]`
)

func clones() ([]byte, []byte, bool) {
	a := cloned.Get().(*bytes.Buffer)
	a.Reset()
	b := cloned2.Get().(*bytes.Buffer)
	b.Reset()
	defer cloned.Put(a)
	defer cloned2.Put(b)
	c := compared.Get().(*bytes.Buffer)
	c.Reset()
	defer compared.Put(c)
	return bytes.Clone(a.Bytes()), slices.Clone(b.Bytes()), c.Bytes() == nil
}
