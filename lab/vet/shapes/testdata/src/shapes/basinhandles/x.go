// basin's own handles, put, freed and released once too often or too early.
package basinhandles

import "github.com/basin-go/basin"

func BugDoublePut(n int) {
	b := basin.Get(n)
	basin.Put(b)
	basin.Put(b) // BUG
}

func BugFreed(n int) int {
	buf := basin.GetBuffer()
	buf.WriteString("x")
	basin.PutBuffer(buf)
	return buf.Len() // BUG
}

func BugAppend(p []byte) byte {
	b := basin.Get(64)
	c := basin.Append(b, p...)
	first := b[0] // BUG
	basin.Put(c)
	return first
}

func BugShared(p []byte) byte {
	s := basin.Default().NewShared(basin.Append(nil, p...))
	data := s.Bytes()
	s.Release()
	return data[0] // BUG
}

func BugSharedTwice(p []byte) {
	s := basin.Default().NewShared(basin.Append(nil, p...))
	s.Release()
	s.Release() // BUG
}

func BugValue(p *basin.Pool[*[64]byte]) byte {
	v := p.Get()
	p.Put(v)
	return v[0] // BUG
}

func LegalShared(p []byte, each []chan *basin.Shared) {
	s := basin.Default().NewShared(basin.Append(nil, p...))
	for _, c := range each {
		c <- s.Retain()
	}
	s.Release()
}

func LegalAppend(p []byte) byte {
	b := basin.Get(64)
	b = basin.Append(b, p...)
	first := b[0]
	basin.Put(b)
	return first
}

func LegalFree() int {
	var buf basin.Buffer
	buf.WriteString("x")
	n := buf.Len()
	buf.Free()
	buf.WriteString("again")
	buf.Free()
	return n
}

func LegalRetained(p []byte) byte {
	s := basin.Default().NewShared(basin.Append(nil, p...))
	s.Retain()
	s.Release()
	c := s.Bytes()[0]
	s.Release()
	return c
}

func LegalAdopt(n int) {
	b := basin.Get(n)
	if !basin.Default().Adopt(b) {
		b[0] = 0
	}
}

func LegalGrownByOther(p []byte) []byte {
	b := basin.Get(64)
	b = append(b, p...)
	return b
}
