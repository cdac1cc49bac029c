// A program with the usual shapes of pools of buffers.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

var lines = sync.Pool{New: func() interface{} { return new(bytes.Buffer) }}

func join(words ...string) string {
	b := lines.Get().(*bytes.Buffer)
	b.Reset()
	defer lines.Put(b)
	for i, w := range words {
		fmt.Fprintf(b, "%d=", i)
		b.WriteString(w)
	}
	return b.String()
}

var indented = sync.Pool{
	New: func() any { return bytes.NewBuffer(make([]byte, 0, 1<<10)) },
}

func getBuf() *bytes.Buffer { return indented.Get().(*bytes.Buffer) }

func putBuf(b *bytes.Buffer) {
	if b.Cap() > 64<<10 {
		return
	}
	b.Reset()
	indented.Put(b)
}

func indent(in string) string {
	b := getBuf()
	defer putBuf(b)
	if err := json.Indent(b, []byte(in), "", " "); err != nil {
		return err.Error()
	}
	return b.String() + join(in, join(in))
}

const page = 4 << 10

var pages = &sync.Pool{New: func() any { return make([]byte, page) }}

func copyAll(r io.Reader) int64 {
	b := pages.Get().([]byte)
	defer pages.Put(b)
	n, _ := io.CopyBuffer(struct{ io.Writer }{os.Stdout}, struct{ io.Reader }{r}, b)
	return n + int64(len(b))
}

var pointers = sync.Pool{New: func() any { b := make([]byte, 0, page); return &b }}

func add(words ...string) string {
	p := pointers.Get().(*[]byte)
	b := (*p)[:0]
	for _, w := range words {
		b = append(b, w...)
	}
	out := string(b)
	*p = b
	pointers.Put(p)
	return out
}

var free = sync.Pool{New: func() any { return make([]byte, 64) }}

func numbers(n int) int {
	b := free.Get().([]byte)
	b[0] = byte(n)
	defer free.Put(b)
	return int(b[0]) + len(b)
}

var served = &sync.Pool{New: func() any { return &bytes.Buffer{} }}

func serve(in string) []byte {
	b := served.Get().(*bytes.Buffer)
	defer func() { b.Reset(); served.Put(b) }()
	b.WriteString(in)
	return append([]byte("served "), b.Bytes()...)
}

func main() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 1000 {
				in := strings.Repeat("x", i)
				if got := join(in, in); got != "0="+in+"1="+in {
					panic(got)
				}
				if got := add(in, "y"); got != in+"y" {
					panic(got)
				}
				if got := numbers(i % 256); got != i%256+64 {
					panic(got)
				}
				if got := string(serve(in)); got != "served "+in {
					panic(got)
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(indent(`{"a":[1,2]}`), indent("}"))
	fmt.Println(copyAll(strings.NewReader("in a page")))
}
