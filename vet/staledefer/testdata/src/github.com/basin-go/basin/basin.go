// Package basin stands for the real one.
package basin

func Get(n int) []byte                      { return make([]byte, n) }
func Put(b []byte)                          {}
func Append(dst []byte, src ...byte) []byte { return append(dst, src...) }
