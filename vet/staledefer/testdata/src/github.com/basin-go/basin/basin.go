// Package basin stands for the real one.
package basin

func Get(n int) []byte                           { return make([]byte, n) }
func Put(b []byte)                               {}
func Append(dst []byte, src ...byte) []byte      { return append(dst, src...) }
func AppendString(dst []byte, src string) []byte { return append(dst, src...) }
func Grow(b []byte, n int) []byte                { return b }
func Default() *BytePool                         { return nil }

type BytePool struct{ MaxSize int }

func (p *BytePool) Get(n int) []byte                      { return make([]byte, n) }
func (p *BytePool) Put(b []byte)                          {}
func (p *BytePool) Append(dst []byte, src ...byte) []byte { return append(dst, src...) }
