//go:build go1.25

package correct

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinio"
)

var (
	handles basin.BufferPool
	std     basin.StdBufferPool
	keep    []any
)

func init() {
	add("handle", func() { b := basin.GetBuffer(); b.WriteString(text); must(b.String() == text); basin.PutBuffer(b) })
	add("handle that grows", func() {
		b := handles.Get()
		for range 3000 {
			b.WriteString(text)
		}
		must(b.String() == strings.Repeat(text, 3000))
		handles.Put(b)
	})
	add("handle freed before it is put", func() { b := handles.Get(); b.WriteString(text); b.Free(); b.Free(); handles.Put(b) })
	add("handle detached from, then put", func() {
		b := handles.Get()
		b.WriteString(text)
		basin.Put(b.Detach())
		b.WriteString("more")
		handles.Put(b)
	})
	add("handle put by another goroutine", func() {
		b, done := handles.Get(), make(chan bool)
		go func() { b.WriteString(text); handles.Put(b); close(done) }()
		<-done
	})
	add("no handle, put", func() { handles.Put(nil); handles.Put(new(basin.Buffer)); handles.Put(basin.NewBuffer([]byte(text))) })
	add("handle read from to the end", func() {
		b := handles.Get()
		b.WriteString(text)
		b.WriteTo(io.Discard)
		handles.Put(b)
	})
	add("handle as a writer", func() {
		b := basin.GetBuffer()
		must(json.NewEncoder(b).Encode(text) == nil)
		fmt.Fprintf(b, "%s", text)
		basin.PutBuffer(b)
	})
	add("Buffer dropped without Free", func() { var b basin.Buffer; b.WriteString(strings.Repeat(text, 10)) })
	add("Buffer freed and used again", func() {
		var b basin.Buffer
		for range 3 {
			b.WriteString(text)
			b.Free()
			b.Free()
		}
	})
	add("Buffer about a slice of the caller's", func() {
		slice := basin.AppendString(nil, text)
		b := basin.NewBuffer(slice)
		must(b.String() == text)
		b.Free()
		basin.Put(slice)
	})
	add("Buffer about a slice of the caller's that grows", func() {
		slice := basin.AppendString(nil, text)
		b := basin.NewBuffer(slice)
		b.WriteString(strings.Repeat(text, 10))
		basin.Put(slice)
		b.Free()
	})
	add("small Buffer", func() { b := basin.NewSmallBuffer(); b.WriteString(text); b.WriteString(text); b.Free() })
	add("small Buffer detached from", func() { b := basin.NewSmallBuffer(); b.WriteString("text"); basin.Put(b.Detach()) })
	add("detached and put", func() { var b basin.Buffer; b.WriteString(text); basin.Put(b.Detach()); b.Free() })
	add("detached and kept", func() {
		var b basin.Buffer
		b.WriteString(text)
		if data := b.Detach(); len(keep) < 50 {
			keep = append(keep, data)
		} else {
			basin.Put(data)
		}
	})
	add("detached and left to the collector", func() {
		var b basin.Buffer
		b.WriteString(text)
		must(string(b.Detach()) == text)
		h := basin.GetBuffer()
		h.WriteString(text)
		must(string(h.Detach()) == text)
		basin.PutBuffer(h)
	})
	add("Buffer about a slice of a pool, left to the collector", func() { basin.NewBuffer(basin.Get(100)).Free() })
	add("detached from after reading", func() {
		var b basin.Buffer
		b.WriteString(text)
		b.Next(10)
		data := b.Detach()
		must(string(data) == text[10:])
		basin.Put(data)
	})
	add("detached from empty", func() { var b basin.Buffer; basin.Put(b.Detach()) })
	add("detached and appended to", func() {
		var b basin.Buffer
		b.WriteString(text)
		basin.Put(basin.AppendString(b.Detach(), strings.Repeat(text, 10)))
	})
	add("Buffer written into another", func() {
		var a, b basin.Buffer
		a.WriteString(text)
		a.WriteTo(&b)
		b.ReadFrom(&a)
		must(b.String() == text)
		a.Free()
		b.Free()
	})
	add("Buffer written to itself", func() {
		b := handles.Get()
		b.WriteString(text)
		for range 6 {
			b.Write(b.Bytes())
		}
		must(b.String() == strings.Repeat(text, 64))
		handles.Put(b)
	})
	add("AvailableBuffer", func() {
		b := handles.Get()
		b.Write(append(b.AvailableBuffer(), text...))
		must(b.String() == text)
		handles.Put(b)
	})
	add("a copy of a Buffer", func() {
		b := handles.Get()
		b.WriteString(text)
		c := new(basin.Buffer)
		c.Write(b.Bytes())
		handles.Put(b)
		must(c.String() == text)
		c.Free()
	})
	add("Buffers in a Pool", func() {
		b := buffers.Get()
		b.WriteString(text)
		b.Reset()
		buffers.Put(b)
	})
	add("bytes.Buffer", func() { b := std.Get(); b.WriteString(text); std.Put(b) })
	add("bytes.Buffer that grows", func() { b := std.Get(); b.WriteString(strings.Repeat(text, 1000)); std.Put(b) })
	add("bytes.Buffer of somebody else", func() { std.Put(nil); std.Put(new(bytes.Buffer)); std.Put(bytes.NewBufferString(text)) })
	add("bytes.Buffer copied from before it is put", func() {
		b := std.Get()
		b.WriteString(text)
		s := b.String()
		std.Put(b)
		must(s == text)
	})
	add("Shared by goroutines", func() {
		var b basin.Buffer
		b.WriteString(text)
		s := basin.Default().NewShared(b.Detach())
		var wg sync.WaitGroup
		for range 4 {
			s.Retain()
			wg.Add(1)
			go func() { defer wg.Done(); must(string(s.Bytes()) == text); s.Release() }()
		}
		s.Release()
		wg.Wait()
	})
	add("Shared of nothing", func() { basin.Default().NewShared(nil).Release(); basin.Default().NewShared(basin.Get(0)).Release() })
	add("Shared kept", func() {
		if len(keep) < 50 {
			keep = append(keep, basin.Default().NewShared(basin.AppendString(nil, text)))
		}
	})
	add("basinio reset", func() {
		r := basinio.NewReader(strings.NewReader(text))
		r.ReadByte()
		r.Reset(strings.NewReader(text))
		got, _ := io.ReadAll(r)
		must(string(got) == text)
		r.Reset(nil)
		var out bytes.Buffer
		w := basinio.NewWriter(io.Discard)
		w.WriteString(text)
		w.Reset(&out)
		w.WriteString(text)
		w.Flush()
		must(out.String() == text)
	})
}

var buffers = &basin.Pool[*basin.Buffer]{New: func() *basin.Buffer { return new(basin.Buffer) }}
